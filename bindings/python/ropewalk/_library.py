"""The shared library: where it is, the types of its functions, and its errors. The functions are those of ropewalk.h and
ropewalk_models.h."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
import sys
from typing import Any

ABI_VERSION = 1

c_size_p = ctypes.POINTER(ctypes.c_size_t)
c_double_p = ctypes.POINTER(ctypes.c_double)
c_text_p = ctypes.POINTER(ctypes.c_void_p)


class Positions(ctypes.Structure):
    _fields_ = [("start", ctypes.c_double), ("values", c_double_p), ("count", ctypes.c_size_t)]


class Strides(ctypes.Structure):
    _fields_ = [("batch", ctypes.c_ssize_t), ("sequence", ctypes.c_ssize_t), ("head", ctypes.c_ssize_t)]


class _Sized(ctypes.Structure):
    """A struct that begins with its own size."""

    def __init__(self, **members: Any) -> None:
        super().__init__(struct_size=ctypes.sizeof(self), **members)


def _fields(kind: Any, names: str) -> list[tuple[str, Any]]:
    return [(name, kind) for name in names.split()]


_size, _int, _double = ctypes.c_size_t, ctypes.c_int32, ctypes.c_double


class Placement(_Sized):
    _fields_ = [
        *_fields(_size, "struct_size batch sequence heads kv_heads"),
        *_fields(_int, "layout role"),
        *_fields(Strides, "strides key_strides"),
        ("positions", Positions),
        ("cumulative_lengths", c_size_p),
        ("cumulative_count", _size),
    ]


class ConfigOptions(_Sized):
    _fields_ = [("struct_size", _size), ("sequence_length", _double), *_fields(ctypes.c_char_p, "layer_type pairing")]


class Conversion(_Sized):
    _fields_ = [
        ("struct_size", _size),
        *_fields(_int, "source target"),
        *_fields(_size, "heads head_dim rotary_dim rotary_offset columns"),
    ]


class GivenAngles(_Sized):
    _fields_ = [*_fields(_size, "struct_size batch sequence heads dimension pairs"), ("pairing", _int)]


class File(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("bytes", ctypes.c_void_p), ("size", _size)]


class ModelOptions(_Sized):
    _fields_ = [("struct_size", _size), *_fields(_int, "precision threads"), ("context", _size)]


class Batch(_Sized):
    _fields_ = [
        *_fields(_size, "struct_size batch sequence"),
        *_fields(ctypes.c_void_p, "input_ids token_type_ids attention_mask"),
    ]


class SentenceOptions(_Sized):
    _fields_ = [
        ("struct_size", _size),
        *_fields(_int, "pooling normalize"),
        *_fields(_size, "prompt_tokens dimensions"),
    ]


class CacheOptions(_Sized):
    _fields_ = [("struct_size", _size), *_fields(_int, "keys type")]


class Sampling(_Sized):
    _fields_ = [
        ("struct_size", _size),
        ("temperature", _double),
        ("top_k", _size),
        *_fields(_double, "top_p min_p repetition_penalty"),
        ("repetition_window", _size),
        *_fields(ctypes.c_uint64, "seed drawn"),
    ]


class _Error(ctypes.Structure):
    _fields_ = [("code", _int), *_fields(ctypes.c_char_p, "message function argument value allowed")]


class RopewalkError(ValueError):
    """A refused call. `code` is "range", "type", "out-of-memory", "malformed" or "unsupported"; `function`, `argument`,
    `value` and `allowed` are the parts of the message, "" where it has none."""

    CODES = {1: "range", 2: "type", 3: "out-of-memory", 4: "malformed", 5: "unsupported"}

    def __init__(self, error: Any) -> None:
        super().__init__(error.message.decode())
        self.code = self.CODES.get(error.code, str(error.code))
        self.function, self.argument, self.value, self.allowed = (
            text.decode() for text in (error.function, error.argument, error.value, error.allowed)
        )


_rope, _array, _status = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32
_placement, _angles = ctypes.POINTER(Placement), ctypes.POINTER(GivenAngles)
_model, _out = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
_files = ctypes.POINTER(File)
_make_model = [ctypes.c_char_p, _size, _files, _size, ctypes.POINTER(ModelOptions), _out]
c_float_p = ctypes.POINTER(ctypes.c_float)
c_int32_p = ctypes.POINTER(ctypes.c_int32)
_floats = ctypes.POINTER(c_float_p)

# name: (result, arguments)
_FUNCTIONS = {
    "abi_version": (ctypes.c_uint32, []),
    "version": (ctypes.c_char_p, []),
    "last_error": (None, [ctypes.POINTER(_Error)]),
    "free": (None, [ctypes.c_void_p]),
    "rope_create": (_status, [ctypes.c_char_p, _size, ctypes.POINTER(_rope)]),
    "rope_create_from_config": (_status, [ctypes.c_char_p, _size, ctypes.POINTER(ConfigOptions), ctypes.POINTER(_rope)]),
    "rope_destroy": (None, [_rope]),
    "rope_options": (_status, [_rope, c_text_p]),
    "rope_explain": (_status, [_rope, ctypes.c_double, c_text_p]),
    "rope_head_dim": (_size, [_rope]),
    "rope_rotary_dim": (_size, [_rope]),
    "rope_rotary_offset": (_size, [_rope]),
    "rope_pairing": (_int, [_rope]),
    "rope_axes": (_size, [_rope]),
    "rope_width": (_size, [_rope]),
    "rope_magnitude": (ctypes.c_double, [_rope]),
    "rope_frequencies": (c_double_p, [_rope, c_size_p]),
    "rotate": (_status, [_rope, _array, _array, _size, _int, _placement]),
    "unrotate": (_status, [_rope, _array, _array, _size, _int, _placement]),
    "rotate_qk": (_status, [_rope, _array, _array, _size, _array, _array, _size, _int, _placement]),
    "rerotate": (_status, [_rope, _array, _array, _size, _int, _placement, _rope, ctypes.POINTER(Positions)]),
    "table": (_status, [_rope, c_double_p, _size, _array, _array, _size]),
    "rotate_by": (_status, [_array, _array, _size, _array, _size, _angles]),
    "rotate_by_gradient": (_status, [_array, _array, _array, _size, _array, _array, _size, _angles]),
    "convert_pairing": (_status, [_array, _array, _size, _int, ctypes.POINTER(Conversion)]),
    "architecture": (ctypes.c_char_p, []),
    "use_architecture": (_status, [ctypes.c_char_p]),
    "encoder_create": (_status, _make_model),
    "encoder_destroy": (None, [_model]),
    "encoder_facts": (_status, [_model, c_text_p]),
    "encoder_metadata": (_status, [_model, c_text_p]),
    "sentence_files": (_status, [ctypes.c_char_p, _size, c_text_p]),
    "encoder_set_sentence": (_status, [_model, _files, _size]),
    "encoder_forward": (_status, [_model, ctypes.POINTER(Batch), ctypes.c_uint32, ctypes.POINTER(SentenceOptions)]),
    "encoder_outputs": (_status, [_model, c_text_p]),
    "encoder_output": (_status, [_model, ctypes.c_char_p, _int, _floats, c_size_p]),
    "decoder_create": (_status, _make_model),
    "decoder_destroy": (None, [_model]),
    "decoder_facts": (_status, [_model, c_text_p]),
    "cache_create": (_status, [_model, ctypes.POINTER(CacheOptions), _out]),
    "cache_destroy": (None, [_model]),
    "cache_tokens": (_size, [_model, ctypes.POINTER(c_int32_p)]),
    "cache_feed": (_status, [_model, _array, _size, _int, _floats, c_size_p]),
    "cache_trim": (_status, [_model, _size]),
    "cache_drop": (_status, [_model, _size, _size]),
    "cache_fork": (_status, [_model, _out]),
    "cache_save": (_status, [_model, _out, c_size_p]),
    "cache_restore": (_status, [_model, ctypes.c_char_p, _size, _out]),
    "cache_sample": (_status, [_model, ctypes.POINTER(Sampling), c_int32_p, c_double_p]),
}


def _names() -> list[str]:
    """Paths where the library may be, the likeliest first."""
    suffix = "libropewalk_c.1.dylib" if sys.platform == "darwin" else "libropewalk_c.so.1"
    given = os.environ.get("ROPEWALK_LIBRARY")
    if given:
        return [given]
    installed = ctypes.util.find_library("ropewalk_c")
    return [str(pathlib.Path(__file__).parent / suffix)] + ([installed] if installed else []) + [suffix]


def _load() -> ctypes.CDLL:
    reasons = []
    for name in _names():
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            reasons.append(str(error))
    raise ImportError("Ropewalk's shared library was not found: build it with `npm run build:c`, or set "
                      "ROPEWALK_LIBRARY to its path (" + "; ".join(reasons) + ")")


class Library:
    """The functions of ropewalk.h by their names without `ropewalk_`. A failure is a RopewalkError."""

    def __init__(self) -> None:
        library = _load()
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, f"ropewalk_{name}")
            function.restype, function.argtypes = result, arguments
            if result is _status and name != "rope_pairing":
                function.errcheck = self._check
            setattr(self, name, function)
        found = self.abi_version()
        if found != ABI_VERSION:
            raise ImportError(f"Ropewalk's shared library has ABI version {found}, and this package needs {ABI_VERSION}")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"ropewalk.h has no ropewalk_{name}")

    def _check(self, status: int, function: Any, arguments: Any) -> int:
        if status != 0:
            error = _Error()
            self.last_error(ctypes.byref(error))
            raise RopewalkError(error)
        return status

    def text(self, function: Any, *arguments: Any) -> str:
        """The text that a function gives away."""
        out = ctypes.c_void_p()
        function(*arguments, ctypes.byref(out))
        try:
            return ctypes.string_at(out).decode()
        finally:
            self.free(out)


library = Library()
