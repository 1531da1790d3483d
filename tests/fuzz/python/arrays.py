"""Calls of the Python package with arrays of any shape, type and order, and with values that are no arrays: an array of the
same shape, or a ValueError or TypeError in words; and a call that fails changes no argument. An input is the numbers that
choose the calls.
"""

import os
import sys
import tempfile

import atheris

with atheris.instrument_imports(include=["ropewalk"]):
    import ropewalk

import numpy

ROPES = [
    ropewalk.Rope(head_dim=8),
    ropewalk.Rope(head_dim=16, rotary_dim=8, rotary_offset=2, pairing="half"),
    ropewalk.Rope(head_dim=12, axes={"sections": [2, 2, 2]}),
    ropewalk.Rope(head_dim=8, axes={"sections": [2, 2]}),
    ropewalk.Rope(head_dim=8, xpos={"scale_base": 512}),
]
TYPES = ["<f4", "<f2", "<u2", "<f8", "<i4", "?", "<c8", "O", "U3", ">f4"]
ODD = [None, True, "1", b"1", float("nan"), float("inf"), 2**70, -1, 1.5, [], {}, [[1], [2, 3]], object(), numpy.float32(3)]
FOLDER = tempfile.mkdtemp()


class Calls:
    def __init__(self, data):
        self.data = atheris.FuzzedDataProvider(data)

    def rope(self):
        return ROPES[self.data.ConsumeIntInRange(0, len(ROPES) - 1)]

    def odd(self):
        return ODD[self.data.ConsumeIntInRange(0, len(ODD) - 1)]

    def rare(self, value):
        """Something odd now and then."""
        return self.odd() if self.data.ConsumeIntInRange(0, 15) == 0 else value

    def array(self, shape):
        """An array in some order, of some type."""
        kind = TYPES[max(0, self.data.ConsumeIntInRange(-20, len(TYPES) - 1))]
        array = numpy.arange(int(numpy.prod(shape)), dtype="i4").reshape(shape).astype(kind)
        order = self.data.ConsumeIntInRange(0, 7)
        if order == 1:
            array = numpy.asfortranarray(array)
        elif order == 2 and array.ndim:
            array = numpy.repeat(array, 2, axis=-1)[..., ::2]
        elif order == 3:
            array = array[::-1]
        elif order == 4:
            array.flags.writeable = False
        elif order == 5:
            array = numpy.ma.masked_array(array)
        return array

    def shape(self, head):
        sizes = [self.data.ConsumeIntInRange(0, 3) for _ in range(self.data.ConsumeIntInRange(3, 4) - 1)]
        return (*sizes, head + (self.data.ConsumeIntInRange(0, 15) == 0))

    def positions(self, sequence):
        if self.data.ConsumeBool():
            return self.rare(self.data.ConsumeFloat())
        return self.rare([self.data.ConsumeFloat() for _ in range(sequence)])


def same(a, b):
    return a.dtype == object or numpy.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def rotate(calls):
    rope = calls.rope()
    shape = calls.shape(rope.head_dim)
    x = calls.array(shape)
    before = x.copy()
    options = {
        "layout": calls.rare(["bshd", "bhsd", "thd"][calls.data.ConsumeIntInRange(0, 2)]),
        "role": calls.rare("query"),
        "dtype": calls.rare("bfloat16" if x.dtype == numpy.uint16 else None),
        "out": calls.rare(None) if calls.data.ConsumeBool() else calls.array(shape),
    }
    positions = calls.positions(shape[1])
    if calls.data.ConsumeBool():
        options["cumulative_lengths"] = calls.rare([0, calls.data.ConsumeIntInRange(-1, 4), shape[0]])
    which = calls.data.ConsumeIntInRange(0, 3)
    out = options["out"]
    was = out.copy() if isinstance(out, numpy.ndarray) else None
    try:
        if which == 0:
            y = rope.rotate(x, positions, **options)
        elif which == 1:
            y = rope.unrotate(x, positions, **options)
        elif which == 2:
            y = rope.rerotate(x, positions, to_positions=calls.positions(shape[1]), to_rope=calls.rare(None), **options)
        else:
            del options["role"], options["out"]
            y, _ = rope.rotate_qk(x, calls.array(calls.shape(rope.head_dim)), positions, **options)
    except (ValueError, TypeError) as error:
        assert str(error), "an error has words"
        assert was is None or same(was, out), "a refused call writes nothing"
    else:
        assert y.shape == x.shape, (y.shape, x.shape)
    assert same(before, x), "x stays as it was"


def rotate_by(calls):
    batch, sequence, heads, pairs = (calls.data.ConsumeIntInRange(0, 3) for _ in range(4))
    x = calls.array((batch, sequence, heads, 2 * pairs + calls.data.ConsumeIntInRange(0, 2)))
    angles = calls.rare(calls.array((batch, sequence, calls.data.ConsumeIntInRange(0, 3), pairs)))
    try:
        y = ropewalk.rotate_by(x, angles, **({"pairing": calls.odd()} if calls.data.ConsumeBool() else {}))
        assert y.shape == x.shape
    except (ValueError, TypeError) as error:
        assert str(error), "an error has words"


def table(calls):
    rope = calls.rope()
    positions = calls.rare([calls.data.ConsumeFloat() for _ in range(calls.data.ConsumeIntInRange(0, 6))])
    if calls.data.ConsumeBool():
        positions = numpy.array([positions] * calls.data.ConsumeIntInRange(0, 3), dtype=object)
    try:
        cos, sin = rope.table(positions)
        assert cos.shape == sin.shape
    except (ValueError, TypeError) as error:
        assert str(error), "an error has words"


def options(calls):
    named = {name: calls.odd() for name in ("rotary_dim", "pairing", "frequencies", "axes", "xpos") if calls.data.ConsumeBool()}
    try:
        rope = ropewalk.Rope(head_dim=calls.rare(8), **named)
        assert rope.head_dim > 0
        rope.explain(calls.rare(100))
    except (ValueError, TypeError) as error:
        assert str(error), "an error has words"


def index(calls):
    path = os.path.join(FOLDER, "vectors")
    rows = calls.data.ConsumeIntInRange(0, 3)
    vectors = calls.rare(calls.array((rows, calls.data.ConsumeIntInRange(0, 4))))
    ids = calls.rare([str(calls.rare(i)) for i in range(rows)])
    fields = calls.rare([{"a": calls.odd()} for _ in range(rows)])
    try:
        ropewalk.write_index(path, vectors, ids, fields)
        os.remove(path)
    except (ValueError, TypeError) as error:
        assert str(error), "an error has words"
    assert os.listdir(FOLDER) == [], "nothing half is left"


CALLS = [rotate, rotate, rotate_by, table, options, index]


def fuzz(data):
    calls = Calls(data)
    while calls.data.remaining_bytes() > 0:
        CALLS[calls.data.ConsumeIntInRange(0, len(CALLS) - 1)](calls)


atheris.Setup(sys.argv, fuzz)
atheris.Fuzz()
