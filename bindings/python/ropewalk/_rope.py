"""A rope: frequencies, pairing and window of a head, and what it does to arrays."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy

from . import _arrays, _library

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[numpy.float32]
    # float32, float16, or bfloat16 patterns in uint16.
    Array = NDArray[Any]
    Config = Union[str, Mapping[str, Any], os.PathLike[str]]

native = _library.library


def _listed(value: Any) -> Any:
    """Arrays and numbers of NumPy as JSON has them."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.tolist()
    raise TypeError(f"Rope: an option holds {value!r}; allowed: what JSON has, and arrays")


def _made_of(kind: type[Rope], options: dict[str, Any]) -> Rope:
    return kind(**options)


class Rope:
    """Rotary position embeddings of one head.

    Rope(head_dim=128, pairing="half", frequencies={"type": "linear", "base": 10000, "factor": 4})

    Parameters are the members of RopeOptions: head_dim (needed), rotary_dim, rotary_offset, pairing ("interleaved" or
    "half"), frequencies, axes, xpos, angles ("exact" or "float32"). An unknown name is an error. A rope never changes,
    and threads may share it.
    """

    def __init__(self, **options: Any) -> None:
        text = json.dumps(options, allow_nan=False, default=_listed).encode()
        self._take(native.rope_create, text, len(text))

    def _take(self, create: Any, *arguments: Any) -> None:
        """The handle that `create` makes, in place of one that this object has; without one if that fails."""
        handle = ctypes.c_void_p()
        create(*arguments, ctypes.byref(handle))
        self.__del__()
        self._handle: Any = handle

    @classmethod
    def from_config(cls, config: Config, sequence_length: float | None = None, layer_type: str | None = None,
                    pairing: str | None = None) -> Rope:
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
        options = _library.ConfigOptions(sequence_length=_arrays.number("sequence_length", sequence_length, 0),
                                         layer_type=layer_type.encode() if layer_type else None,
                                         pairing=pairing.encode() if pairing else None)
        rope = cls.__new__(cls)
        rope._take(native.rope_create_from_config, text, len(text), ctypes.byref(options))
        return rope

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            # Without it a use of this object is an AttributeError, not a NULL in C.
            del self._handle
            native.rope_destroy(handle)

    def __copy__(self) -> Rope:
        return self

    def __deepcopy__(self, memo: Any) -> Rope:
        return self

    def __reduce__(self) -> Any:
        return _made_of, (type(self), self.options)

    def __repr__(self) -> str:
        return f"Rope({', '.join(f'{name}={value!r}' for name, value in self.options.items())})"

    @property
    def options(self) -> dict[str, Any]:
        """The options that the rope was made from, as Rope(**options) takes them."""
        found: dict[str, Any] = json.loads(native.text(native.rope_options, self._handle))
        return found

    @property
    def head_dim(self) -> int:
        """D, channels of a head."""
        return int(native.rope_head_dim(self._handle))

    @property
    def rotary_dim(self) -> int:
        """d, channels that rotate."""
        return int(native.rope_rotary_dim(self._handle))

    @property
    def rotary_offset(self) -> int:
        """First of them."""
        return int(native.rope_rotary_offset(self._handle))

    @property
    def axes(self) -> int:
        """Number of position axes."""
        return int(native.rope_axes(self._handle))

    @property
    def magnitude(self) -> float:
        """Multiplies cos and sin."""
        return float(native.rope_magnitude(self._handle))

    @property
    def pairing(self) -> str:
        """ "interleaved": channels (2j, 2j+1) are a pair; "half": (j, j + d/2)."""
        return ("interleaved", "half")[native.rope_pairing(self._handle)]

    @property
    def frequencies(self) -> NDArray[numpy.float64]:
        """theta_j in radians per position, float64. A copy."""
        count = ctypes.c_size_t()
        pointer = native.rope_frequencies(self._handle, ctypes.byref(count))
        return numpy.ctypeslib.as_array(pointer, (count.value,)).copy()

    def rotate(self, x: Array, positions: ArrayLike = 0, *, layout: str = "bshd", out: Array | None = None,
               role: str = "query", cumulative_lengths: ArrayLike | None = None, dtype: str | None = None) -> Array:
        """x rotated: [batch, sequence, heads, head_dim] with layout "bshd", [batch, heads, sequence, head_dim] with
        "bhsd", [tokens, heads, head_dim] with "thd".

        `positions` is the position of the first token, or one for each token, [sequence] or [batch * sequence].
        `cumulative_lengths` says where packed sequences begin ("thd"). `out=x` rotates in place. `role`, "query" or
        "key", matters to xPos alone. `dtype="bfloat16"` is for uint16 arrays of bfloat16 patterns.
        """
        return self._one(native.rotate, x, positions, layout, out, role, cumulative_lengths, dtype)

    def unrotate(self, x: Array, positions: ArrayLike = 0, *, layout: str = "bshd", out: Array | None = None,
                 role: str = "query", cumulative_lengths: ArrayLike | None = None, dtype: str | None = None) -> Array:
        """The inverse of rotate, also where the magnitude is not 1."""
        return self._one(native.unrotate, x, positions, layout, out, role, cumulative_lengths, dtype)

    def rerotate(self, x: Array, positions: ArrayLike = 0, *, to_positions: ArrayLike, to_rope: Rope | None = None,
                 layout: str = "bshd", out: Array | None = None, role: str = "key",
                 cumulative_lengths: ArrayLike | None = None, dtype: str | None = None) -> Array:
        """x, which this rope rotated at `positions`, as if `to_rope` (this one unless given) had rotated it at
        `to_positions`. For cached keys: moving them, or changing the rule."""
        target, keep = _arrays.positions_of(to_positions)
        if not isinstance(to_rope, (Rope, type(None))):
            raise TypeError(f"`to_rope` is {type(to_rope).__name__}; allowed: a Rope, or None")
        made = self._one(native.rerotate, x, positions, layout, out, role, cumulative_lengths, dtype,
                         None if to_rope is None else to_rope._handle, ctypes.byref(target))
        del keep
        return made

    def rotate_qk(self, q: Array, k: Array, positions: ArrayLike = 0, *, layout: str = "bshd",
                  out: Sequence[Array | None] | None = None, cumulative_lengths: ArrayLike | None = None,
                  dtype: str | None = None) -> tuple[Array, Array]:
        """(q, k) rotated at the same positions. k may have fewer heads. `out` is a pair of arrays, or None."""
        out_q, out_k = out or (None, None)
        arrays: list[Any] = []
        results: list[_Result] = []
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

    def table(self, positions: ArrayLike) -> tuple[Floats, Floats]:
        """(cos, sin) of m * theta_j times the magnitude, float32, [positions, pairs] each. With several axes `positions`
        is [axes, positions]."""
        array = numpy.atleast_1d(_arrays.numbers("positions", positions))
        width = native.rope_width(self._handle)
        rows = array.shape[-1] if array.ndim > 1 else array.size
        cos, sin = (numpy.empty((rows, width), numpy.float32) for _ in range(2))
        native.table(self._handle, array.ctypes.data_as(_library.c_double_p), array.size,
                                    _arrays.address(cos), _arrays.address(sin), cos.size)
        return cos, sin

    def explain(self, context: float | None = None) -> str:
        """Explains how the rule changed each pair, in a few lines. `context`: names the pairs that never turn once in it."""
        return native.text(native.rope_explain, self._handle, _arrays.number("context", context, 0))

    def _placement(self, shape: tuple[int, int, int], positions: Any, layout: str, role: str,
                   cumulative_lengths: Any) -> tuple[Any, Any]:
        """A placement, and the arrays it points to."""
        where, values = _arrays.positions_of(positions)
        lengths, count, kept = _arrays.lengths_of(cumulative_lengths)
        batch, sequence, heads = shape
        placement = _library.Placement(batch=batch, sequence=sequence, heads=heads,
                                       layout=_arrays.choice("layout", layout, _arrays.LAYOUTS),
                                       role=_arrays.choice("role", role, _arrays.ROLES), positions=where,
                                       cumulative_lengths=lengths, cumulative_count=count)
        return placement, (values, kept)

    def _one(self, function: Any, x: Any, positions: Any, layout: str, out: Any, role: str, cumulative_lengths: Any,
             dtype: str | None, *more: Any) -> Array:
        dense = _arrays.dense(_arrays.checked("x", x))
        number = _arrays.dtype_of("x", dense, dtype)
        placement, keep = self._placement(_arrays.shape_of("x", dense, layout), positions, layout, role, cumulative_lengths)
        result = _Result("out", out, x, dense)
        function(self._handle, _arrays.address(dense), _arrays.address(result.array), dense.size, number,
                 ctypes.byref(placement), *more)
        del keep
        made: Array = result.done()
        return made


