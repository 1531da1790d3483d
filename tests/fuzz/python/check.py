"""Any JSON as a configuration, with a table or a row beside it: `ropewalk.check` returns a report whose code is one of those
that it documents, or raises a ValueError that begins with its name. An input is the JSON, a zero, and what goes beside it as
JSON: {"table": [], "row": [[], [], 1], "context": 1, "layer": ""}.
"""

import json
import sys

import atheris

with atheris.instrument_imports(include=["ropewalk"]):
    import ropewalk

CODES = {0, 3, 4, 5, 6}


def parsed(text):
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def fuzz(data):
    config, _, beside = data.partition(b"\0")
    more = parsed(beside)
    more = more if isinstance(more, dict) else {}
    row = more.get("row")
    try:
        report = ropewalk.check(
            parsed(config),
            inverse_frequencies=more.get("table"),
            row=tuple(row) if isinstance(row, list) and len(row) == 3 else None,
            readers=more.get("readers"),
            context=more.get("context"),
            layer_type=more.get("layer"),
        )
    except ValueError as error:
        assert str(error).startswith("check: "), error
        return
    assert report["code"] in CODES, report["code"]
    assert report["verdict"], report


atheris.Setup(sys.argv, fuzz)
atheris.Fuzz()
