"""NumPy arrays as the arguments of ropewalk.h."""

from __future__ import annotations

from typing import Any

import numpy
import numpy.typing

from . import _library

Array = Any  # of NumPy, with elements of any of the types below

FLOAT32, FLOAT16, BFLOAT16 = 0, 1, 2
BSHD, BHSD, THD, STRIDED = 0, 1, 2, 3
LAYOUTS = {"bshd": BSHD, "bhsd": BHSD, "thd": THD}
ROLES = {"query": 0, "key": 1}
PAIRINGS = {"interleaved": 0, "half": 1}


def choice(name: str, value: Any, choices: dict[str, int]) -> int:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"`{name}` is {value!r}; allowed: {', '.join(map(repr, choices))}")
    return choices[value]


def number(name: str, value: Any, missing: float) -> float:
    """A number, or `missing` for None. NumPy's numbers have other types than Python's."""
    if value is None:
        return missing
    if isinstance(value, (int, float, numpy.integer, numpy.floating)) and not isinstance(value, bool):
        return float(value)
    raise TypeError(f"`{name}` is {value!r:.80}; allowed: a number")


def dtype_of(name: str, array: Array, dtype: str | None) -> int:
    """The number of the element type. bfloat16, which NumPy has not, travels as uint16."""
    if dtype not in (None, "float32", "float16", "bfloat16"):
        raise ValueError(f"`dtype` is {dtype!r}; allowed: 'float32', 'float16' or 'bfloat16'")
    if array.dtype == numpy.float32 and dtype in (None, "float32"):
        return FLOAT32
    if array.dtype == numpy.float16 and dtype in (None, "float16"):
        return FLOAT16
    if array.dtype == numpy.uint16 and dtype == "bfloat16":
        return BFLOAT16
    raise TypeError(f"`{name}` has elements of {array.dtype}; allowed: float32, float16, or uint16 with dtype='bfloat16'")


def checked(name: str, array: Array) -> Array:
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"`{name}` is {type(array).__name__}; allowed: a NumPy array")
    if not array.dtype.isnative:
        raise TypeError(f"`{name}` has elements in foreign byte order; allowed: native byte order")
    return array


def output(name: str, out: Array | None, x: Array) -> Array:
    """An array for the result: `out` if it is given, else a new one."""
    if out is None:
        return numpy.empty(x.shape, x.dtype)
    checked(name, out)
    if out.shape != x.shape or out.dtype != x.dtype:
        raise ValueError(f"`{name}` has shape {out.shape} and elements of {out.dtype}; allowed: {x.shape} and {x.dtype}")
    if not out.flags.writeable:
        raise ValueError(f"`{name}` is read-only; allowed: a writeable array")
    return out


def dense(array: Array) -> Array:
    """The array itself, or a copy in C order if it is a view with other strides."""
    return array if array.flags.c_contiguous else numpy.ascontiguousarray(array)


def address(array: Array) -> int:
    return int(array.ctypes.data)


def numbers(name: str, values: Any) -> numpy.typing.NDArray[numpy.float64]:
    """float64, in C order. A text or a truth value is no number, though NumPy would make one of it."""
    array = numpy.asarray(values)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"`{name}` has elements of {array.dtype}; allowed: numbers")
    return numpy.ascontiguousarray(array, dtype=numpy.float64)


def positions_of(values: Any) -> tuple[_library.Positions, Array]:
    """A struct of positions, and the array that it points to, which must live as long."""
    is_start = numpy.ndim(values) == 0
    array = numbers("positions", values)
    if is_start:
        return _library.Positions(start=float(array.reshape(()))), None
    pointer = array.ctypes.data_as(_library.c_double_p)
    return _library.Positions(values=pointer, count=array.size), array


def lengths_of(values: Any) -> tuple[Any, int, Array]:
    """A pointer to cumulative lengths, their number, and the array that must live as long."""
    if values is None:
        return None, 0, None
    array = numpy.ascontiguousarray(values)
    if array.dtype.kind not in "iu" or (array.size and array.min() < 0):
        raise TypeError("`cumulative_lengths` must be whole numbers of at least 0")
    array = array.astype(numpy.uintp)
    return array.ctypes.data_as(_library.c_size_p), array.size, array


def shape_of(name: str, array: Array, layout: str) -> tuple[int, int, int]:
    """(batch, sequence, heads) of an array in this layout."""
    choice("layout", layout, LAYOUTS)
    axes = 3 if layout == "thd" else 4
    if array.ndim != axes:
        names = {"bshd": "batch, sequence, heads, head_dim", "bhsd": "batch, heads, sequence, head_dim",
                 "thd": "tokens, heads, head_dim"}
        raise ValueError(f"`{name}` has {array.ndim} axes; allowed with layout {layout!r}: {axes} ({names[layout]})")
    if layout == "thd":
        return 1, array.shape[0], array.shape[1]
    sequence, heads = (1, 2) if layout == "bshd" else (2, 1)
    return array.shape[0], array.shape[sequence], array.shape[heads]
