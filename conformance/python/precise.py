"""Numbers with 60 digits, and their rounding to float64 and float32. Standard library only.

Every value of the vectors is computed here to 60 digits and rounded once, so it is the float nearest to the true value.
"""

import struct
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, getcontext

DIGITS = 60
getcontext().prec = DIGITS


def number(value):
    """The exact value of an int, a float or a Decimal."""
    return value if isinstance(value, Decimal) else Decimal(value)


def power(base, exponent):
    """base^exponent for base > 0."""
    return (number(exponent) * number(base).ln()).exp() if exponent else Decimal(1)


def _arctan_of_inverse(n):
    """arctan(1/n) by its series."""
    total, term, k = Decimal(0), Decimal(1) / n, 0
    while abs(term) > Decimal(10) ** -(DIGITS + 30):
        total += term / (2 * k + 1) * (-1 if k % 2 else 1)
        term /= n * n
        k += 1
    return total


def _pi():
    """Machin's formula, with 25 digits more than the rest needs, since angles reach 10^6."""
    getcontext().prec = DIGITS + 25
    value = 4 * (4 * _arctan_of_inverse(5) - _arctan_of_inverse(239))
    getcontext().prec = DIGITS
    return value


PI = _pi()


def cos_sin(angle):
    """cos and sin of an angle in radians, by reduction to [-pi/4, pi/4] and Taylor's series."""
    getcontext().prec = DIGITS + 25
    quarter = (angle / (PI / 2)).to_integral_value(ROUND_HALF_EVEN)
    r = angle - quarter * (PI / 2)
    getcontext().prec = DIGITS
    square, term, cos, sin, k = r * r, Decimal(1), Decimal(0), Decimal(0), 0
    while True:
        cos += term
        odd = term * r / (2 * k + 1)
        sin += odd
        if abs(term) < Decimal(10) ** -(DIGITS - 5):
            break
        term *= -square / ((2 * k + 1) * (2 * k + 2))
        k += 1
    return ((cos, sin), (-sin, cos), (-cos, -sin), (sin, -cos))[int(quarter) % 4]


def floor(value):
    return value.to_integral_value(ROUND_FLOOR)


def ceil(value):
    return -floor(-value)


def float64(value):
    """The nearest float64. Python rounds decimals of any length correctly."""
    return float(value)


def _single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def float32(value):
    """The nearest float32 of a float or a Decimal, as a Python float."""
    double = float(value)
    single = _single(double)
    # A Decimal is rounded twice here, which is wrong only where the float64 lies halfway between two float32.
    other = 2 * double - single
    if isinstance(value, Decimal) and other != single and _single(other) == other:
        return min((single, other), key=lambda each: abs(Decimal(each) - value))
    return single


def text32(value):
    """The shortest decimal that reads back as the same float32."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if _single(float(text)) == value:
            return repr(float(text))
    raise ValueError(value)
