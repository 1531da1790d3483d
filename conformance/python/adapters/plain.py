"""RoPE in plain Python float64, for the rules that take few lines: an example of an adapter."""

import math

PRECISION = "float64"


def frequencies(rule, d):
    base = rule.get("base")
    own = [base ** (-2 * j / d) for j in range(d // 2)] if base else []
    if rule["type"] == "default":
        return own
    if rule["type"] == "linear":
        return [theta / rule["factor"] for theta in own]
    return None


class Rope:
    def __init__(self, theta, d, pairing):
        self._theta, self._d, self._pairing = theta, d, pairing

    def theta(self):
        return self._theta

    def magnitude(self):
        return 1.0

    def table(self, position):
        angles = [position * theta for theta in self._theta]
        return [math.cos(angle) for angle in angles], [math.sin(angle) for angle in angles]

    def rotate(self, x, position):
        y, half = list(x), self._d // 2
        for j, (cos, sin) in enumerate(zip(*self.table(position))):
            a, b = (j, j + half) if self._pairing == "half" else (2 * j, 2 * j + 1)
            y[a], y[b] = x[a] * cos - x[b] * sin, x[a] * sin + x[b] * cos
        return y


def make(case, pairing):
    """None for a rule that this implementation does not have."""
    theta = frequencies(case["frequencies"], case["rotary_dim"])
    return theta and Rope(theta, case["rotary_dim"], pairing)
