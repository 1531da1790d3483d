"""Ropes whose tokens have several positions, one for each axis: which axis rotates which pair, and where its channels are.

Each case is expanded here, from the description of its axes, into one frequency for each axis and pair and the two
channels of each pair. Everything is computed to 60 digits, as the rest of the vectors. Standard library only.
"""

from decimal import Decimal

import rules
from precise import cos_sin, float64, number

FORMULA = (
    "pair j turns by the sum over the axes a of position_a * theta_a_j; theta_a_j is 0 where axis a does not rotate pair j"
)
SOURCE = (
    "M-RoPE of Qwen2-VL (arXiv 2409.12191) and Qwen3-VL, Flux, Wan, ERNIE 4.5 VL, GLM-4V, Gemma 4, DINOv3 as their "
    "published code has them; RoPE-ViT (arXiv 2403.13298)"
)

# The patches of a grid of 3 rows: 2 pi times the coordinate of a row's centre, from -1 to 1.
DINO_ROWS = [2 * 3.141592653589793 * ((row + 0.5) / 3 * 2 - 1) for row in range(3)]
MIXED = [[0.75, -0.5, 0.25, 0.125, -0.0625, 1, 0, 0.03125], [0.5, 0.75, -0.25, 0, 0.0625, -1, 0.375, 0.015625]]

# (name, source, head_dim, rotary_dim, pairing, axes, frequencies, positions beside those of every case)
CASES = [
    ("chunked sections", "Qwen2-VL", 32, 32, "half", {"sections": [4, 6, 6]}, {"type": "default", "base": 1000000}, []),
    ("interleaved sections", "Qwen3-VL", 32, 32, "half", {"sections": [6, 5, 5], "order": "interleaved"},
     {"type": "default", "base": 5000000}, []),
    ("sections of a part of the head", "GLM-4V", 32, 16, "interleaved", {"sections": [4, 2, 2]},
     {"type": "default", "base": 10000}, []),
    ("sections with a rule that scales", "Qwen2.5-VL with YaRN", 32, 32, "half", {"sections": [4, 6, 6]},
     {"type": "yarn", "base": 1000000, "factor": 4, "original_max_positions": 32768}, []),
    ("an axis for each pair", "ERNIE 4.5 VL: rows and columns alternate, time has the last pairs", 32, 32, "interleaved",
     {"order": [1, 2] * 6 + [0] * 4}, {"type": "default", "base": 500000}, []),
    ("an axis for each pair, half pairing, an axis without pairs", "none", 16, 16, "half",
     {"order": [3, 0, 0, 1, 3, 3, 1, 0]}, {"type": "default", "base": 10000}, []),
    ("frequencies restart", "Flux: text, row, column", 32, 32, "interleaved",
     {"sections": [4, 6, 6], "restart_frequencies": True}, {"type": "default", "base": 10000}, []),
    ("four axes", "Flux 2", 32, 32, "interleaved", {"sections": [4, 4, 4, 4], "restart_frequencies": True},
     {"type": "default", "base": 2000}, []),
    ("frequencies restart, linear", "none", 24, 24, "half", {"sections": [4, 8], "restart_frequencies": True},
     {"type": "linear", "base": 10000, "factor": 4}, []),
    ("coordinates as positions", "DINOv3: 2 pi times the centre of a patch", 16, 16, "half",
     {"sections": [4, 4], "restart_frequencies": True}, {"type": "default", "base": 100},
     [[row, -row / 2] for row in DINO_ROWS]),
    ("pairs inside each section", "Gemma 4, pictures", 32, 32, "half",
     {"sections": [8, 8], "restart_frequencies": True, "pair_within": "section"}, {"type": "default", "base": 100}, []),
    ("pairs inside sections of two sizes, a part of the head", "none", 32, 20, "half",
     {"sections": [4, 6], "pair_within": "section"}, {"type": "default", "base": 10000}, []),
    ("mixed: every axis rotates every pair", "RoPE-ViT, learned", 16, 16, "interleaved", {"sections": [8, 8]},
     {"type": "custom", "frequencies": MIXED[0] + MIXED[1]}, []),
]


