"""Causal decoders: their caches, and generating text."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy

from . import _files, _library, _text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from tokenizers import Tokenizer

    Floats = NDArray[numpy.float32]

native = _library.library

KEYS = {None: 0, "rotated": 1, "raw": 2}
TYPES = {"float32": 0, "float16": 1, "int8": 2}


class Token(NamedTuple):
    """A token that was generated."""

    id: int
    #: The text that it completes: "" within a character, and where the model has no tokenizer.
    text: str
    #: Natural logarithm of its probability under the model, before the options of sampling.
    log_probability: float


def _sampling(function: str, temperature: float, top_k: int, top_p: float, min_p: float, repetition_penalty: float,
              repetition_window: int, seed: int) -> Any:
    numbers = {"temperature": temperature, "top_p": top_p, "min_p": min_p, "repetition_penalty": repetition_penalty}
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, numpy.number)):
            raise TypeError(f"{function}: `{name}` is {value!r}; allowed: a number")
    counts = {"top_k": top_k, "repetition_window": repetition_window, "seed": seed}
    for name, value in counts.items():
        _files.whole(function, name, value)
    if seed >= 2**64:
        raise _files.refuse(function, "seed", seed, "0 to 2^64 - 1")
    return _library.Sampling(**{name: float(value) for name, value in numbers.items()}, **counts)


class KeyCache:
    """Keys and values of the tokens that were fed to a decoder. `Decoder.cache` makes it.

    They stand at positions 0 to len(cache) - 1. After an error a cache is as it was before. It can be used on when its
    decoder is gone.
    """

    def __init__(self, handle: Any, lock: Any) -> None:
        self._handle, self._lock = handle, lock

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            del self._handle
            native.cache_destroy(handle)

    def __len__(self) -> int:
        return int(native.cache_tokens(self._handle, None))

    @property
    def tokens(self) -> NDArray[numpy.int32]:
        """Ids of the tokens held. A copy."""
        ids = _library.c_int32_p()
        with self._lock:
            count = native.cache_tokens(self._handle, ctypes.byref(ids))
            return numpy.ctypeslib.as_array(ids, (count,)).copy() if count else numpy.empty(0, numpy.int32)

    def feed(self, ids: ArrayLike, *, all: bool = False) -> Floats:
        """Appends tokens; returns the logits of the last one, [vocabulary], or of all, [tokens, vocabulary]."""
        found: Floats = self._feed("feed", ids, all)
        return found

    def _feed(self, function: str, ids: ArrayLike, all_rows: bool = False, wanted: bool = True) -> Any:
        given = _files.int32(function, "ids", ids)
        if given.ndim != 1:
            raise _files.refuse(function, "ids.shape", given.shape, "one axis")
        logits, size = _library.c_float_p(), ctypes.c_size_t()
        with self._lock:
            native.cache_feed(self._handle, given.ctypes.data, given.size, int(all_rows), ctypes.byref(logits),
                              ctypes.byref(size))
            if not wanted:
                return None
            found = _files.copied(logits, size.value)
        return found.reshape(given.size, -1) if all_rows else found

    def trim(self, length: int) -> None:
        """Keeps the first `length` tokens."""
        with self._lock:
            native.cache_trim(self._handle, _files.whole("trim", "length", length))

    def drop(self, first: int, end: int) -> None:
        """Forgets tokens `first` to `end` - 1. Those behind are rotated to the positions that are free."""
        first, end = _files.whole("drop", "first", first), _files.whole("drop", "end", end)
        with self._lock:
            native.cache_drop(self._handle, first, end)

    def fork(self) -> KeyCache:
        """A copy, which shares memory until one of both changes."""
        handle = ctypes.c_void_p()
        with self._lock:
            native.cache_fork(self._handle, ctypes.byref(handle))
        return KeyCache(handle, self._lock)

    def save(self) -> bytes:
        """All of it, for `Decoder.restore` of the same model and precision."""
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        with self._lock:
            native.cache_save(self._handle, ctypes.byref(data), ctypes.byref(size))
        try:
            return ctypes.string_at(data, size.value)
        finally:
            native.free(data)

    def sample(self, *, temperature: float = 0, top_k: int = 0, top_p: float = 1, min_p: float = 0,
               repetition_penalty: float = 1, repetition_window: int = 64, seed: int = 0, drawn: int = 0
               ) -> tuple[int, float]:
        """A token from the logits of the last feed, and the logarithm of its probability under the model.

        `drawn` counts the tokens of this text that were drawn before: it chooses the random number of the seed.
        """
        options = _sampling("sample", temperature, top_k, top_p, min_p, repetition_penalty, repetition_window, seed)
        options.drawn = _files.whole("sample", "drawn", drawn)
        return self._sample(options)

    def _sample(self, options: Any) -> tuple[int, float]:
        token, log_probability = ctypes.c_int32(), ctypes.c_double()
        with self._lock:
            native.cache_sample(self._handle, ctypes.byref(options), ctypes.byref(token), ctypes.byref(log_probability))
        return token.value, log_probability.value


class Generation(Iterator[Token]):
    """Tokens as they are generated. Iterate, or take the whole `text()`."""

    def __init__(self, tokens: Iterator[tuple[Token, str | None]]) -> None:
        self._tokens = tokens
        #: None until the end: "eos", "stop" (a text of `stop` was met), "length" (`max_tokens`) or "context".
        self.finish_reason: str | None = None

    def __next__(self) -> Token:
        try:
            token, self.finish_reason = next(self._tokens)
        except StopIteration:
            # No token was asked for.
            self.finish_reason = self.finish_reason or "length"
            raise
        return token

    def text(self) -> str:
        """Runs to the end; the text of all tokens that are left."""
        return "".join(token.text for token in self)


def _eos(function: str, name: str, file: _files.Json | None) -> list[int] | None:
    """`eos_token_id` is a number, a list, or missing."""
    given = (file or {}).get("eos_token_id")
    if given is None:
        return None
    ids = given if isinstance(given, list) else [given]
    if not all(isinstance(each, int) and not isinstance(each, bool) for each in ids):
        raise _files.refuse(function, f"eos_token_id of {name}", given, "a token id or a list of them")
    return ids


class Decoder:
    """A causal language model with its weights.

    Decoder("SmolLM2-135M", precision="int8").generate("The sailor ties", max_tokens=20).text()

    path: a folder with config.json (or Meta's params.json), model.safetensors or its shards and tokenizer.json, or a GGUF
        file, beside which a tokenizer.json may lie.
    precision, threads, tokenizer: those of `Encoder`.
    context: capacity of each cache in tokens. Default: the smaller of 2048 and the model's own limit.

    Threads may share a decoder and its caches: a second call waits for the first.
    """

    def __init__(self, path: str | os.PathLike[str], *, precision: str = "float32", threads: int = 1,
                 context: int | None = None, tokenizer: Tokenizer | None = None) -> None:
        function = "Decoder"
        self._handle: Any = None
        self._given: tuple[str, dict[str, Any]] = (
            os.path.abspath(os.fspath(path)),
            {"precision": precision, "threads": threads, "context": context, "tokenizer": tokenizer})
        size = 0 if context is None else _files.whole(function, "context", context, 1)
        options = _files.model_options(function, precision, threads, size)
        files = _files.ModelFiles(function, path)
        config = None if files.gguf else files.read("config.json") or files.read("params.json")
        if config is None and not files.gguf:
            files.needed("config.json")
        self._tokenizer = _text.load(files, "", tokenizer)
        self._handle = _files.make(function, native.decoder_create, files, config, "", options)
        self._lock = threading.Lock()
        facts = json.loads(native.text(native.decoder_facts, self._handle))
        #: config.json, or the metadata of a GGUF file without long arrays.
        self.config: _files.Json = facts["config"]
        #: Number of tokens that the model knows.
        self.vocabulary: int = facts["vocabulary"]
        #: Capacity of each cache in tokens.
        self.context: int = facts["context"]
        #: Elements of all parameters.
        self.parameter_count: int = facts["parameters"]
        self.precision: str = facts["precision"]
        #: One sentence for each thing that is not used, and for each assumption.
        self.notes: list[str] = facts["notes"]
        generation = _eos(function, "generation_config.json", files.json("generation_config.json"))
        own = {"eos_token_id": self.config.get("tokenizer.ggml.eos_token_id")} if files.gguf else self.config
        found = _eos(function, "config.json", own) if generation is None else generation
        #: Ids that end a text.
        self.eos: frozenset[int] = frozenset(found or [])

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            del self._handle
            native.decoder_destroy(handle)

    def __reduce__(self) -> Any:
        path, options = self._given
        return functools.partial(type(self), **options), (path,)

    def __repr__(self) -> str:
        return f"Decoder({self._given[0]!r}, precision={self.precision!r}, context={self.context})"

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        """Token ids of a text."""
        tokenizer = _text.needed("encode", self._tokenizer)
        ids: list[int] = tokenizer.encode(_files.text("encode", "text", text), add_special_tokens=add_special_tokens).ids
        return ids

    def decode(self, ids: ArrayLike, *, skip_special_tokens: bool = False) -> str:
        """The text of token ids."""
        tokenizer = _text.needed("decode", self._tokenizer)
        text: str = tokenizer.decode(_files.int32("decode", "ids", ids).tolist(),
                                     skip_special_tokens=skip_special_tokens)
        return text

    def cache(self, *, keys: str | None = None, dtype: str = "float32") -> KeyCache:
        """An empty cache.

        keys: "rotated" keeps keys as they were first rotated, "raw" without rotation; as suits the model unless given.
        dtype: "float32", "float16" or "int8".
        """
        if keys not in KEYS:
            raise _files.refuse("cache", "keys", keys, "'rotated', 'raw' or None")
        if dtype not in TYPES:
            raise _files.refuse("cache", "dtype", dtype, ", ".join(map(repr, TYPES)))
        handle = ctypes.c_void_p()
        options = _library.CacheOptions(keys=KEYS[keys], type=TYPES[dtype])
        with self._lock:
            native.cache_create(self._handle, ctypes.byref(options), ctypes.byref(handle))
        return KeyCache(handle, self._lock)

    def restore(self, saved: bytes) -> KeyCache:
        """What `KeyCache.save` wrote."""
        if not isinstance(saved, bytes):
            raise TypeError(f"restore: `saved` is {type(saved).__name__}; allowed: bytes")
        handle = ctypes.c_void_p()
        with self._lock:
            native.cache_restore(self._handle, saved, len(saved), ctypes.byref(handle))
        return KeyCache(handle, self._lock)

    def generate(self, prompt: str | ArrayLike, *, max_tokens: int | None = None, stop: Sequence[str] = (),
                 temperature: float = 0, top_k: int = 0, top_p: float = 1, min_p: float = 0,
                 repetition_penalty: float = 1, repetition_window: int = 64, seed: int = 0,
                 cache: KeyCache | None = None, add_special_tokens: bool | None = None) -> Generation:
        """Generates text behind a prompt, a text or ids. An id of `eos` ends it and is yielded as the last token.

        max_tokens: tokens at most; as many as fit into the context unless given. stop: texts that end it, which are not
        part of it. temperature: 0 takes the likeliest token. top_k, top_p, min_p, repetition_penalty, repetition_window,
        seed: as `docs/decoders.md` describes; the same seed gives the same tokens,
        with int8 on every machine.
        cache: its tokens come before the prompt, and it holds the whole text afterwards.
        add_special_tokens: of a prompt that is text. Default: True where the cache holds nothing.
        """
        function = "generate"
        options = _sampling(function, temperature, top_k, top_p, min_p, repetition_penalty, repetition_window, seed)
        most = None if max_tokens is None else _files.whole(function, "max_tokens", max_tokens)
        stops = _files.texts(function, "stop", stop)
        if "" in stops:
            raise _files.refuse(function, "stop", "", "texts that are not empty")
        if stops:
            _text.needed(function, self._tokenizer)
        if cache is not None and not (isinstance(cache, KeyCache) and cache._lock is self._lock):
            raise TypeError(f"{function}: `cache` is {cache!r:.80}; allowed: a cache of this decoder")
        held = self.cache() if cache is None else cache
        if isinstance(prompt, str):
            special = len(held) == 0 if add_special_tokens is None else add_special_tokens
            ids = numpy.array(self.encode(prompt, add_special_tokens=special), numpy.int32)
        else:
            ids = _files.int32(function, "prompt", prompt)
        if len(held) + ids.size > self.context:
            raise ValueError(f"{function}: the prompt is {ids.size} tokens, and the cache holds {len(held)} before it; "
                             f"allowed: at most `context` = {self.context} in all")
        return Generation(self._generated(held, ids, options, most, stops))

    def _generated(self, cache: KeyCache, ids: Any, options: Any, most: int | None, stops: list[str]
                   ) -> Iterator[tuple[Token, str | None]]:
        """Tokens, and with the last one why it is the last."""
        # An empty prompt continues where the cache ends.
        if ids.size or len(cache) == 0:
            cache._feed("generate", ids, wanted=False)
        if most == 0:
            return
        stream = _text.TextStream(self._tokenizer, cache.tokens.tolist(), stops)
        for count in range(1, self.context + 2):
            options.drawn = count - 1
            token, log_probability = cache._sample(options)
            if token in self.eos:
                yield Token(token, stream.end(), log_probability), "eos"
                return
            text = stream.push(token)
            reason = ("stop" if stream.stopped else "length" if count == most
                      else "context" if len(cache) >= self.context else None)
            if reason is not None:
                yield Token(token, text + stream.end(), log_probability), reason
                return
            yield Token(token, text, log_probability), None
            cache._feed("generate", [token], wanted=False)
