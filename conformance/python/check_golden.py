"""Compares this generator with reference values that others computed: python3 conformance/python/check_golden.py

tests/golden/rope was computed in float64 with NumPy. The values under `recorded` in tests/golden/readers came out of
transformers and PyTorch themselves, in float32. tests/golden/vision says of ropes of transformers and diffusers which pair
has which channels, axis and frequency. Standard library only.
"""

import json
import pathlib
import sys

import axes
import float32_chain
import rules
from generate import rotated
from precise import cos_sin, float64, number

GOLDEN = pathlib.Path(__file__).resolve().parent.parent.parent / "tests" / "golden"


def read(path):
    return json.loads((GOLDEN / path).read_text())


def parameters(config, length, pairs):
    """Our parameters from a Hugging Face configuration of the golden files."""
    scaling = dict(config.get("rope_scaling") or config.get("rope_parameters") or {})
    rule = scaling.get("rope_type") or scaling.get("type") or "default"
    base = scaling.get("rope_theta") or config.get("rope_theta") or 10000.0
    longest = config.get("max_position_embeddings")
    original = scaling.get("original_max_position_embeddings") or config.get("original_max_position_embeddings")
    p = {"base": base, "max_positions": longest, "sequence_length": length, "original_max_positions": original or longest}
    names = {"low_freq_factor": "low_frequency_factor", "high_freq_factor": "high_frequency_factor",
             "partial_rotary_factor": "fraction"}
    p.update({names.get(key, key): value for key, value in scaling.items()})
    p["original_max_positions"] = original or longest
    if rule == "longrope" and "factor" not in p:
        p["factor"] = longest / original
    return rule, p


def relative(a, b):
    return 0 if a == b else abs(a - b) / abs(b) if b else float("inf")


def check_frequencies(worst):
    for case in read("rope/frequencies.json")["cases"]:
        config, d = case["config"], case["rotary_dim"]
        rule, p = parameters(config, case["seq_len"], d // 2)
        theta, magnitude = rules.RULES[rule](p, config["head_dim"], d)
        worst("golden/rope/frequencies.json, theta", 1e-12,
              (relative(float64(a), b) for a, b in zip(theta, case["frequencies"], strict=True)))
        worst("golden/rope/frequencies.json, magnitude", 1e-12, [relative(float64(magnitude), case["attention_factor"])])


def check_rotations(worst):
    for case in read("rope/rotate.json")["cases"]:
        batch, sequence, heads, head_dim = case["shape"]
        d, scale = case["rotary_dim"], number(case["attention_factor"])
        rule, p = parameters(case["config"], None, d // 2)
        theta = [number(float64(each)) for each in rules.RULES[rule](p, head_dim, d)[0]]
        for row in range(batch * sequence * heads):
            position = number(case["positions"][row // heads % len(case["positions"])])
            x, y = (case[key][row * head_dim : (row + 1) * head_dim] for key in "xy")

            def pair(j, a, b):
                cos, sin = cos_sin(position * theta[j])
                return float64(scale * (number(a) * cos - number(b) * sin)), float64(
                    scale * (number(a) * sin + number(b) * cos))

            made = rotated(x, case["pairing"], d, pair)
            # NumPy rounds position * theta to float64 before it takes cos and sin.
            allowed = 1e-13 + float(abs(position)) * 2**-51
            worst("golden/rope/rotate.json, y (share of the float64 angle's own rounding)", 1,
                  (abs(a - b) / max(map(abs, x)) / allowed for a, b in zip(made, y, strict=True)))


# The flat configurations of tests/golden/readers whose Hugging Face reading is the rule as it stands there.
READERS = {
    "transformers-4": ("llama3-old", "theta-only", "nothing", "qwen3-null", "qwen3-yarn", "yarn-consistent",
                       "yarn-all-options", "phi35-longrope", "deepseek-v3", "linear-type", "dynamic"),
    "transformers-5": ("llama3-old", "llama3-v5", "v5-default", "qwen3-yarn", "yarn-all-options", "phi35-v5",
                       "deepseek-v3", "linear-rope-type", "dynamic"),
}


def check_readers(worst):
    configs = {each["name"]: each for each in read("readers/configs.json")["configs"]}
    for reader, names in READERS.items():
        for name in names:
            config, recorded = configs[name]["config"], configs[name]["recorded"][reader]
            context = config["max_position_embeddings"] * (4 if name == "dynamic" else 1)
            recorded = {**recorded, **recorded.get("four_times_the_context", {})}
            made = recorded.get("inv_freq_at_context", recorded["inv_freq"])
            rule, p = parameters(config, context, len(made))
            theta = float32_chain.CHAINS[rule](p, 2 * len(made), 2 * len(made))
            worst(f"golden/readers/configs.json, float32 theta of {reader} (ulps)", 2,
                  (relative(a, b) * 2**23 for a, b in zip(theta, made, strict=True)))
            magnitude = float64(rules.RULES[rule](p, 2 * len(made), 2 * len(made))[1])
            worst(f"golden/readers/configs.json, magnitude of {reader}", 1e-12,
                  [relative(magnitude, recorded["attention_factor"])])


# The rope of each case of tests/golden/vision by its configuration: rotary dimension, pairing, axes, base.
VISION = {
    "dinov3": (16, "half", {"sections": [4, 4], "restart_frequencies": True}, 100),
    "qwen2-vl-vision": (16, "half", {"sections": [4, 4], "restart_frequencies": True}, 10000),
    "gemma4-vision": (16, "half", {"sections": [4, 4], "restart_frequencies": True, "pair_within": "section"}, 100),
    "llama4-vision": (16, "interleaved", {"sections": [4, 4], "restart_frequencies": True}, 10000),
    "ernie-4.5-vl": (16, "interleaved", {"order": [1, 2, 1, 2, 1, 2, 0, 0]}, 500000),
    "glm-4v": (8, "interleaved", {"sections": [2, 1, 1]}, 10000),
    "flux": (16, "interleaved", {"sections": [2, 3, 3], "restart_frequencies": True}, 10000),
    "wan": (24, "interleaved", {"sections": [4, 4, 4], "restart_frequencies": True}, 10000),
}


def check_axes(worst):
    for case in read("vision/vision.json")["cases"]:
        if case["name"] not in VISION:
            continue
        d, pairing, of_case, base = VISION[case["name"]]
        theta, _ = axes.thetas(of_case, {"type": "default", "base": base}, case["shape"][2], d)
        made = list(zip(*axes.channels_of_pairs(of_case, d // 2, pairing), axes.axis_of_pairs(of_case, d // 2)))
        wanted = [(*pair, axis) for pair, axis in zip(case["channels_of_pair"], case["axis_of_pair"])]
        worst("golden/vision/vision.json, channels and axis of each pair", 0, [made != wanted])
        worst("golden/vision/vision.json, theta", 1e-8, (
            relative(float64(sum(column)), each) for column, each in zip(zip(*theta), case["frequencies"], strict=True)))


def main():
    found = {}

    def worst(what, allowed, values):
        values = list(values)
        largest, count, _ = found.get(what, (0, 0, 0))
        found[what] = max([largest, *values]), count + len(values), allowed

    check_frequencies(worst)
    check_rotations(worst)
    check_readers(worst)
    check_axes(worst)
    for what, (largest, count, allowed) in found.items():
        print(f"{what}: {count} values, largest difference {largest:.2g} of {allowed:.2g} allowed")
    sys.exit(any(largest > allowed for largest, _, allowed in found.values()))


if __name__ == "__main__":
    main()
