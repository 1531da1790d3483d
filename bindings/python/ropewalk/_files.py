"""The files of a model: a folder as Hugging Face publishes it, or one GGUF file. Weights are memory maps."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import pathlib
from collections.abc import Sequence
from typing import Any

import numpy

from . import _library

PRECISIONS = {"float32": 0, "int8": 1}
WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"

Json = dict[str, Any]


def refuse(function: str, argument: str, value: object, allowed: str) -> ValueError:
    return ValueError(f"{function}: `{argument}` is {value!r:.80}; allowed: {allowed}")


def whole(function: str, argument: str, value: object, least: int = 0) -> int:
    if isinstance(value, (int, numpy.integer)) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise refuse(function, argument, value, f"a whole number of at least {least}")


def text(function: str, argument: str, value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"{function}: `{argument}` is {value!r:.80}; allowed: a text")


def texts(function: str, argument: str, values: object) -> list[str]:
    if isinstance(values, str) or not isinstance(values, (Sequence, numpy.ndarray)):
        raise TypeError(f"{function}: `{argument}` is {type(values).__name__}; allowed: a list of texts")
    return [text(function, f"{argument}[{i}]", each) for i, each in enumerate(values)]


class ModelFiles:
    """The files of one model."""

    def __init__(self, function: str, path: str | os.PathLike[str]):
        self.function = function
        given = pathlib.Path(path)
        if not given.exists():
            name = str(path)
            is_repository = name.count("/") == 1 and not name.startswith((".", "/", "~")) and not name.endswith("/")
            hint = f"; for a repository of the hub give what huggingface_hub.snapshot_download({name!r}) returns"
            raise FileNotFoundError(
                f"{function}: there is no {given}; allowed: a model's folder, or a file in GGUF{hint if is_repository else ''}"
            )
        self.gguf = given if given.suffix.lower() == ".gguf" else None
        if self.gguf is None and not given.is_dir():
            raise refuse(function, "path", str(path), "a model's folder, or a file that ends in .gguf")
        self.folder = given.parent if self.gguf else given

    def within(self, name: object) -> str:
        """The name of another file, as a file of the model has it. It may not lead out of the folder."""
        path = pathlib.PurePosixPath(name) if isinstance(name, str) else None
        if path is None or path.is_absolute() or ".." in path.parts or "\\" in str(name):
            raise ValueError(f"{self.function}: a file of {self.folder} names {name!r:.80}, which is not within the folder")
        return str(name)

    def read(self, name: str) -> bytes | None:
        """None for a file that does not exist."""
        try:
            return (self.folder / self.within(name)).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def needed(self, name: str) -> bytes:
        found = self.read(name)
        if found is None:
            raise FileNotFoundError(f"{self.function}: there is no {name} in {self.folder}")
        return found

    def json(self, name: str, kind: type = dict) -> Any:
        found = self.read(name)
        if found is None:
            return None
        try:
            value = json.loads(found)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{self.function}: {name} is not JSON, or nested too deeply: {error}") from error
        if not isinstance(value, kind):
            raise ValueError(f"{self.function}: {name} holds no JSON {'object' if kind is dict else 'array'}")
        return value

    def weights(self, folder: str) -> list[str]:
        """Names of the files of weights."""
        if self.gguf:
            return [self.gguf.name]
        if (self.folder / folder / WEIGHTS).exists():
            return [folder + WEIGHTS]
        index = self.json(folder + INDEX)
        if index is None:
            raise FileNotFoundError(
                f"{self.function}: there is neither {folder}{WEIGHTS} nor {folder}{INDEX} in {self.folder}"
            )
        named = index.get("weight_map")
        if not isinstance(named, dict) or not named:
            raise ValueError(f"{self.function}: {INDEX} names no file")
        return sorted({folder + self.within(name) for name in named.values()})


class Bytes:
    """Files as ropewalk_models.h takes them. What they hold stays until this object goes."""

    def __init__(self) -> None:
        self._kept: list[object] = []
        self._files: list[_library.File] = []

    def add(self, name: str, contents: bytes | numpy.ndarray) -> None:
        data = contents if isinstance(contents, numpy.ndarray) else numpy.frombuffer(contents, numpy.uint8)
        encoded = name.encode()
        self._kept += [data, encoded]
        self._files.append(_library.File(name=encoded, bytes=data.ctypes.data, size=data.size))

    def map(self, name: str, path: pathlib.Path) -> None:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                return self.add(name, b"")
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.add(name, numpy.frombuffer(mapped, numpy.uint8))

    @property
    def arguments(self) -> tuple[Any, int]:
        return (_library.File * len(self._files))(*self._files), len(self._files)


def make(function: str, create: Any, files: ModelFiles, config: bytes | None, folder: str, options: Any) -> Any:
    """The handle of a model."""
    weights = Bytes()
    for name in files.weights(folder):
        path = files.folder / name
        if not path.exists():
            raise FileNotFoundError(f"{function}: there is no {name}, which {INDEX} names, in {files.folder}")
        weights.map(name, path)
    handle = ctypes.c_void_p()
    size = 0 if config is None else len(config)
    create(config, size, *weights.arguments, ctypes.byref(options), ctypes.byref(handle))
    return handle


def model_options(function: str, precision: object, threads: object, context: int = 0) -> Any:
    if precision not in PRECISIONS:
        raise refuse(function, "precision", precision, "'float32' or 'int8'")
    count = whole(function, "threads", threads, 1)
    return _library.ModelOptions(precision=PRECISIONS[str(precision)], threads=count, context=context)


def int32(function: str, argument: str, values: Any) -> numpy.ndarray:
    """Token ids and the like, in C order."""
    array = numpy.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{function}: `{argument}` has elements of {array.dtype}; allowed: whole numbers")
    if array.size and (array.min() < -(2**31) or array.max() >= 2**31):
        raise refuse(function, argument, int(abs(array).max()), "ids of 32 bits")
    return numpy.ascontiguousarray(array, numpy.int32)


def copied(pointer: Any, count: int) -> numpy.ndarray:
    """float32 values of the library, which may change them with its next call."""
    if count == 0:
        return numpy.empty(0, numpy.float32)
    return numpy.ctypeslib.as_array(pointer, (count,)).copy()
