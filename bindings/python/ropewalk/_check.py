"""`check`: rope_check.py as a function. It needs neither NumPy nor the shared library."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import rope_check as _rules

READERS: tuple[str, ...] = tuple(_rules.READERS)


def check(
    config: Mapping[str, Any] | None = None,
    *,
    inverse_frequencies: Iterable[float] | None = None,
    row: tuple[Iterable[float], Iterable[float], float] | None = None,
    readers: Sequence[str] | None = None,
    context: int | None = None,
    layer_type: str | None = None,
) -> dict[str, Any]:
    """Compares how libraries read a configuration, and judges a table beside it or alone.

    config: config.json of Hugging Face, parsed.
    inverse_frequencies: theta_j as the program under test uses them, such as `module.inv_freq.tolist()`.
    row: (cos, sin, position), a row of its tables at a position other than 0.
    readers: some of READERS; all that have the family by default. context: tokens of the sequence, the model's own by default.

    Returns a dict: `code` (0 alike, 3 a library differs, 4 the table is not what the configuration says, 5 it looks
    uninitialised, 6 most readers refuse the file, or all), `verdict` (what to do, in words), `readings`, `refusals`
    [(reader, why)], `differences` [(reader, reader, layer type, first pair, turns at the context)], `outliers` (each reader
    that differs: its layers, from which token on, the key, what to change, text to paste) and `problems` [(key, what cannot be
    meant, text to paste)]. Raises ValueError where nothing is given, a reader is not known or a number cannot be used.
    """
    if config is None and inverse_frequencies is None and row is None:
        raise ValueError("check: nothing is given; allowed: config, inverse_frequencies or row, or several of them")
    if config is not None and not isinstance(config, Mapping):
        raise ValueError(f"check: `config` is {config!r:.60}; allowed: config.json of Hugging Face, parsed")
    if inverse_frequencies is not None:
        inverse_frequencies = _numbers("inverse_frequencies", inverse_frequencies)
    unknown = [each for each in readers or () if each not in READERS]
    if unknown:
        raise ValueError(f"check: `readers` holds {unknown[0]!r}; allowed: {', '.join(READERS)}")
    if row is not None:
        cos, sin, position = row
        cos, sin = _numbers("row[0]", cos), _numbers("row[1]", sin)
        if len(cos) != len(sin) or not cos or position == 0:
            raise ValueError("check: `row` is (cos, sin, position) of equal lengths, at a position other than 0")
        row = (cos, sin, position)
    try:
        report: dict[str, Any] = _rules.check(
            config,
            inverse_frequencies=inverse_frequencies,
            row=row,
            readers=readers,
            context=context,
            layer_type=layer_type,
        )
    except (ArithmeticError, AttributeError, TypeError) as error:
        raise ValueError(f"check: `config` or `context` holds a number that no reader can use: {error}") from error
    return report


def _numbers(name: str, values: Iterable[float]) -> list[float]:
    try:
        return [float(each) for each in values]
    except (TypeError, ValueError) as error:
        raise ValueError(f"check: `{name}` is {values!r:.60}; allowed: numbers") from error
