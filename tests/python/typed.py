"""A program as users write it, for mypy --strict: what the package returns has types."""

from typing import Any

import numpy
from numpy.typing import NDArray

import ropewalk


def search(folder: str, query: str, texts: list[str]) -> list[tuple[str, float]]:
    model = ropewalk.Encoder(folder, precision="int8", threads=2)
    vectors: NDArray[numpy.float32] = model.embed(texts)
    ropewalk.write_index("texts.index", vectors, ids=[str(i) for i in range(len(texts))])
    limit: "int | None" = model.max_tokens
    outputs: dict[str, Any] = model.forward(model.encode(query)[:limit], outputs=["attentions"])
    assert "attentions" in outputs
    return [(texts[each.index], each.score) for each in model.rank(query, texts, top_k=3)]


def generate(folder: str, prompt: str) -> tuple[str, "str | None"]:
    model = ropewalk.Decoder(folder, context=512)
    cache: ropewalk.KeyCache = model.cache(dtype="float16")
    logits: NDArray[numpy.float32] = cache.feed(model.encode(prompt))
    token, log_probability = cache.sample(temperature=0.8, seed=1)
    generation = model.generate([token], cache=cache, max_tokens=8, stop=["\n"])
    text: str = "".join(each.text for each in generation)
    print(len(logits), log_probability + 1.0)
    return text, generation.finish_reason


def rotate(keys: NDArray[numpy.float32]) -> NDArray[Any]:
    rope = ropewalk.Rope(head_dim=64, pairing="half")
    theta: NDArray[numpy.float64] = rope.frequencies
    report: dict[str, Any] = ropewalk.check({"model_type": "llama"}, inverse_frequencies=theta.tolist())
    print(report["verdict"], rope.head_dim + 1, ropewalk.architecture().upper())
    return rope.rotate(keys, positions=numpy.arange(keys.shape[1]))
