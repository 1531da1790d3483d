"""RoPE in plain Python float64, for the rules that take few lines: an example of an adapter."""

import math

PRECISION = "float64"
AXES = True


def frequencies(rule, d):
    base = rule.get("base")
    own = [base ** (-2 * j / d) for j in range(d // 2)] if base else []
    if rule["type"] == "default":
        return own
    if rule["type"] == "linear":
        return [theta / rule["factor"] for theta in own]
    return None


class Rope:
    def __init__(self, theta, d, pairing, axis_of):
        self._theta, self._d, self._pairing, self._axis_of = theta, d, pairing, axis_of

    def theta(self):
        return self._theta

    def magnitude(self):
        return 1.0

    def table(self, position):
        """`position` has one number for each axis where there are several."""
        at = position if isinstance(position, list) else [position]
        angles = [at[axis] * theta for axis, theta in zip(self._axis_of, self._theta)]
        return [math.cos(angle) for angle in angles], [math.sin(angle) for angle in angles]

    def rotate(self, x, position):
        y, half = list(x), self._d // 2
        for j, (cos, sin) in enumerate(zip(*self.table(position))):
            a, b = (j, j + half) if self._pairing == "half" else (2 * j, 2 * j + 1)
            y[a], y[b] = x[a] * cos - x[b] * sin, x[a] * sin + x[b] * cos
        return y


def make(case, pairing):
    """None for a rule, or an order of axes, that this implementation does not have."""
    d, axes = case["rotary_dim"], case.get("axes", {})
    theta = frequencies(case["frequencies"], d)
    axis_of = axes.get("order", [axis for axis, count in enumerate(axes.get("sections", [d // 2])) for _ in range(count)])
    if not theta or "pair_within" in axes or "restart_frequencies" in axes or axis_of == "interleaved":
        return None
    return Rope(theta, d, pairing, axis_of)
