"""Ropewalk's Python package. adapter("float32") compares the float32 column, with angles as PyTorch computes them."""

import numpy

import ropewalk


class _Rotation:
    def __init__(self, rope):
        self._rope = rope

    def table(self, position):
        return [row[0].tolist() for row in self._rope.table([position])]

    def rotate(self, x, position):
        return self._rope.rotate(numpy.array(x, numpy.float32).reshape(1, 1, 1, -1), position).ravel().tolist()


class _Exact(_Rotation):
    """The frequencies of a rope are the exact ones, also where its angles are float32."""

    def theta(self):
        return self._rope.frequencies.tolist()

    def magnitude(self):
        return self._rope.magnitude


def adapter(precision):
    exact = precision == "float32-output"

    def make(case, pairing):
        rope = ropewalk.Rope(head_dim=case["head_dim"], rotary_dim=case["rotary_dim"], pairing=pairing,
                             frequencies=case["frequencies"], angles="exact" if exact else "float32")
        return (_Exact if exact else _Rotation)(rope)

    def read(config, case):
        return _Exact(ropewalk.from_config(config, case["sequence_length"]))

    return {"PRECISION": precision, "make": make, **({"read": read} if exact else {})}


globals().update(adapter("float32-output"))
