"""Ropewalk's Python package. adapter("float32") compares the float32 column, with angles as PyTorch computes them."""

import numpy

import ropewalk


def _by_axis(position):
    """One token's position, or [axes, 1] of one that has several."""
    return [[each] for each in position] if isinstance(position, list) else [position]


class _Rotation:
    def __init__(self, rope):
        self._rope = rope

    def table(self, position):
        return [row[0].tolist() for row in self._rope.table(_by_axis(position))]

    def rotate(self, x, position):
        x = numpy.array(x, numpy.float32).reshape(1, 1, 1, -1)
        return self._rope.rotate(x, _by_axis(position)).ravel().tolist()


class _Exact(_Rotation):
    """The frequencies of a rope are the exact ones, also where its angles are float32."""

    def theta(self):
        return self._rope.frequencies.tolist()

    def magnitude(self):
        return self._rope.magnitude


def adapter(precision):
    exact = precision == "float32-output"

    def make(case, pairing):
        axes = {"axes": case["axes"]} if "axes" in case else {}
        rope = ropewalk.Rope(head_dim=case["head_dim"], rotary_dim=case["rotary_dim"], pairing=pairing,
                             frequencies=case["frequencies"], angles="exact" if exact else "float32", **axes)
        return (_Exact if exact else _Rotation)(rope)

    def read(config, case):
        return _Exact(ropewalk.from_config(config, case["sequence_length"]))

    return {"PRECISION": precision, "make": make, **({"read": read, "AXES": True} if exact else {})}


globals().update(adapter("float32-output"))