class _Result:
    """The array that a call writes: `out` itself if it is dense, otherwise a dense one that done() copies to it."""

    def __init__(self, name: str, out: Any, x: Any, dense: Any) -> None:
        self._out = _arrays.output(name, out, x)
        if self._out.flags.c_contiguous:
            # A view of x's memory that is not x would be read and written at once.
            overlaps = self._out is not x and numpy.shares_memory(self._out, dense)
            if overlaps and _arrays.address(self._out) != _arrays.address(dense):
                raise ValueError(f"`{name}` overlaps the array that is rotated; allowed: the same array, or another")
            self.array = self._out
        else:
            self.array = numpy.empty(x.shape, x.dtype)

    def done(self) -> Any:
        if self.array is not self._out:
            self._out[...] = self.array
        return self._out


def from_config(config: Config, sequence_length: float | None = None, layer_type: str | None = None,
                pairing: str | None = None) -> Rope:
    """Rope.from_config."""
    return Rope.from_config(config, sequence_length, layer_type, pairing)


def explain(config: Config, sequence_length: float | None = None, layer_type: str | None = None,
            pairing: str | None = None, context: float | None = None) -> str:
    """Explains how a configuration's rule changes each pair, in a few lines."""
    return from_config(config, sequence_length, layer_type, pairing).explain(context)


