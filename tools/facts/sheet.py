#!/usr/bin/env python3
"""Writes the sheet of facts: what each class of an installed Transformers assumes about a model's rope.

    python3 tools/facts/sheet.py                 writes cpp/src/rope_config/facts.inc
    python3 tools/facts/sheet.py --compare       prints the rows that differ from the sheet and exits 1 if there are any
    python3 tools/facts/sheet.py --only a,b      writes or compares these types alone

Needs Python packages `transformers` and `torch`. Rows of models whose code is not in Transformers stand in by_hand.json, the
types that release 4.57.6 has in transformers-4.txt.
"""
import argparse
import json
import os
import re
import sys

from library import rotary_classes, modeling_files, transformers
from rows import Probe

HERE = os.path.dirname(os.path.abspath(__file__))
# Models that do not rotate, though their files speak of it or have configurations in them, and some that checkpoints or older
# releases bring along.
STILL = "clip ernie_m gpt_refact jais jamba mpt nemotron_h nezha siglip transfo-xl".split()
# Classes that rotate or do not, as a key says. The rotary class alone, which is run, does not show it.
SWITCHES = {"esm": {"stillUnless": {"position_embedding_type": "rotary"}}, "falcon": {"stillIf": {"alibi": True}},
            "granitemoehybrid": {"stillUnless": {"position_embedding_type": "rope"}},
            "zamba2": {"stillUnless": {"use_mem_rope": True}}}
SHEET = os.path.join(HERE, "..", "..", "cpp", "src", "rope_config", "facts.inc")


def generated_rows(only):
    """{model_type: row}; a type with several classes keeps the first that has one rule for one axis."""
    rows = {}
    for found in rotary_classes():
        name = found.config.model_type
        if not name or only and name not in only:
            continue
        try:
            row = Probe(found).find()
        except Exception as error:
            print(f"{name}: {found.rotary.__name__} was not run: {type(error).__name__}: {str(error)[:100]}", file=sys.stderr)
            row = {"type": name, "axes": True}
        if name not in rows or "axes" in rows[name]:
            rows[name] = row
    return rows


def whole_models(rows, only):
    """Rows of models whose text model is a part of its own: the type of that part."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING
    for name in sorted(CONFIG_MAPPING.keys()):
        if name in rows and "axes" not in rows[name] or only and name not in only:
            continue
        try:
            config = CONFIG_MAPPING[name]()
            text = config.get_text_config(decoder=True)
        except Exception:
            continue
        if text is not config and text.model_type in rows and "axes" not in rows[text.model_type]:
            rows[name] = {"type": name, "text": text.model_type}


def without_rotation(rows):
    """Types whose modelling file does not speak of rotary positions at all."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING
    speaks = {}
    for module, text in modeling_files():
        folder = module.split(".")[2]
        speaks[folder] = speaks.get(folder, False) or bool(re.search(r"rotary|rope_|\brope\b|RoPE", text))
    names = list(STILL)
    for name in sorted(CONFIG_MAPPING.keys()):
        try:
            config = CONFIG_MAPPING[name]
        except Exception:
            continue
        folder = config.__module__.split(".")[2]
        alone = not getattr(config, "sub_configs", None)
        if name not in rows and alone and speaks.get(folder) is False:
            names.append(name)
    return sorted(set(names))


def tidy(value):
    """Whole numbers without a point, everywhere in a row."""
    if isinstance(value, dict):
        return {k: tidy(v) for k, v in value.items()}
    if isinstance(value, list):
        return [tidy(each) for each in value]
    return int(value) if isinstance(value, float) and value == int(value) else value


def line(row):
    return json.dumps(tidy(row), separators=(",", ":"))


def read_sheet():
    if not os.path.exists(SHEET):
        return {}
    with open(SHEET, encoding="utf8") as file:
        rows = [json.loads(each) for each in file.read().splitlines() if each.startswith("{")]
    return {row.get("type", ""): row for row in rows}


def written(rows):
    return ('// Written by tools/facts/sheet.py. One row for each model_type; what is usual is left out (facts.hpp).\nR"facts(\n'
            + "".join(line(rows[name]) + "\n" for name in sorted(rows)) + ')facts"\n')


def difference(before, after):
    """Lines for people: rows that came, went or changed."""
    for name in sorted({*before, *after}):
        a, b = (line(rows[name]) if name in rows else None for rows in (before, after))
        if a != b:
            yield from [f"- {a}"] if a else []
            yield from [f"+ {b}"] if b else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compare", action="store_true", help="write nothing; exit 1 if the library says something else")
    parser.add_argument("--only", default="", help="types to write or compare, separated by commas")
    args = parser.parse_args()
    only = [each for each in args.only.split(",") if each]
    before = read_sheet()
    rows = generated_rows(only)
    with open(os.path.join(HERE, "by_hand.json"), encoding="utf8") as file:
        for row in json.load(file):
            row.pop("source")
            if row["type"] not in rows and (not only or row["type"] in only):
                rows[row["type"]] = row
    with open(os.path.join(HERE, "transformers-4.txt"), encoding="utf8") as file:
        before_5 = file.read().split()
    for row in rows.values():
        if row["type"] not in before_5 and "axes" not in row and "code" not in row:
            row["since"] = 5
        row.update(SWITCHES.get(row["type"], {}))
    whole_models(rows, only)
    if only:
        rows = {**before, **rows}
    else:
        rows[""] = {"transformers": transformers.__version__, "still": " ".join(without_rotation(rows))}
    changes = list(difference(before, rows))
    print("\n".join(changes) or f"The sheet is what Transformers {transformers.__version__} says.")
    if args.compare:
        return 1 if changes else 0
    with open(SHEET, "w", encoding="utf8") as file:
        file.write(written(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
