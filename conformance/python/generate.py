"""Writes the vectors: python3 conformance/python/generate.py [--check]. Standard library only.

--check writes nothing and fails if a file is not what would be written.
"""

import json
import pathlib
import sys

import axes
import cases
import float32_chain
import rules
from precise import cos_sin, float32, float64, number, text32

VERSION = 1
POSITIONS = [0, 1, 8191, 131072, 1000000, -3, 0.5]
PAIRINGS = ("half", "interleaved")
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "vectors"
README = FOLDER.parent / "README.md"
TABLE, TABLE_OF_AXES = "## Rules and cases", "### Cases with several axes"


class Single(float):
    """A float32, written with as many digits as that needs."""

    def __repr__(self):
        return text32(float(self))


def sample(head_dim):
    """Values that float32, float16 and bfloat16 hold exactly."""
    return [((37 * i + 11) % 61 - 30) / 16 for i in range(head_dim)]


def channels(pairing, d, j):
    return (j, j + d // 2) if pairing == "half" else (2 * j, 2 * j + 1)


def rotated(x, pairing, d, pair):
    """x with every pair (a, b) of the rotary dimension replaced by pair(j, a, b)."""
    y = list(x)
    for j in range(d // 2):
        first, second = channels(pairing, d, j)
        y[first], y[second] = pair(j, x[first], x[second])
    return y


def exact_columns(theta, magnitude, x, d):
    """From the float64 theta and magnitude of the file, so that every column follows from those before it."""
    tables, rows = [], {pairing: [] for pairing in PAIRINGS}
    for position in POSITIONS:
        phasors = [cos_sin(number(position) * number(each)) for each in theta]
        scale = number(magnitude)
        tables.append({"cos": [float64(scale * cos) for cos, _ in phasors],
                       "sin": [float64(scale * sin) for _, sin in phasors]})

        def pair(j, a, b):
            (cos, sin), a, b = phasors[j], number(a), number(b)
            return float64(scale * (a * cos - b * sin)), float64(scale * (a * sin + b * cos))

        for pairing in PAIRINGS:
            rows[pairing].append(rotated(x, pairing, d, pair))
    return {"tables": tables, "rotated": rows}


def float32_columns(rule, p, head_dim, d, theta, magnitude, x):
    chain = float32_chain.CHAINS.get(rule)
    theta = chain(p, head_dim, d) if chain else [float32(each) for each in theta]
    tables, rows = [], {pairing: [] for pairing in PAIRINGS}
    for position in POSITIONS:
        cos, sin = float32_chain.table(theta, magnitude, position)
        tables.append({"cos": list(map(Single, cos)), "sin": list(map(Single, sin))})
        for pairing in PAIRINGS:
            y = rotated(x, pairing, d, lambda j, a, b: float32_chain.rotate_pair(a, b, cos[j], sin[j]))
            rows[pairing].append(list(map(Single, y)))
    return {"theta_from": "transformers" if chain else "rounded", "theta": list(map(Single, theta)), "tables": tables,
            "rotated": rows}


def make_case(rule, name, head_dim, d, p):
    theta, magnitude = rules.RULES[rule](p, head_dim, d)
    theta, magnitude = [float64(each) for each in theta], float64(magnitude)
    x = sample(head_dim)
    config = {pairing: cases.hugging_face(rule, head_dim, d, p, pairing) for pairing in PAIRINGS}
    return {
        "name": name,
        "head_dim": head_dim,
        "rotary_dim": d,
        "frequencies": {"type": rule, **p},
        "sequence_length": p.get("sequence_length"),
        "huggingface": config,
        "huggingface_5": {pairing: cases.hugging_face_5(config[pairing]) for pairing in PAIRINGS},
        "gguf": {pairing: cases.gguf(rule, head_dim, d, p, pairing) for pairing in PAIRINGS},
        "theta": theta,
        "magnitude": magnitude,
        "x": x,
        **exact_columns(theta, magnitude, x, d),
        "float32": float32_columns(rule, p, head_dim, d, theta, magnitude, x),
    }


def written(value, indent=0):
    """JSON with lists of numbers in lines of at most 120 characters."""
    space = "  " * (indent + 1)
    if isinstance(value, dict):
        members = [f"{space}{json.dumps(key)}: {written(each, indent + 1)}" for key, each in value.items()]
        return "{\n" + ",\n".join(members) + "\n" + "  " * indent + "}"
    if not isinstance(value, list):
        return repr(value) if isinstance(value, float) else json.dumps(value)
    if not all(isinstance(each, (int, float)) for each in value):
        return "[\n" + ",\n".join(space + written(each, indent + 1) for each in value) + "\n" + "  " * indent + "]"
    lines, line = [], ""
    for text in map(repr, value):
        if line and len(space) + len(line) + len(text) + 2 > 120:
            lines.append(line)
            line = ""
        line += (", " if line else "") + text
    lines.append(line)
    return "[" + (",\n" + space).join(lines) + "]"


def contents():
    """(file name, content) of every file."""
    for rule, (formula, source, each) in cases.CASES.items():
        yield f"{rule}.json", {
            "format": "rope-conformance",
            "version": VERSION,
            "rule": rule,
            "formula": formula,
            "source": source,
            "positions": POSITIONS,
            "cases": [make_case(rule, *case) for case in each],
        }
    yield "axes.json", {
        "format": "rope-conformance-axes",
        "version": VERSION,
        "formula": axes.FORMULA,
        "source": axes.SOURCE,
        "cases": [axes.make_case(*case, sample) for case in axes.CASES],
    }
    yield "index.json", {
        "format": "rope-conformance",
        "version": VERSION,
        "files": [f"{rule}.json" for rule in cases.CASES],
        "axes": "axes.json",
        # Relative to theta, and to the length of a pair times the magnitude: see README.md.
        "tolerances": {
            "float64": {"theta": 2**-46, "value": 2**-50},
            "float32-output": {"theta": 2**-46, "value": 2**-23},
            "float32": {"theta": 2**-22, "value": 2**-21},
        },
    }


def with_table(text, heading, rows):
    """The text with these rows as all that stands below a heading."""
    before, rest = text.split(heading, 1)
    return before + heading + "\n\n" + "\n".join(rows) + "\n" + rest[rest.index("\n## "):]


def shown(value):
    """As JSON without the quotes of names."""
    return json.dumps(value).replace('"', "").replace("{", "").replace("}", "")


def readme():
    """README.md with its tables of rules and cases as they are now."""
    rows = ["| rule | formula | source | cases (rotary dimension of head dimension) |", "| --- | --- | --- | --- |"]
    for rule, (formula, source, each) in cases.CASES.items():
        made = [make_case(rule, *case) for case in each]
        names = "; ".join(f"{case['name']} ({case['rotary_dim']} of {case['head_dim']})" for case in made)
        rows.append(f"| [{rule}](vectors/{rule}.json) | {formula} | {source} | {names} |")
    rows_of_axes = ["| case | as in | pairing | axes | frequencies | channels |", "| --- | --- | --- | --- | --- | --- |"]
    for name, source, head_dim, d, pairing, of_case, frequencies, _ in axes.CASES:
        rule = {key: value for key, value in frequencies.items() if key != "frequencies"}
        rows_of_axes.append(f"| {name} | {source} | {pairing} | {shown(of_case)} | {shown(rule)} | {d} of {head_dim} |")
    return with_table(with_table(README.read_text(), TABLE, rows), TABLE_OF_AXES, rows_of_axes)


def main():
    check = sys.argv[1:] == ["--check"]
    FOLDER.mkdir(exist_ok=True)
    if not check:
        README.write_text(readme())
    wrong = ["README.md"] if README.read_text() != readme() else []
    for name, value in contents():
        text, path = written(value) + "\n", FOLDER / name
        if not check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            wrong.append(name)
    if wrong:
        sys.exit(f"{', '.join(wrong)}: not what generate.py writes")
    print("the vectors are what generate.py writes" if check else f"written to {FOLDER}")


if __name__ == "__main__":
    main()
