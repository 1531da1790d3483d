"""Runs the vectors against an implementation: python3 conformance/python/run.py ADAPTER.py

README.md in the folder above says what an adapter is. Exit code 0: all within the tolerances; 1: some are not.
"""
import json
import math
import pathlib
import runpy
import sys

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "vectors"


def flat(made):
    return [made] if isinstance(made, (int, float)) else [value for part in made for value in flat(part)]


def share(made, expected, allowed):
    """The largest difference as a share of what is allowed; infinite for NaN and for a wrong number of values."""
    wrong = len(made) != len(expected) or any(map(math.isnan, made))
    return math.inf if wrong else max(abs(a - b) / max(limit, 5e-324) for a, b, limit in zip(made, expected, allowed))


def of_position(case, theta, channels, position, table, y, r, u):
    """What an adapter may show of one position: a number, or a list with one for each axis."""
    magnitude, x, by_axis = case["magnitude"], case["x"], isinstance(position, list)
    at = list(zip(position, theta)) if by_axis else [(position, theta)]
    errors = [sum(abs(p * row[j]) for p, row in at) * r for j in range(len(table["cos"]))]  # of the angles
    yield "table", (position,), table["cos"] + table["sin"], 2 * [magnitude * (u + error) for error in errors]
    allowed = [0] * len(x)
    for a, b, error in zip(*channels, errors):
        allowed[a] = allowed[b] = magnitude * math.hypot(x[a], x[b]) * (2 * u + error)
    yield "rotate", (x, position), y, allowed


def comparisons(case, column, positions, pairing, r, u):
    """Method, arguments, expected values and largest differences allowed, of all that an adapter may show of a rope."""
    theta, magnitude, d = column["theta"], case["magnitude"], case["rotary_dim"]
    channels = (range(d // 2), range(d // 2, d)) if pairing == "half" else (range(0, d, 2), range(1, d, 2))
    yield "theta", (), theta, [r * abs(each) for each in theta]
    yield "magnitude", (), [magnitude], [r * magnitude]
    for position, table, y in zip(positions, column["tables"], column["rotated"][pairing]):
        yield from of_position(case, theta, channels, position, table, y, r, u)


def comparisons_of_axes(case, r, u):
    yield "magnitude", (), [case["magnitude"]], [r * case["magnitude"]]
    for position, table, y in zip(case["positions"], case["tables"], case["rotated"]):
        yield from of_position(case, case["theta"], case["channels"], position, table, y, r, u)


def run(adapter, say=print):
    """True if all hold. `adapter` is a namespace: PRECISION, make(case, pairing) and, if it can, read(config, case) and AXES."""
    index, worst = json.loads((VECTORS / "index.json").read_text()), 0
    tolerance, is_float32 = index["tolerances"][adapter["PRECISION"]], adapter["PRECISION"] == "float32"

    def compare(rope, form, given, found):
        for method, arguments, expected, allowed in given:
            if hasattr(rope, method):
                before = found.get(form + method, (0, 0))
                largest = share(flat(getattr(rope, method)(*arguments)), expected, allowed)
                found[form + method] = (before[0] + len(expected), max(before[1], largest))

    def report(what, found, missing):
        rows = ", ".join(f"{what} {largest:.3f} ({count})" for what, (count, largest) in found.items())
        say(f"{what}: {rows}" + (f"; {missing} not supported" if missing else ""))
        return max([worst] + [largest for _, largest in found.values()])

    for name in index["files"]:
        file, found, missing = json.loads((VECTORS / name).read_text()), {}, 0
        for case in file["cases"]:
            for pairing in ("half", "interleaved"):
                ropes = {"": adapter["make"](case, pairing)}
                for form in ("huggingface", "huggingface_5", "gguf") if "read" in adapter else ():
                    if isinstance(case[form][pairing], dict):  # A text says why there is no such form.
                        ropes[form + " "] = adapter["read"](case[form][pairing], case)
                given = case, case["float32"] if is_float32 else case, file["positions"], pairing
                for form, rope in ropes.items():
                    missing += rope is None
                    compare(rope, form, comparisons(*given, tolerance["theta"], tolerance["value"]), found)
        worst = report(file["rule"], found, missing)
    if adapter.get("AXES") and not is_float32:
        found, missing = {}, 0
        for case in json.loads((VECTORS / index["axes"]).read_text())["cases"]:
            rope = adapter["make"](case, case["pairing"])
            missing += rope is None
            compare(rope, "", comparisons_of_axes(case, tolerance["theta"], tolerance["value"]), found)
        worst = report("axes", found, missing)
    say(f"{'All hold' if worst <= 1 else 'SOME DO NOT HOLD'}: largest difference as a share of the tolerance (values compared)")
    return worst <= 1


if __name__ == "__main__":
    sys.exit("usage: python3 run.py ADAPTER.py" if len(sys.argv) != 2 else not run(runpy.run_path(sys.argv[1])))
