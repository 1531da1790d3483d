"""theta_j in radians per position and the attention scaling (magnitude) of every rule, to 60 digits.

Each function takes the rule's parameters, the head dimension D and the rotary dimension d, and returns
([theta_0 ... theta_(d/2-1)], magnitude). The formulas were written from their sources, which the vectors name.
"""

from decimal import Decimal

from precise import PI, ceil, floor, number, power


def default_theta(base, d):
    """theta_j = base^(-2j/d)"""
    return [power(base, Decimal(-2 * j) / d) for j in range(d // 2)]


def default(p, head_dim, d):
    return default_theta(p["base"], d), Decimal(1)


def linear(p, head_dim, d):
    return [theta / number(p["factor"]) for theta in default_theta(p["base"], d)], Decimal(1)


def _grown(base, scale, d):
    return number(base) * power(scale, Decimal(d) / (d - 2))


def ntk(p, head_dim, d):
    return default_theta(_grown(p["base"], number(p["factor"]), d), d), Decimal(1)


def ntk_su(p, head_dim, d):
    factor = number(p["factor"])
    own = default_theta(number(p["base"]) * factor, d)
    return [theta / power(factor, Decimal(2) / d) for theta in own], Decimal(1)


def ntk_mixed(p, head_dim, d):
    exponent = number(p["mixed_b"])
    a = number(p["factor"]).ln() / power(Decimal(d) / 2, exponent)
    own = default_theta(p["base"], d)
    return [theta / (a * power(j + 1, exponent)).exp() for j, theta in enumerate(own)], Decimal(1)


def dynamic(p, head_dim, d):
    factor, limit = number(p["factor"]), number(p["max_positions"])
    length = max(number(p["sequence_length"]), limit)
    return default_theta(_grown(p["base"], factor * length / limit - (factor - 1), d), d), Decimal(1)


def _attention_scale(factor, mscale):
    return Decimal(1) if factor <= 1 else number("0.1") * mscale * factor.ln() + 1


def yarn_magnitude(p):
    factor = number(p["factor"])
    if p.get("attention_factor") is not None:
        return number(p["attention_factor"])
    if p.get("mscale") and p.get("mscale_all_dim"):
        return _attention_scale(factor, number(p["mscale"])) / _attention_scale(factor, number(p["mscale_all_dim"]))
    return _attention_scale(factor, Decimal(1))


def yarn_range(p, d):
    """Pairs between which the ramp lies."""
    base, original = number(p["base"]), number(p["original_max_positions"])

    def pair(turns):
        return d * (original / (number(turns) * 2 * PI)).ln() / (2 * base.ln())

    low, high = pair(p.get("beta_fast", 32)), pair(p.get("beta_slow", 1))
    if p.get("truncate", True):
        low, high = floor(low), ceil(high)
    low, high = max(low, Decimal(0)), min(high, Decimal(d - 1))
    return low, high + number("0.001") if low == high else high


def yarn(p, head_dim, d):
    factor = number(p["factor"])
    low, high = yarn_range(p, d)
    theta = []
    for j, own in enumerate(default_theta(p["base"], d)):
        ramp = min(max((j - low) / (high - low), Decimal(0)), Decimal(1))
        theta.append(own * (1 - ramp) + own / factor * ramp)
    return theta, yarn_magnitude(p)


def longrope(p, head_dim, d):
    original = number(p["original_max_positions"])
    divisors = p["long_factor"] if number(p["sequence_length"]) > original else p["short_factor"]
    theta = [own / number(by) for own, by in zip(default_theta(p["base"], d), divisors)]
    if p.get("attention_factor") is not None:
        return theta, number(p["attention_factor"])
    factor = number(p.get("factor", 1))
    return theta, Decimal(1) if factor <= 1 else (1 + factor.ln() / original.ln()).sqrt()


def llama3(p, head_dim, d):
    factor, original = number(p["factor"]), number(p["original_max_positions"])
    low, high = number(p["low_frequency_factor"]), number(p["high_frequency_factor"])
    theta = []
    for own in default_theta(p["base"], d):
        wavelength = 2 * PI / own
        if wavelength < original / high:
            theta.append(own)
        elif wavelength > original / low:
            theta.append(own / factor)
        else:
            smooth = (original / wavelength - low) / (high - low)
            theta.append((1 - smooth) * own / factor + smooth * own)
    return theta, Decimal(1)


def proportional(p, head_dim, d):
    turning = int(floor(number(p["fraction"]) * head_dim / 2))
    own = default_theta(p["base"], head_dim)
    return [theta / number(p.get("factor", 1)) if j < turning else Decimal(0) for j, theta in enumerate(own)], Decimal(1)


def receptive_field(p, head_dim, d):
    alpha, shared = number(p["alpha"]), power(10000, -number(p["rho"]))
    return [alpha * shared + (1 - alpha) * own for own in default_theta(p["base"], d)], Decimal(1)


def custom(p, head_dim, d):
    return [number(theta) for theta in p["frequencies"]], number(p.get("magnitude", 1))


RULES = {
    "default": default,
    "linear": linear,
    "ntk": ntk,
    "ntk-su": ntk_su,
    "ntk-mixed": ntk_mixed,
    "dynamic": dynamic,
    "yarn": yarn,
    "longrope": longrope,
    "llama3": llama3,
    "proportional": proportional,
    "receptive-field": receptive_field,
    "custom": custom,
}
