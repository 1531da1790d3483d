"""Text to ids and back, by the package `tokenizers`."""

from __future__ import annotations

from typing import Any

from ._files import ModelFiles


def load(files: ModelFiles, folder: str, given: Any) -> Any:
    """The tokenizer that was given, or that of tokenizer.json; None where there is neither."""
    source = files.read(folder + "tokenizer.json") if given is None else None
    if given is None and source is None:
        return None
    from tokenizers import Tokenizer

    if source is not None:
        made = Tokenizer.from_str(source.decode())
    elif isinstance(given, Tokenizer):
        # Its settings change below.
        made = Tokenizer.from_str(given.to_str())
    else:
        raise TypeError(f"{files.function}: `tokenizer` is {given!r:.80}; allowed: a tokenizers.Tokenizer")
    made.no_padding()
    made.no_truncation()
    return made


def needed(function: str, tokenizer: Any) -> Any:
    if tokenizer is None:
        raise ValueError(f"{function}: this model has no tokenizer.json; it takes ids, or `tokenizer` when it is made")
    return tokenizer


CONTEXT = 5
INCOMPLETE = "\ufffd"


class TextStream:
    """Text from tokens, one after the other: whole characters only, and nothing of a text that ends it."""

    def __init__(self, tokenizer: Any, prompt: list[int], stop: list[str]):
        self._tokenizer, self._stop = tokenizer, stop
        # The first token is decoded behind some of the prompt, so that it keeps the space before it.
        self._ids = prompt[-CONTEXT:]
        self._read = len(self._ids)
        self._held = ""
        self.stopped = False

    def push(self, token: int) -> str:
        """The text that this token completes."""
        if self._tokenizer is None:
            return ""
        self._ids.append(token)
        before: str = self._tokenizer.decode(self._ids[: self._read])
        text: str = self._tokenizer.decode(self._ids)
        if text.endswith(INCOMPLETE) or len(text) <= len(before):
            return ""
        self._ids = self._ids[-CONTEXT:]
        self._read = len(self._ids)
        return self._hold(self._held + text[len(before) :])

    def end(self) -> str:
        """The text that was held back, where no token follows."""
        held, self._held = self._held, ""
        return held

    def _hold(self, text: str) -> str:
        places = [at for at in (text.find(each) for each in self._stop) if at >= 0]
        if places:
            self.stopped, self._held = True, ""
            return text[: min(places)]
        size = max((n for each in self._stop for n in range(1, len(each)) if text.endswith(each[:n])), default=0)
        self._held = text[len(text) - size :]
        return text[: len(text) - size]