def axis_of_pairs(axes, pairs):
    """The axis that rotates each pair; None where every axis rotates every pair."""
    order, sections = axes.get("order", "chunked"), axes.get("sections")
    if isinstance(order, list):
        return order
    if len(sections) > 1 and all(each == pairs for each in sections):
        return None
    if order == "chunked":
        return [axis for axis, count in enumerate(sections) for _ in range(count)]
    # Axis a >= 1 of n has the pairs a, a + n, a + 2n, ... as many as its section counts; axis 0 has all others.
    axis_of = [0] * pairs
    for axis in range(1, len(sections)):
        for i in range(sections[axis]):
            axis_of[axis + i * len(sections)] = axis
    return axis_of


def channels_of_pairs(axes, pairs, pairing):
    """The first channel of each pair, and the second of each."""
    if pairing == "interleaved":
        return [[2 * j for j in range(pairs)], [2 * j + 1 for j in range(pairs)]]
    if axes.get("pair_within", "head") == "head":
        return [list(range(pairs)), list(range(pairs, 2 * pairs))]
    first, second, begin = [], [], 0
    for count in axes["sections"]:
        first += range(begin, begin + count)
        second += range(begin + count, begin + 2 * count)
        begin += 2 * count
    return [first, second]


def thetas(axes, frequencies, head_dim, d):
    """(theta for each axis and pair, magnitude), to 60 digits."""
    pairs, rule = d // 2, rules.RULES[frequencies["type"]]
    axis_of = axis_of_pairs(axes, pairs)
    if axis_of is None:
        given = [number(each) for each in frequencies["frequencies"]]
        return [given[a * pairs : (a + 1) * pairs] for a in range(len(axes["sections"]))], Decimal(1)
    if axes.get("restart_frequencies"):
        own = [each for count in axes["sections"] for each in rule(frequencies, 2 * count, 2 * count)[0]]
        magnitude = Decimal(1)
    else:
        own, magnitude = rule(frequencies, head_dim, d)
    rows = range(max(axis_of) + 1)
    return [[own[j] if axis_of[j] == axis else Decimal(0) for j in range(pairs)] for axis in rows], magnitude


def positions_of(count, more):
    """Positions of the tokens of a case: one list for each token."""
    origin = [0] * count
    units = [[1 if a == axis else 0 for a in range(count)] for axis in range(count)]
    near = [[3 + 2 * axis for axis in range(count)], [7 - 5 * axis for axis in range(count)]]
    far = [[(8191, 131072, 1000000, 77)[axis] for axis in range(count)], [1000000] * count]
    fractions = [[0.5 - 0.75 * axis for axis in range(count)]]
    return [origin, *units, *near, *far, *fractions, *more]


def make_case(name, source, head_dim, d, pairing, axes, frequencies, more, sample):
    theta, magnitude = thetas(axes, frequencies, head_dim, d)
    theta, magnitude = [[float64(each) for each in row] for row in theta], float64(magnitude)
    channels, x = channels_of_pairs(axes, d // 2, pairing), sample(head_dim)
    positions, tables, rows = positions_of(len(theta), more), [], []
    scale = number(magnitude)
    for position in positions:
        phasors = [cos_sin(sum(number(p) * number(each) for p, each in zip(position, column))) for column in zip(*theta)]
        tables.append({"cos": [float64(scale * cos) for cos, _ in phasors],
                       "sin": [float64(scale * sin) for _, sin in phasors]})
        y = list(x)
        for first, second, (cos, sin) in zip(*channels, phasors):
            a, b = number(x[first]), number(x[second])
            y[first], y[second] = float64(scale * (a * cos - b * sin)), float64(scale * (a * sin + b * cos))
        rows.append(y)
    return {
        "name": name,
        "source": source,
        "head_dim": head_dim,
        "rotary_dim": d,
        "pairing": pairing,
        "axes": axes,
        "frequencies": frequencies,
        "channels": channels,
        "theta": theta,
        "magnitude": magnitude,
        "positions": positions,
        "x": x,
        "tables": tables,
        "rotated": rows,
    }
