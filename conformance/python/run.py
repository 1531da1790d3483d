"""Runs the vectors against an implementation: python3 conformance/python/run.py ADAPTER.py  (standard library only)

README.md beside this folder says what an adapter is. Exit code 0: all within the tolerances; 1: some are not.
"""

import json
import pathlib
import runpy
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "vectors"
FORMS = ("huggingface", "huggingface_5", "gguf")


def share(made, expected, allowed):
    """The largest difference as a share of what is allowed; infinity for NaN and for another number of values."""
    if len(made) != len(expected):
        return float("inf")
    shares = [abs(a - b) / limit if limit else (0 if a == b else float("inf")) for a, b, limit in zip(made, expected, allowed)]
    return max((each if each == each else float("inf") for each in shares), default=0)


def checks(case, pairing, positions, rope, precision, tolerance):
    """(what, values, share of the tolerance) for everything that the implementation offers."""
    column = case["float32"] if precision == "float32" else case
    theta, magnitude, d, x = column["theta"], case["magnitude"], case["rotary_dim"], case["x"]
    ends = [(j, j + d // 2) if pairing == "half" else (2 * j, 2 * j + 1) for j in range(d // 2)]
    if hasattr(rope, "pairing"):
        yield "pairing", 1, 0 if rope.pairing() == pairing else float("inf")
    if hasattr(rope, "theta"):
        yield "theta", d // 2, share(rope.theta(), theta, [tolerance["theta"] * abs(each) for each in theta])
    if hasattr(rope, "magnitude"):
        yield "magnitude", 1, share([rope.magnitude()], [magnitude], [tolerance["theta"] * magnitude])
    for position, table, y in zip(positions, column["tables"], column["rotated"][pairing]):
        angle = [abs(position * each) * tolerance["theta"] for each in theta]
        if hasattr(rope, "table"):
            limits = [magnitude * (tolerance["value"] + each) for each in angle]
            for key, made in zip(("cos", "sin"), rope.table(position)):
                yield "table", d // 2, share(made, table[key], limits)
        if hasattr(rope, "rotate"):
            limits = [0] * len(x)
            for (a, b), each in zip(ends, angle):
                length = (x[a] ** 2 + x[b] ** 2) ** 0.5
                limits[a] = limits[b] = magnitude * length * (2 * tolerance["value"] + each)
            yield "rotated", len(x), share(rope.rotate(x, position), y, limits)


def run(adapter, say=print):
    """True if every comparison holds. `adapter` is a namespace: PRECISION, make(case, pairing), read(config, case)."""
    index, held = json.loads((FOLDER / "index.json").read_text()), True
    precision = adapter["PRECISION"]
    for name in index["files"]:
        file, found, missing = json.loads((FOLDER / name).read_text()), {}, 0
        for case in file["cases"]:
            for pairing in ("half", "interleaved"):
                ropes = [("", adapter["make"](case, pairing))]
                if "read" in adapter:
                    forms = [(form, case[form][pairing]) for form in FORMS if isinstance(case[form][pairing], dict)]
                    ropes += [(f"{form} ", adapter["read"](config, case)) for form, config in forms]
                for form, rope in ropes:
                    missing += rope is None
                    positions = [] if form else file["positions"]
                    for what, count, worst in checks(case, pairing, positions, rope, precision, index["tolerances"][precision]):
                        counted, largest = found.get(form + what, (0, 0))
                        found[form + what] = (counted + count, max(largest, worst))
        held = held and all(worst <= 1 for _, worst in found.values())
        rows = ", ".join(f"{what} {worst:.3f} ({count})" for what, (count, worst) in found.items())
        say(f"{file['rule']}: {rows}" + (f"; {missing} not supported" if missing else ""))
    say(f"{'All hold' if held else 'SOME DO NOT HOLD'}: largest difference as a share of the tolerance (values compared), {precision}")
    return held


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 run.py ADAPTER.py")
    sys.exit(not run(runpy.run_path(sys.argv[1])))
