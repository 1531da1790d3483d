"""A rope: frequencies, pairing and window of a head, and what it does to arrays."""

import ctypes
import json
import os

import numpy

from . import _arrays, _library

native = _library.library


def _listed(value):
    """Arrays and numbers of NumPy as JSON has them."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.tolist()
    raise TypeError(f"Rope: an option holds {value!r}; allowed: what JSON has, and arrays")


def _made_of(kind, options):
    return kind(**options)


class Rope:
    """Rotary position embeddings of one head.

    Rope(head_dim=128, pairing="half", frequencies={"type": "linear", "base": 10000, "factor": 4})

    Parameters are the members of RopeOptions: head_dim (needed), rotary_dim, rotary_offset, pairing ("interleaved" or
    "half"), frequencies, axes, xpos, angles ("exact" or "float32"). An unknown name is an error. A rope never changes,
    and threads may share it.
    """

    def __init__(self, **options):
        text = json.dumps(options, allow_nan=False, default=_listed).encode()
        self._take(native.rope_create, text, len(text))

    def _take(self, create, *arguments):
        """The handle that `create` makes, in place of one that this object has; without one if that fails."""
        handle = ctypes.c_void_p()
        create(*arguments, ctypes.byref(handle))
        self.__del__()
        self._handle = handle

    @classmethod
    def from_config(cls, config, sequence_length=None, layer_type=None, pairing=None):
        """The rope of a published configuration: Hugging Face's config.json or GGUF metadata, as text, parsed, or a
        pathlib.Path of the file.

        Strict: an unknown rope key, a missing one and a wrong length are errors that name the key. The rules "dynamic"
        and "longrope" need `sequence_length`; `layer_type` is for configurations whose layers differ, and `pairing`
        ("interleaved" or "half") for a model type that is not known.
        """
        if isinstance(config, os.PathLike):
            with open(config, encoding="utf-8") as file:
                config = file.read()
        text = (config if isinstance(config, str) else json.dumps(config)).encode()
        options = _library.ConfigOptions(sequence_length=sequence_length or 0,
                                         layer_type=layer_type.encode() if layer_type else None,
                                         pairing=pairing.encode() if pairing else None)
        rope = cls.__new__(cls)
        rope._take(native.rope_create_from_config, text, len(text), ctypes.byref(options))
        return rope

    def __del__(self):
        handle = getattr(self, "_handle", None)
        if handle:
            # Without it a use of this object is an AttributeError, not a NULL in C.
            del self._handle
            native.rope_destroy(handle)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _made_of, (type(self), self.options)

    def __repr__(self):
        return f"Rope({', '.join(f'{name}={value!r}' for name, value in self.options.items())})"

    @property
    def options(self):
        """The options that the rope was made from, as Rope(**options) takes them."""
        return json.loads(native.text(native.rope_options, self._handle))

    head_dim = property(lambda self: native.rope_head_dim(self._handle), doc="D, channels of a head.")
    rotary_dim = property(lambda self: native.rope_rotary_dim(self._handle), doc="d, channels that rotate.")
    rotary_offset = property(lambda self: native.rope_rotary_offset(self._handle), doc="First of them.")
    axes = property(lambda self: native.rope_axes(self._handle), doc="Number of position axes.")
    magnitude = property(lambda self: native.rope_magnitude(self._handle), doc="Multiplies cos and sin.")

    @property
    def pairing(self):
        """ "interleaved": channels (2j, 2j+1) are a pair; "half": (j, j + d/2)."""
        return ("interleaved", "half")[native.rope_pairing(self._handle)]

    @property
    def frequencies(self):
        """theta_j in radians per position, float64. A copy."""
        count = ctypes.c_size_t()
        pointer = native.rope_frequencies(self._handle, ctypes.byref(count))
        return numpy.ctypeslib.as_array(pointer, (count.value,)).copy()

    def rotate(self, x, positions=0, *, layout="bshd", out=None, role="query", cumulative_lengths=None, dtype=None):
        """x rotated: [batch, sequence, heads, head_dim] with layout "bshd", [batch, heads, sequence, head_dim] with
        "bhsd", [tokens, heads, head_dim] with "thd".

        `positions` is the position of the first token, or one for each token, [sequence] or [batch * sequence].
        `cumulative_lengths` says where packed sequences begin ("thd"). `out=x` rotates in place. `role`, "query" or
        "key", matters to xPos alone. `dtype="bfloat16"` is for uint16 arrays of bfloat16 patterns.
        """
        return self._one(native.rotate, x, positions, layout, out, role, cumulative_lengths, dtype)

    def unrotate(self, x, positions=0, *, layout="bshd", out=None, role="query", cumulative_lengths=None, dtype=None):
        """The inverse of rotate, also where the magnitude is not 1."""
        return self._one(native.unrotate, x, positions, layout, out, role, cumulative_lengths, dtype)

    def rerotate(self, x, positions=0, *, to_positions, to_rope=None, layout="bshd", out=None, role="key",
                 cumulative_lengths=None, dtype=None):
        """x, which this rope rotated at `positions`, as if `to_rope` (this one unless given) had rotated it at
        `to_positions`. For cached keys: moving them, or changing the rule."""
        target, keep = _arrays.positions_of(to_positions)
        made = self._one(native.rerotate, x, positions, layout, out, role, cumulative_lengths, dtype,
                         None if to_rope is None else to_rope._handle, ctypes.byref(target))
        del keep
        return made

    def rotate_qk(self, q, k, positions=0, *, layout="bshd", out=None, cumulative_lengths=None, dtype=None):
        """(q, k) rotated at the same positions. k may have fewer heads. `out` is a pair of arrays, or None."""
        out_q, out_k = out or (None, None)
        arrays, results = [], []
        for name, array, result in (("q", q, out_q), ("k", k, out_k)):
            dense = _arrays.dense(_arrays.checked(name, array))
            arrays.append(dense)
            results.append(_Result(f"out[{len(results)}]", result, array, dense))
        shapes = [_arrays.shape_of(name, each, layout) for name, each in zip("qk", arrays)]
        if shapes[0][:2] != shapes[1][:2]:
            raise ValueError(f"`k` has shape {k.shape}; allowed: batch and sequence of q, {q.shape}")
        number = _arrays.dtype_of("q", arrays[0], dtype)
        if _arrays.dtype_of("k", arrays[1], dtype) != number:
            raise TypeError(f"`k` has elements of {k.dtype}; allowed: those of q, {q.dtype}")
        placement, keep = self._placement(shapes[0], positions, layout, "query", cumulative_lengths)
        placement.kv_heads = shapes[1][2]
        pairs = [(_arrays.address(a), _arrays.address(r.array), a.size) for a, r in zip(arrays, results)]
        native.rotate_qk(self._handle, *pairs[0], *pairs[1], number, ctypes.byref(placement))
        del keep
        return results[0].done(), results[1].done()

    def table(self, positions):
        """(cos, sin) of m * theta_j times the magnitude, float32, [positions, pairs] each. With several axes `positions`
        is [axes, positions]."""
        array = numpy.atleast_1d(_arrays.numbers("positions", positions))
        width = native.rope_width(self._handle)
        rows = array.shape[-1] if array.ndim > 1 else array.size
        cos, sin = (numpy.empty((rows, width), numpy.float32) for _ in range(2))
        native.table(self._handle, array.ctypes.data_as(_library.c_double_p), array.size,
                                    _arrays.address(cos), _arrays.address(sin), cos.size)
        return cos, sin

    def explain(self, context=None):
        """Explains how the rule changed each pair, in a few lines. `context`: names the pairs that never turn once in it."""
        return native.text(native.rope_explain, self._handle, context or 0)

    def _placement(self, shape, positions, layout, role, cumulative_lengths):
        """A placement, and the arrays it points to."""
        where, values = _arrays.positions_of(positions)
        lengths, count, kept = _arrays.lengths_of(cumulative_lengths)
        batch, sequence, heads = shape
        placement = _library.Placement(batch=batch, sequence=sequence, heads=heads,
                                       layout=_arrays.choice("layout", layout, _arrays.LAYOUTS),
                                       role=_arrays.choice("role", role, _arrays.ROLES), positions=where,
                                       cumulative_lengths=lengths, cumulative_count=count)
        return placement, (values, kept)

    def _one(self, function, x, positions, layout, out, role, cumulative_lengths, dtype, *more):
        _arrays.choice("layout", layout, _arrays.LAYOUTS)
        dense = _arrays.dense(_arrays.checked("x", x))
        number = _arrays.dtype_of("x", dense, dtype)
        placement, keep = self._placement(_arrays.shape_of("x", dense, layout), positions, layout, role, cumulative_lengths)
        result = _Result("out", out, x, dense)
        function(self._handle, _arrays.address(dense), _arrays.address(result.array), dense.size, number,
                 ctypes.byref(placement), *more)
        del keep
        return result.done()


class _Result:
    """The array that a call writes: `out` itself if it is dense, otherwise a dense one that done() copies to it."""

    def __init__(self, name, out, x, dense):
        self._out = _arrays.output(name, out, x)
        if self._out.flags.c_contiguous:
            # A view of x's memory that is not x would be read and written at once.
            overlaps = self._out is not x and numpy.shares_memory(self._out, dense)
            if overlaps and _arrays.address(self._out) != _arrays.address(dense):
                raise ValueError(f"`{name}` overlaps the array that is rotated; allowed: the same array, or another")
            self.array = self._out
        else:
            self.array = numpy.empty(x.shape, x.dtype)

    def done(self):
        if self.array is not self._out:
            self._out[...] = self.array
        return self._out


def from_config(config, sequence_length=None, layer_type=None, pairing=None):
    """Rope.from_config."""
    return Rope.from_config(config, sequence_length, layer_type, pairing)


def explain(config, sequence_length=None, layer_type=None, pairing=None, context=None):
    """Explains how a configuration's rule changes each pair, in a few lines."""
    return from_config(config, sequence_length, layer_type, pairing).explain(context)


def convert_pairing(weight, *, source, target, heads, head_dim, rotary_dim=None, rotary_offset=0, out=None, dtype=None):
    """Moves rows of a query or key projection [heads * head_dim, columns] (or of its bias, or of a norm weight) so that
    rotating with the pairing `target` gives the scores that `source` gave. Exact."""
    dense = _arrays.dense(_arrays.checked("weight", weight))
    number = _arrays.dtype_of("weight", dense, dtype)
    result = _Result("out", out, weight, dense)
    conversion = _library.Conversion(source=_arrays.choice("source", source, _arrays.PAIRINGS),
                                     target=_arrays.choice("target", target, _arrays.PAIRINGS), heads=heads,
                                     head_dim=head_dim, rotary_dim=rotary_dim or 0, rotary_offset=rotary_offset,
                                     columns=dense.shape[1] if dense.ndim == 2 else 0)
    native.convert_pairing(_arrays.address(dense), _arrays.address(result.array), dense.size, number,
                                          ctypes.byref(conversion))
    return result.done()


def architecture():
    """The instruction set in use: "avx512", "avx2" or "sse2"."""
    return native.architecture().decode()


def use_architecture(name):
    """Uses this instruction set from now on, in the whole process."""
    native.use_architecture(name.encode())
