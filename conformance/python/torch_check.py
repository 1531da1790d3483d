"""Compares the float32 column of the vectors with PyTorch itself: python3 conformance/python/torch_check.py

Needs PyTorch (Debian: python3-torch). Each stage starts from the vectors' own values of the stage before, so that one
ulp of theta does not spread: theta, then cos and sin, then the rotation, which must agree to the bit. The functions
below are the lines of Hugging Face transformers, written out without its configuration classes.
"""

import json
import math
import pathlib
import sys

import torch

import rules

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "vectors"
# PyTorch's vectorised pow, cos and sin are not rounded correctly; the emulation's are.
ALLOWED_ULPS = {"theta": 4, "cos and sin": 4, "rotated": 0}


def default(p, head_dim, d):
    return 1.0 / (p["base"] ** (torch.arange(0, d, 2, dtype=torch.int64).float() / d))


def linear(p, head_dim, d):
    return default(p, head_dim, d) / p["factor"]


def ntk(p, head_dim, d):
    return default({"base": p["base"] * p["factor"] ** (d / (d - 2))}, head_dim, d)


def dynamic(p, head_dim, d):
    length = max(p["sequence_length"], p["max_positions"])
    scale = p["factor"] * length / p["max_positions"] - (p["factor"] - 1)
    return default({"base": p["base"] * scale ** (d / (d - 2))}, head_dim, d)


def yarn(p, head_dim, d):
    low, high = (float(each) for each in rules.yarn_range(p, d))
    powers = p["base"] ** (torch.arange(0, d, 2).float() / d)
    extrapolated, interpolated = 1.0 / powers, 1.0 / (p["factor"] * powers)
    ramp = torch.clamp((torch.arange(d // 2, dtype=torch.float32) - low) / (high - low), 0, 1)
    keep = 1 - ramp
    return interpolated * (1 - keep) + extrapolated * keep


def longrope(p, head_dim, d):
    divisors = p["long_factor"] if p["sequence_length"] > p["original_max_positions"] else p["short_factor"]
    shape = torch.arange(0, d, 2, dtype=torch.int64).float() / d
    return 1.0 / (torch.tensor(divisors, dtype=torch.float32) * p["base"] ** shape)


def llama3(p, head_dim, d):
    own, factor, original = default(p, head_dim, d), p["factor"], p["original_max_positions"]
    low, high = p["low_frequency_factor"], p["high_frequency_factor"]
    wavelength = 2 * math.pi / own
    scaled = torch.where(wavelength > original / low, own / factor, own)
    smooth = (original / wavelength - low) / (high - low)
    between = (1 - smooth) * scaled / factor + smooth * scaled
    medium = ~(wavelength < original / high) * ~(wavelength > original / low)
    return torch.where(medium, between, scaled)


def proportional(p, head_dim, d):
    turning = int(p["fraction"] * head_dim // 2)
    own = 1.0 / (p["base"] ** (torch.arange(0, 2 * turning, 2, dtype=torch.int64).float() / head_dim))
    return torch.cat((own, torch.zeros(head_dim // 2 - turning))) / p.get("factor", 1)


def rotate(x, cos, sin, pairing):
    """apply_rotary_pos_emb over the rotary dimension: rotate_half for "half", rotate_every_two for "interleaved"."""
    if pairing == "half":
        a, b = x.chunk(2, -1)
        return x * torch.cat((cos, cos), -1) + torch.cat((-b, a), -1) * torch.cat((sin, sin), -1)
    turned = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    return x * cos.repeat_interleave(2, -1) + turned * sin.repeat_interleave(2, -1)


def ulps(made, expected):
    """Differences in units of the last place of the larger value; of cos and sin near 0, of a value of 1/1024."""
    gap = torch.finfo(torch.float32).eps * expected.abs().clamp(min=2.0**-10)
    return ((made.double() - expected.double()).abs() / gap.double()).flatten()


def main():
    rows = {}

    def compare(stage, made, expected, relative=False):
        difference = ((made - expected).abs() / expected.abs().clamp(min=1e-30) * 2**23 if relative else ulps(made, expected))
        count, other, worst = rows.get(stage, (0, 0, 0.0))
        rows[stage] = (count + difference.numel(), other + int((difference > 0).sum()),
                       max(worst, float(difference.max())))

    for name in json.loads((FOLDER / "index.json").read_text())["files"]:
        file = json.loads((FOLDER / name).read_text())
        positions = torch.tensor(file["positions"], dtype=torch.float32)
        for case in file["cases"]:
            expected = case["float32"]
            theta = torch.tensor(expected["theta"], dtype=torch.float32)
            d = case["rotary_dim"]
            if expected["theta_from"] == "transformers":
                compare("theta", globals()[file["rule"]](case["frequencies"], case["head_dim"], d), theta, True)
            angles = (theta[None, :, None] @ positions[None, None, :]).transpose(1, 2)[0]
            tables = {key: torch.tensor([row[key] for row in expected["tables"]]) for key in ("cos", "sin")}
            compare("cos and sin", angles.cos() * case["magnitude"], tables["cos"])
            compare("cos and sin", angles.sin() * case["magnitude"], tables["sin"])
            x = torch.tensor(case["x"])
            for pairing, y in expected["rotated"].items():
                made = rotate(x[:d].expand(len(positions), d), tables["cos"], tables["sin"], pairing)
                compare("rotated", torch.cat((made, x[d:].expand(len(positions), -1)), -1), torch.tensor(y))
    failed = False
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads")
    for stage, (count, other, worst) in rows.items():
        failed = failed or worst > ALLOWED_ULPS[stage]
        print(f"{stage}: {count} values, {other} differ, worst {worst:.2f} ulps of {ALLOWED_ULPS[stage]} allowed")
    sys.exit(failed)


if __name__ == "__main__":
    main()
