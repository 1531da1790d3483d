#pragma once

// log, exp and pow that give the same bits everywhere, which those of C libraries do not: they use nothing but sums,
// products and quotients of doubles. Values are computed with about 100 bits and rounded once at the end, so that nearly
// every result is the nearest double. Special values are those of the C library.

namespace ropewalk {

double natural_log(double x);
double binary_log(double x);
/// e to the power of x.
double exponential(double x);
/// x to the power of y, for x >= 0.
double power(double x, double y);

}  // namespace ropewalk