def _given(x: Any, angles: Any, pairing: str) -> tuple[Any, Any, _library.GivenAngles]:
    """x and angles in C order, and their shape."""
    dense = _arrays.dense(_arrays.checked("x", x))
    if dense.ndim != 4 or dense.dtype != numpy.float32:
        raise ValueError(f"`x` has shape {x.shape} and elements of {x.dtype}; allowed: float32 [batch, sequence, heads, "
                         "head_dim]")
    radians = _arrays.numbers("angles", angles)
    batch, sequence, heads, dimension = dense.shape
    if radians.ndim != 4 or radians.shape[:3] not in ((batch, sequence, heads), (batch, sequence, 1)):
        raise ValueError(f"`angles` has shape {radians.shape}; allowed: [{batch}, {sequence}, {heads} or 1, pairs]")
    shape = _library.GivenAngles(batch=batch, sequence=sequence, heads=heads, dimension=dimension,
                                 pairs=radians.shape[3],
                                 pairing=_arrays.choice("pairing", pairing, _arrays.PAIRINGS))
    return dense, radians, shape


def rotate_by(x: Array, angles: ArrayLike, *, pairing: str = "interleaved", out: Array | None = None) -> Array:
    """x, float32 [batch, sequence, heads, head_dim], with its first 2 * pairs channels rotated by `angles`, [batch,
    sequence, heads or 1, pairs] in radians: for encodings whose angles are not position times frequency. `out=x` rotates
    in place."""
    dense, radians, shape = _given(x, angles, pairing)
    result = _Result("out", out, x, dense)
    native.rotate_by(_arrays.address(dense), _arrays.address(result.array), dense.size, _arrays.address(radians),
                     radians.size, ctypes.byref(shape))
    made: Array = result.done()
    return made


def rotate_by_gradient(x: Array, angles: ArrayLike, grad_y: Array, *,
                       pairing: str = "interleaved") -> tuple[Floats, NDArray[numpy.float64]]:
    """The gradients (grad_x, grad_angles) of rotate_by from grad_y = dL/dy, of the shapes of x and angles. Angles that
    heads share have the sum over these heads."""
    dense, radians, shape = _given(x, angles, pairing)
    given = _arrays.dense(_arrays.checked("grad_y", grad_y))
    if given.shape != dense.shape or given.dtype != dense.dtype:
        raise ValueError(f"`grad_y` has shape {given.shape} and elements of {given.dtype}; allowed: those of x, "
                         f"{dense.shape} and {dense.dtype}")
    grad_x, grad_angles = numpy.empty_like(dense), numpy.empty_like(radians)
    native.rotate_by_gradient(_arrays.address(dense), _arrays.address(given), _arrays.address(grad_x), dense.size,
                              _arrays.address(radians), _arrays.address(grad_angles), radians.size,
                              ctypes.byref(shape))
    return grad_x, grad_angles


def convert_pairing(weight: Array, *, source: str, target: str, heads: int, head_dim: int,
                    rotary_dim: int | None = None, rotary_offset: int = 0, out: Array | None = None,
                    dtype: str | None = None) -> Array:
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
    made: Array = result.done()
    return made


def architecture() -> str:
    """The instruction set in use: "avx512", "avx2" or "sse2"."""
    name: bytes = native.architecture()
    return name.decode()


def use_architecture(name: str) -> None:
    """Uses this instruction set from now on, in the whole process."""
    native.use_architecture(name.encode())
