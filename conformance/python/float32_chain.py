"""A rule in PyTorch's float32 arithmetic, step by step, without PyTorch.

The steps are those of `ROPE_INIT_FUNCTIONS`, of the rotary module's forward and of `apply_rotary_pos_emb` in Hugging
Face transformers 4.57 and 5. `f` marks every rounding to float32. Sums, products and quotients are rounded as IEEE 754
says, so they are the bits of any machine. pow, cos and sin are rounded correctly here; PyTorch's vectorised ones may
differ from that by an ulp or two, which `torch_check.py` counts.
"""

import math

import rules
from precise import cos_sin, float32, number, power

f = float32


def _pow(base, exponent):
    """torch.pow(base, tensor): the scalar base becomes a float32."""
    return f(power(f(base), number(exponent))) if exponent else 1.0


def _inverse(x):
    """1.0 / tensor, which PyTorch computes as reciprocal() * 1.0."""
    return f(1.0 / x)


def _scalar_over(scalar, x):
    """scalar / tensor, which PyTorch computes as reciprocal() * scalar: two roundings."""
    return f(_inverse(x) * f(scalar))


def _powers(base, d, count=None):
    """base ** (torch.arange(0, d, 2).float() / d)"""
    return [_pow(base, f(2 * j / f(d))) for j in range(d // 2 if count is None else count)]


def _default(base, d):
    return [_inverse(each) for each in _powers(base, d)]


def default(p, head_dim, d):
    return _default(p["base"], d)


def linear(p, head_dim, d):
    return [f(theta / f(p["factor"])) for theta in _default(p["base"], d)]


def ntk(p, head_dim, d):
    return _default(p["base"] * p["factor"] ** (d / (d - 2)), d)


def dynamic(p, head_dim, d):
    length = max(p["sequence_length"], p["max_positions"])
    scale = p["factor"] * length / p["max_positions"] - (p["factor"] - 1)
    return _default(p["base"] * scale ** (d / (d - 2)), d)


def yarn(p, head_dim, d):
    low, high = (float(each) for each in rules.yarn_range(p, d))
    theta = []
    for j, each in enumerate(_powers(p["base"], d)):
        extrapolated, interpolated = _inverse(each), _inverse(f(f(p["factor"]) * each))
        ramp = min(max(f(f(j - f(low)) / f(high - low)), 0.0), 1.0)
        keep = f(1.0 - ramp)
        theta.append(f(f(interpolated * f(1.0 - keep)) + f(extrapolated * keep)))
    return theta


def longrope(p, head_dim, d):
    divisors = p["long_factor"] if p["sequence_length"] > p["original_max_positions"] else p["short_factor"]
    return [_inverse(f(f(by) * each)) for by, each in zip(divisors, _powers(p["base"], d))]


def llama3(p, head_dim, d):
    factor, original = p["factor"], p["original_max_positions"]
    low, high = p["low_frequency_factor"], p["high_frequency_factor"]
    theta = []
    for own in _default(p["base"], d):
        wavelength = _scalar_over(2 * math.pi, own)
        scaled = f(own / f(factor)) if wavelength > f(original / low) else own
        smooth = f(f(_scalar_over(original, wavelength) - f(low)) / f(high - low))
        between = f(f(f(f(1.0 - smooth) * scaled) / f(factor)) + f(smooth * scaled))
        medium = not wavelength < f(original / high) and not wavelength > f(original / low)
        theta.append(between if medium else scaled)
    return theta


def proportional(p, head_dim, d):
    turning = int(p["fraction"] * head_dim // 2)
    own = [_inverse(each) for each in _powers(p["base"], head_dim, turning)]
    return [f(theta / f(p.get("factor", 1))) for theta in own + [0.0] * (head_dim // 2 - turning)]


# Rules that transformers does not have: theta is the exact one, rounded to float32.
CHAINS = {
    "default": default,
    "linear": linear,
    "ntk": ntk,
    "dynamic": dynamic,
    "yarn": yarn,
    "longrope": longrope,
    "llama3": llama3,
    "proportional": proportional,
}


def table(theta, magnitude, position):
    """cos and sin of float32(position) * theta, each times float32(magnitude)."""
    rows = ([], [])
    for each in theta:
        angle = f(f(position) * each)
        for row, value in zip(rows, cos_sin(number(angle))):
            row.append(f(f(value) * f(magnitude)))
    return rows


def rotate_pair(a, b, cos, sin):
    """x * cos + rotate_half(x) * sin"""
    return f(f(a * cos) + f(-b * sin)), f(f(b * cos) + f(a * sin))
