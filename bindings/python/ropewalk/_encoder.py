"""Encoders: sentence vectors, ranking, and every output of a forward pass."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy

from . import _files, _library, _text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from tokenizers import Tokenizer

    Floats = NDArray[numpy.float32]

native = _library.library

OUTPUTS = {"logits": 1, "hidden_states": 2, "attentions": 4, "rotated_qk": 8, "scores": 16, "contacts": 32}
SENTENCE = 64
POOLINGS = {"cls": 1, "max": 2, "mean": 3, "mean_sqrt_len": 4, "weightedmean": 5, "last": 6}
NORMALIZE = {None: 0, True: 1, False: 2}
OF_LAYERS = ("hidden_states", "attentions", "scores", "rotated_queries", "rotated_keys")
OF_SEQUENCES = ("pooled", "sentence_embedding", "class_logits", "relevance", "choice_logits", "contacts")
HEADS = {"masked_lm": "words", "sequence_classification": "classes", "token_classification": "token-classes",
         "span": "answers", "contact": "contacts"}
# By GGUF's pooling_type.
GGUF_POOLINGS = ("none", "mean", "cls", "lasttoken")

# Texts of the same length stand side by side, so many at most: their products are larger, and nothing is padded.
MOST_IN_GROUP = 32
TOKENS_IN_GROUP = 4096


class Ranked(NamedTuple):
    """A document of `Encoder.rank`."""

    index: int  # type: ignore[assignment]
    score: float


class _Encoded(NamedTuple):
    ids: list[int]
    types: list[int]
    mask: list[int]


def _groups(encoded: Sequence[_Encoded]) -> Iterator[list[int]]:
    """Indices of texts of the same length, the shortest first."""
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids))
    group: list[int] = []
    for i in order:
        length = len(encoded[i].ids)
        most = max(1, min(MOST_IN_GROUP, TOKENS_IN_GROUP // max(1, length)))
        if group and (len(encoded[group[0]].ids) != length or len(group) >= most):
            yield group
            group = []
        group.append(i)
    if group:
        yield group


def _cosines(vectors: NDArray[Any], query: NDArray[Any]) -> NDArray[numpy.float64]:
    """In float64, summed from first to last as the JavaScript package does."""
    wide, other = vectors.astype(numpy.float64), query.astype(numpy.float64)

    def total(products: NDArray[numpy.float64]) -> Any:
        return numpy.add.accumulate(products, axis=-1)[..., -1]

    lengths = numpy.sqrt(total(other * other)) * numpy.sqrt(total(wide * wide))
    with numpy.errstate(invalid="ignore", divide="ignore"):
        found = numpy.where(lengths == 0, 0.0, total(wide * other) / lengths)
    clipped: NDArray[numpy.float64] = numpy.clip(found, -1, 1)
    return clipped


class Encoder:
    """An encoder with its weights, as Hugging Face and sentence-transformers publish it.

    Encoder("all-MiniLM-L6-v2", precision="int8").embed(["a sailor ties a rope"])

    path: a folder with config.json, model.safetensors or its shards, tokenizer.json and, for sentence vectors,
        modules.json; or a GGUF file of an architecture that `docs/encoders.md` lists.
    precision: "float32", or "int8", which gives the same bits on every machine, natively and in WebAssembly.
    threads: threads that compute, the calling one among them, 1 to 64. The bits do not depend on it. The default is 1,
        since many processes of one thread each give the most texts per second; a program that embeds one text at a time
        passes min(64, os.cpu_count()).
    tokenizer: a tokenizers.Tokenizer in place of tokenizer.json.

    Threads may share an encoder: a second call waits for the first. It can be pickled, as its path and options.
    Raises FileNotFoundError, RopewalkError for a file that is damaged or asks for what is not implemented, ValueError.
    """

    def __init__(self, path: str | os.PathLike[str], *, precision: str = "float32", threads: int = 1,
                 tokenizer: Tokenizer | None = None) -> None:
        function = "Encoder"
        self._handle: Any = None
        self._given: tuple[str, dict[str, Any]] = (
            os.path.abspath(os.fspath(path)),
            {"precision": precision, "threads": threads, "tokenizer": tokenizer})
        options = _files.model_options(function, precision, threads)
        files = _files.ModelFiles(function, path)
        modules = None if files.gguf else files.json("modules.json", list)
        folder = self._folder_of(modules)
        self._tokenizer = _text.load(files, folder, tokenizer)
        config = None if files.gguf else files.needed(f"{folder}config.json")
        self._handle = _files.make(function, native.encoder_create, files, config, folder, options)
        self._lock = threading.Lock()
        metadata: _files.Json = json.loads(native.text(native.encoder_metadata, self._handle)) or {}
        #: config.json, or the metadata of a GGUF file without its vocabulary.
        self.config: _files.Json = (json.loads(config) if config else
                                    {key: each for key, each in metadata.items() if not isinstance(each, list)})
        self._has_modules = self._set_sentence(files, modules, metadata)
        self._read_facts(files, folder)

    @staticmethod
    def _folder_of(modules: list[Any] | None) -> str:
        first = modules[0] if modules else {}
        path = str(first.get("path", "")).rstrip("/") if isinstance(first, dict) else ""
        return "" if path in ("", ".") else f"{path}/"

    def _set_sentence(self, files: _files.ModelFiles, modules: list[Any] | None, metadata: _files.Json) -> bool:
        """Whether files say how sentence vectors are made."""
        contents = _files.Bytes()
        if files.gguf:
            found = self._modules_of_gguf(metadata)
        elif modules is None:
            found = {}
        else:
            text = files.needed("modules.json")
            names = json.loads(native.text(native.sentence_files, text, len(text)))
            found = {"modules.json": text, **{name: files.needed(name) for name in names["needed"]}}
            optional = {name: files.read(name) for name in names["optional"]}
            found.update({name: each for name, each in optional.items() if each is not None})
        for name, each in found.items():
            contents.add(name, each)
        native.encoder_set_sentence(self._handle, *contents.arguments)
        return bool(found)

    @staticmethod
    def _modules_of_gguf(metadata: _files.Json) -> dict[str, bytes]:
        architecture = metadata.get("general.architecture")
        kind = metadata.get(f"{architecture}.pooling_type", 0)
        if kind not in range(len(GGUF_POOLINGS)):
            raise _files.refuse("Encoder", f"{architecture}.pooling_type", kind,
                                "0 to 3: none, mean, first or last token")
        if kind == 0:
            return {}
        modules = [{"type": each, "path": each if each == "Pooling" else ""}
                   for each in ("Transformer", "Pooling", "Normalize")]
        pooling = {"word_embedding_dimension": metadata[f"{architecture}.embedding_length"],
                   "pooling_mode": GGUF_POOLINGS[kind]}
        return {"modules.json": json.dumps(modules).encode(), "Pooling/config.json": json.dumps(pooling).encode()}

    def _read_facts(self, files: _files.ModelFiles, folder: str) -> None:
        facts = json.loads(native.text(native.encoder_facts, self._handle))
        model, sentence = facts["model"], facts["sentence"]
        #: Entries of a sentence vector.
        self.dimensions: int = sentence["dimensions"]
        #: Elements of all parameters.
        self.parameter_count: int = facts["parameters"]
        #: "int8" also for a checkpoint that holds weights in 8 bits.
        self.precision: str = facts["precision"]
        #: One sentence for each thing that is not used, and for each assumption.
        self.notes: list[str] = facts["notes"]
        #: Prefixes of texts by name.
        self.prompts: dict[str, str] = sentence["prompts"]
        #: The name of the one that is used unless another is asked for.
        self.default_prompt: str | None = sentence["default_prompt"]
        self._include_prompt, self._lower_case = sentence["include_prompt"], sentence["lower_case"]
        self._token_types = model["token_types"]
        limit = (files.json(f"{folder}tokenizer_config.json") or {}).get("model_max_length")
        asked = sentence["max_tokens"] or (limit if isinstance(limit, int) and 1 <= limit < 2**31 else None)
        limits = [self.config.get(key) for key in ("n_positions", "max_position_embeddings")]
        possible = model["longest"] or next((each for each in limits if isinstance(each, int)), None)
        #: Longest input in tokens, special ones included; None where nothing limits it.
        self.max_tokens: int | None = min((each for each in (asked, possible) if each is not None), default=None)
        #: Kinds of answers: "vectors", "relevance", "words", "classes", ...
        self.gives: list[str] = self._gives_of(model["heads"])

    def _gives_of(self, heads: list[str]) -> list[str]:
        named = [HEADS[name] for name in heads if name in HEADS]
        trained = any(name not in ("masked_lm", "contact") for name in heads)
        labels = self.config.get("num_labels", len(self.config.get("id2label") or {}) or 2)
        vectors = ["vectors"] if self._has_modules or not trained else []
        relevance = ["relevance"] if "classes" in named and labels == 1 else []
        return vectors + relevance + named

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle:
            del self._handle
            native.encoder_destroy(handle)

    def __reduce__(self) -> Any:
        path, options = self._given
        return functools.partial(type(self), **options), (path,)

    def __repr__(self) -> str:
        return f"Encoder({self._given[0]!r}, precision={self.precision!r}, threads={self._given[1]['threads']})"

    # --- Text --------------------------------------------------------------------------------------------------------

    def encode(self, text: str, pair: str | None = None) -> list[int]:
        """Token ids of a text or pair, special tokens included, cut to `max_tokens`."""
        function = "encode"
        _files.text(function, "text", text)
        if pair is not None:
            _files.text(function, "pair", pair)
        return self._encoded(function, text, pair).ids

    def decode(self, ids: Sequence[int], *, skip_special_tokens: bool = True) -> str:
        """The text of token ids."""
        tokenizer = _text.needed("decode", self._tokenizer)
        found: str = tokenizer.decode(_files.int32("decode", "ids", ids).tolist(),
                                      skip_special_tokens=skip_special_tokens)
        return found

    def _tokens(self, function: str, text: str, pair: str | None = None) -> Any:
        tokenizer = _text.needed(function, self._tokenizer)
        if self._lower_case:
            text, pair = text.lower(), pair.lower() if pair is not None else None
        return tokenizer.encode(text, pair)

    def _encoded(self, function: str, text: str, pair: str | None = None) -> _Encoded:
        found = self._tokens(function, text, pair)
        if self.max_tokens is not None and len(found.ids) > self.max_tokens:
            self._tokenizer.enable_truncation(self.max_tokens)
            try:
                found = self._tokens(function, text, pair)
            finally:
                self._tokenizer.no_truncation()
        # A tokenizer may number pairs for models whose types are one, or none.
        types = found.type_ids if self._token_types > 1 else [0] * len(found.ids)
        return _Encoded(found.ids, types, found.attention_mask)

    # --- Sentence vectors --------------------------------------------------------------------------------------------

    @overload
    def embed(self, texts: str, *, prompt: str | None = None, prefix: str | None = None, dimensions: int | None = None,
              normalize: bool | None = None, pooling: str | None = None) -> Floats: ...
    @overload
    def embed(self, texts: Sequence[str], *, prompt: str | None = None, prefix: str | None = None,
              dimensions: int | None = None, normalize: bool | None = None, pooling: str | None = None) -> Floats: ...

    def embed(self, texts: str | Sequence[str], *, prompt: str | None = None, prefix: str | None = None,
              dimensions: int | None = None, normalize: bool | None = None, pooling: str | None = None) -> Floats:
        """Sentence vectors in the order of the texts: [texts, dimensions] of float32, [dimensions] for one text.

        The bits of a vector do not depend on which texts are embedded together. Texts longer than `max_tokens` are cut.

        prompt: a name in `prompts`. prefix: a text put before each text, in place of a prompt.
        dimensions: keeps the first entries. normalize and pooling: the model's own unless given.
        """
        function = "embed"
        if "vectors" not in self.gives:
            raise ValueError(f"{function}: it needs a model that gives vectors; this one gives {', '.join(self.gives)}")
        one = isinstance(texts, str)
        prefix = self._prefix(function, prompt, prefix)
        options = self._sentence_options(function, dimensions, normalize, pooling, prefix)
        all_texts = [str(texts)] if one else _files.texts(function, "texts", texts)
        width = dimensions or self.dimensions
        vectors = numpy.empty((len(all_texts), width), numpy.float32)
        with self._lock:
            encoded = [self._encoded(function, prefix + each) for each in all_texts]
            for group in _groups(encoded):
                self._run([encoded[i] for i in group], SENTENCE, options)
                vectors[group] = self._output("sentence_embedding").reshape(len(group), -1)
        return vectors[0] if one else vectors

    def _prefix(self, function: str, prompt: str | None, prefix: str | None) -> str:
        if prompt is not None and prefix is not None:
            raise ValueError(f"{function}: `prompt` and `prefix` are given; allowed: one of them")
        if prefix is not None:
            return _files.text(function, "prefix", prefix)
        name = self.default_prompt if prompt is None else prompt
        if name is None:
            return ""
        if name not in self.prompts:
            allowed = ", ".join(map(repr, self.prompts)) or "none, since this model names no prompts; see `prefix`"
            raise _files.refuse(function, "prompt", name, allowed)
        return self.prompts[name]

    def _sentence_options(self, function: str, dimensions: int | None, normalize: bool | None, pooling: str | None,
                          prefix: str) -> Any:
        if dimensions is not None and _files.whole(function, "dimensions", dimensions, 1) > self.dimensions:
            raise _files.refuse(function, "dimensions", dimensions, f"1 to {self.dimensions}")
        if pooling is not None and pooling not in POOLINGS:
            raise _files.refuse(function, "pooling", pooling, ", ".join(POOLINGS))
        if normalize is not None and not isinstance(normalize, bool):
            raise TypeError(f"{function}: `normalize` is {normalize!r}; allowed: True, False or None")
        # Without modules.json vectors have unit length, also after a cut.
        unit = True if normalize is None and not self._has_modules else normalize
        return _library.SentenceOptions(pooling=POOLINGS[pooling] if pooling else 0, normalize=NORMALIZE[unit],
                                        prompt_tokens=self._prompt_tokens(function, prefix),
                                        dimensions=dimensions or 0)

    def _prompt_tokens(self, function: str, prefix: str) -> int:
        """Tokens of the prefix with the special ones before it, where pooling leaves them out."""
        if self._include_prompt or prefix == "":
            return 0
        of = self._tokens(function, prefix).sequence_ids
        count = max((i + 1 for i, each in enumerate(of) if each == 0), default=0)
        return min(count, self.max_tokens or count)

    # --- Ranking -----------------------------------------------------------------------------------------------------

    def rank(self, query: str, documents: Sequence[str], *, top_k: int | None = None) -> list[Ranked]:
        """Documents by relevance to the query, best first, equal scores by index: `top_k` of them, or all.

        A cross-encoder with one label reads query and document together; a model of vectors ranks by cosine, with its
        prompts for queries and documents.
        """
        function = "rank"
        _files.text(function, "query", query)
        everything = _files.texts(function, "documents", documents)
        count = len(everything) if top_k is None else _files.whole(function, "top_k", top_k, 1)
        by_pair = "relevance" in self.gives or ("classes" in self.gives and "vectors" not in self.gives)
        if not by_pair and "vectors" not in self.gives:
            raise ValueError(f"{function}: it needs a model that gives relevance or vectors; this one gives "
                             f"{', '.join(self.gives) or 'none'}")
        if not everything:
            return []
        if by_pair:
            scores = self._relevance(function, query, everything)
        else:
            asked = self.embed(query, prefix=self._side("query"))
            scores = _cosines(self.embed(everything, prefix=self._side("document", "passage", "corpus")), asked)
        order = sorted(range(len(everything)), key=lambda i: (-scores[i], i))
        return [Ranked(i, float(scores[i])) for i in order[:count]]

    def _side(self, *names: str) -> str:
        name = next((each for each in names if each in self.prompts), self.default_prompt)
        return "" if name is None else self.prompts[name]

    def _relevance(self, function: str, query: str, documents: list[str]) -> Any:
        scores = numpy.empty(len(documents))
        with self._lock:
            encoded = [self._encoded(function, query, each) for each in documents]
            for group in _groups(encoded):
                self._run([encoded[i] for i in group], 0, None)
                found = self._output("relevance")
                if found.size != len(group):
                    labels = found.size // len(group)
                    raise ValueError(f"{function}: this checkpoint has {labels} labels; a cross-encoder has one")
                scores[group] = found
        return scores

    # --- Forward -----------------------------------------------------------------------------------------------------

    def forward(self, input_ids: ArrayLike, token_type_ids: ArrayLike | None = None,
                attention_mask: ArrayLike | None = None, *, outputs: Sequence[str] = ()) -> dict[str, Any]:
        """Runs the model on ids, [batch, tokens] or [tokens].

        attention_mask: 1 for tokens, 0 for padding. outputs: of "logits", "hidden_states", "attentions", "scores",
        "rotated_qk" and "contacts", what to return beside last_hidden_state [batch, tokens, hidden] and the logits of
        labels. Outputs of layers are lists of arrays. All are copies.
        """
        function = "forward"
        flags = 0
        for each in outputs:
            if each not in OUTPUTS:
                raise _files.refuse(function, "outputs", each, ", ".join(OUTPUTS))
            flags |= OUTPUTS[each]
        ids = numpy.atleast_2d(_files.int32(function, "input_ids", input_ids))
        if ids.ndim != 2:
            raise _files.refuse(function, "input_ids.shape", ids.shape, "(batch, tokens) or (tokens,)")
        more = {"token_type_ids": token_type_ids, "attention_mask": attention_mask}
        arrays = {name: numpy.atleast_2d(_files.int32(function, name, each))
                  for name, each in more.items() if each is not None}
        for name, array in arrays.items():
            if array.shape != ids.shape:
                raise _files.refuse(function, f"{name}.shape", array.shape, str(ids.shape))
        with self._lock:
            self._forward(ids, arrays.get("token_type_ids"), arrays.get("attention_mask"), flags, None)
            return self._outputs(*ids.shape)

    def _run(self, texts: list[_Encoded], outputs: int, options: Any) -> None:
        """A batch of texts of the same length."""
        ids, types, mask = (numpy.array([each[i] for each in texts], numpy.int32) for i in range(3))
        self._forward(ids, types, mask if not mask.all() else None, outputs, options)

    def _forward(self, ids: Any, types: Any, mask: Any, outputs: int, options: Any) -> None:
        batch = _library.Batch(batch=ids.shape[0], sequence=ids.shape[1], input_ids=ids.ctypes.data)
        if types is not None:
            batch.token_type_ids = types.ctypes.data
        if mask is not None:
            batch.attention_mask = mask.ctypes.data
        native.encoder_forward(self._handle, ctypes.byref(batch), outputs,
                               ctypes.byref(options) if options is not None else None)

    def _output(self, name: str, layer: int = -1) -> Floats:
        values, size = _library.c_float_p(), ctypes.c_size_t()
        native.encoder_output(self._handle, name.encode(), layer, ctypes.byref(values), ctypes.byref(size))
        return _files.copied(values, size.value)

    def _outputs(self, batch: int, tokens: int) -> dict[str, Any]:
        """All outputs of the last forward."""
        found: dict[str, Any] = {}
        for name, layer in json.loads(native.text(native.encoder_outputs, self._handle)):
            values = self._output(name, layer)
            shape = self._shape(name, values.size, batch, tokens)
            if layer < 0:
                found[name] = values.reshape(shape)
            else:
                found.setdefault(name, []).append(values.reshape(shape))
        return found

    @staticmethod
    def _shape(name: str, size: int, batch: int, tokens: int) -> tuple[int, ...]:
        if name in ("attentions", "scores"):
            return (batch, size // (batch * tokens * tokens), tokens, tokens)
        if name in ("start_logits", "end_logits"):
            return (batch, tokens)
        if name == "contacts":
            return (batch, max(0, tokens - 2), max(0, tokens - 2))
        return (batch, size // batch) if name in OF_SEQUENCES else (batch, tokens, size // (batch * tokens))
