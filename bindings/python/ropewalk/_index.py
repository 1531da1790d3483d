"""The file of an index of vectors, which `ropewalk.index({ saved })` of the JavaScript package opens."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from . import _files

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MAGIC = b"ropeidx1"
MOST_DIMENSIONS = 65536


def write_index(path: str | os.PathLike[str], vectors: ArrayLike, ids: Sequence[str],
                fields: Sequence[Mapping[str, Any]] | None = None, model: str | None = None) -> None:
    """Writes vectors as a file that the JavaScript package searches, in Node or a page.

    path: where the file goes. It is written whole, or not at all.
    vectors: [entries, dimensions], kept as float32: those of `Encoder.embed`.
    ids: one text for each entry, all different. fields: what the page shows of each entry, as JSON has it.
    model: a name that you give the model of the vectors. The package refuses to open the file with another name.
    Raises ValueError for vectors that are not finite and for lists of another length.
    """
    function = "write_index"
    rows = numpy.ascontiguousarray(vectors, "<f4")
    if rows.ndim != 2 or not 1 <= rows.shape[1] <= MOST_DIMENSIONS:
        raise _files.refuse(function, "vectors.shape", rows.shape, f"(entries, 1 to {MOST_DIMENSIONS})")
    if not numpy.isfinite(rows).all():
        raise ValueError(f"{function}: `vectors` holds a number that is not finite")
    names = _files.texts(function, "ids", ids)
    if len(names) != len(rows) or len(set(names)) != len(names):
        raise ValueError(f"{function}: `ids` has {len(set(names))} different texts; allowed: {len(rows)}, one for each row")
    given = [{} for _ in names] if fields is None else [dict(each) for each in fields]
    if len(given) != len(rows):
        raise _files.refuse(function, "len(fields)", len(given), str(len(rows)))
    named = {} if model is None else {"model": _files.text(function, "model", model)}
    header = {"dimensions": rows.shape[1], "keeps": True, **named, "ids": names, "fields": given}
    text = json.dumps(header, ensure_ascii=False, allow_nan=False).encode()
    head = MAGIC + len(text).to_bytes(4, "little") + text
    temporary = f"{os.fspath(path)}.{os.getpid()}.part"
    with open(temporary, "wb") as file:
        file.write(head.ljust((len(head) + 3) // 4 * 4, b"\0"))
        file.write(rows.data)
    os.replace(temporary, path)
