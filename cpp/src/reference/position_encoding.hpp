#pragma once

// Attention under each position encoding in plain loops, as its paper has it: the specification of
// position_encoding/. Everything (B,T,T) is computed one pair at a time, in the order of the formulas.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ropewalk::reference {

/// One layer's projections. B batch, T tokens, H heads, D head dimension.
template <class Real>
struct Projections {
  std::size_t batch, tokens, heads, head_dim;
  std::vector<Real> qkv;           // (B,T,3,H,D)
  std::vector<std::uint8_t> keys;  // (B,T), 0 is padding; or none
  std::vector<Real> input = {};    // (B,T,H D), what they are projections of, where an encoding reads it

  enum Part { query = 0, key = 1, value = 2 };
  const Real* at(std::size_t b, std::size_t t, Part part, std::size_t h) const {
    return qkv.data() + (((b * tokens + t) * 3 + part) * heads + h) * head_dim;
  }
  bool seen(std::size_t b, std::size_t t) const {
    const auto row = keys.begin() + static_cast<std::ptrdiff_t>(b * tokens);
    const auto end = row + static_cast<std::ptrdiff_t>(keys.empty() ? 0 : tokens);
    return keys.empty() || row[static_cast<std::ptrdiff_t>(t)] != 0 ||
           std::all_of(row, end, [](std::uint8_t each) { return each == 0; });
  }
  Real scale() const { return 1 / std::sqrt(static_cast<Real>(head_dim)); }
};

template <class Real>
Real dot(const Real* a, const Real* b, std::size_t n) {
  Real sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// context (B,T,H,D) = sum_j weight(b, h, i, j) v_j / sum_j divisor(b, h, i, j), over the keys that are seen.
template <class Real, class Weight, class Divisor>
std::vector<Real> attend(const Projections<Real>& x, Weight&& weight, Divisor&& divisor) {
  std::vector<Real> context(x.batch * x.tokens * x.heads * x.head_dim);
  for (std::size_t b = 0; b < x.batch; ++b) {
    for (std::size_t i = 0; i < x.tokens; ++i) {
      for (std::size_t h = 0; h < x.heads; ++h) {
        Real* out = context.data() + ((b * x.tokens + i) * x.heads + h) * x.head_dim;
        Real sum = 0;
        for (std::size_t j = 0; j < x.tokens; ++j) {
          if (!x.seen(b, j)) continue;
          const Real* v = x.at(b, j, Projections<Real>::value, h);
          const Real each = weight(b, h, i, j);
          for (std::size_t d = 0; d < x.head_dim; ++d) out[d] += each * v[d];
          sum += divisor(b, h, i, j);
        }
        for (std::size_t d = 0; d < x.head_dim; ++d) out[d] /= sum;
      }
    }
  }
  return context;
}

/// Softmax of score(b, h, i, j).
template <class Real, class Score>
std::vector<Real> softmax_attend(const Projections<Real>& x, Score&& score) {
  const auto weight = [&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
    return std::exp(score(b, h, i, j));
  };
  return attend(x, weight, weight);
}

/// T5's relative_position_bucket, both ways, 32 buckets, largest distance 128.
inline std::size_t t5_bucket(std::ptrdiff_t relative) {
  const std::size_t side = relative > 0 ? 16 : 0;
  const auto distance = static_cast<double>(relative < 0 ? -relative : relative);
  if (distance < 8) return side + static_cast<std::size_t>(distance);
  const double steps = std::log(distance / 8) / std::log(128.0 / 8) * 8;
  return side + std::min<std::size_t>(15, 8 + static_cast<std::size_t>(steps));
}

/// weight (32,H)
template <class Real>
std::vector<Real> attend_t5(const Projections<Real>& x, const std::vector<Real>& weight) {
  using P = Projections<Real>;
  return softmax_attend(x, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
    const auto relative = static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(i);
    return dot(x.at(b, i, P::query, h), x.at(b, j, P::key, h), x.head_dim) * x.scale() +
           weight[t5_bucket(relative) * x.heads + h];
  });
}

/// A slope for keys before the query and one for those after it, as shares of 2^(-8(h+1)/H).
template <class Real>
std::vector<Real> attend_alibi(const Projections<Real>& x, Real before, Real after) {
  using P = Projections<Real>;
  return softmax_attend(x, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
    const Real slope = std::exp2(-8 * static_cast<Real>(h + 1) / static_cast<Real>(x.heads));
    const Real distance = static_cast<Real>(i) - static_cast<Real>(j);
    return dot(x.at(b, i, P::query, h), x.at(b, j, P::key, h), x.head_dim) * x.scale() -
           slope * std::fabs(distance) * (distance > 0 ? before : after);
  });
}

/// weight (H D, H D), u and v (H,D)
template <class Real>
std::vector<Real> attend_transformer_xl(const Projections<Real>& x, const std::vector<Real>& weight,
                                        const std::vector<Real>& u, const std::vector<Real>& v) {
  using P = Projections<Real>;
  const std::size_t hidden = x.heads * x.head_dim;
  return softmax_attend(x, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
    const Real distance = static_cast<Real>(i) - static_cast<Real>(j);
    std::vector<Real> sinusoid(hidden);
    for (std::size_t c = 0; c < hidden; ++c) {
      const Real angle =
          distance * std::pow(Real(10000), -static_cast<Real>(c / 2 * 2) / static_cast<Real>(hidden));
      sinusoid[c] = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
    const Real *q = x.at(b, i, P::query, h), *k = x.at(b, j, P::key, h);
    Real score = 0;
    for (std::size_t d = 0; d < x.head_dim; ++d) {
      const std::size_t c = h * x.head_dim + d;
      score +=
          (q[d] + u[c]) * k[d] + (q[d] + v[c]) * dot(weight.data() + c * hidden, sinusoid.data(), hidden);
    }
    return score * x.scale();
  });
}

/// The head at `position`, in interleaved pairs.
template <class Real>
std::vector<Real> rotated(const std::vector<Real>& head, std::size_t position,
                          const std::vector<Real>& theta) {
  std::vector<Real> y(head.size());
  for (std::size_t j = 0; j < theta.size(); ++j) {
    const Real phi = static_cast<Real>(position) * theta[j], a = head[2 * j], b = head[2 * j + 1];
    y[2 * j] = a * std::cos(phi) - b * std::sin(phi);
    y[2 * j + 1] = a * std::sin(phi) + b * std::cos(phi);
  }
  return y;
}

template <class Real>
Real rotated_dot(const std::vector<Real>& q, std::size_t i, const std::vector<Real>& k, std::size_t j,
                 const std::vector<Real>& theta) {
  return dot(rotated(q, i, theta).data(), rotated(k, j, theta).data(), q.size());
}

template <class Real>
std::vector<Real> default_theta(std::size_t head_dim) {
  std::vector<Real> theta;
  for (std::size_t j = 0; j < head_dim / 2; ++j) {
    theta.push_back(std::pow(Real(10000), -static_cast<Real>(2 * j) / static_cast<Real>(head_dim)));
  }
  return theta;
}

/// alpha and rho (H)
template <class Real>
std::vector<Real> attend_receptive_field(const Projections<Real>& x, const std::vector<Real>& alpha,
                                         const std::vector<Real>& rho) {
  using P = Projections<Real>;
  return softmax_attend(x, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
    std::vector<Real> theta = default_theta<Real>(x.head_dim);
    for (Real& each : theta) each = alpha[h] * std::pow(Real(10000), -rho[h]) + (1 - alpha[h]) * each;
    const Real *q = x.at(b, i, P::query, h), *k = x.at(b, j, P::key, h);
    return rotated_dot<Real>({q, q + x.head_dim}, i, {k, k + x.head_dim}, j, theta) * x.scale();
  });
}

/// Clipped RoPE: the last `clip` pairs fade by (1 + cos t) / 2, t from 0 to pi.
template <class Real>
std::vector<Real> attend_clipped(const Projections<Real>& x, std::size_t clip) {
  using P = Projections<Real>;
  std::vector<Real> theta = default_theta<Real>(x.head_dim);
  for (std::size_t i = 0; i < clip; ++i) {
    const Real t = std::acos(Real(-1)) * static_cast<Real>(i) / static_cast<Real>(clip - 1);
    theta[theta.size() - clip + i] *= (1 + std::cos(t)) / 2;
  }
  return softmax_attend(x, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
    const Real *q = x.at(b, i, P::query, h), *k = x.at(b, j, P::key, h);
    return rotated_dot<Real>({q, q + x.head_dim}, i, {k, k + x.head_dim}, j, theta) * x.scale();
  });
}

/// PoPE; delta (H,D), of which what lies from -2 pi to 0 counts.
template <class Real>
std::vector<Real> attend_pope(const Projections<Real>& x, const std::vector<Real>& delta) {
  using P = Projections<Real>;
  const auto softplus = [](Real value) { return std::log1p(std::exp(value)); };
  return softmax_attend(x, [&](std::size_t b, std::size_t h, std::size_t m, std::size_t n) {
    const Real *q = x.at(b, m, P::query, h), *k = x.at(b, n, P::key, h);
    Real score = 0;
    for (std::size_t c = 0; c < x.head_dim; ++c) {
      const Real theta = std::pow(Real(10000), -static_cast<Real>(c) / static_cast<Real>(x.head_dim));
      const Real phase = std::clamp(delta[h * x.head_dim + c], -2 * std::acos(Real(-1)), Real(0));
      const Real distance = static_cast<Real>(m) - static_cast<Real>(n);
      score += softplus(q[c]) * softplus(k[c]) * std::cos(distance * theta - phase);
    }
    return score * x.scale();
  });
}

/// RoPE++ of H heads of projections: context (B,T,2H,D), of the real heads and then of the imaginary ones, whose
/// queries are turned by -pi/2.
template <class Real>
std::vector<Real> attend_rope_plus_plus(const Projections<Real>& x) {
  using P = Projections<Real>;
  const std::vector<Real> theta = default_theta<Real>(x.head_dim);
  std::vector<Real> parts[2];
  for (const bool imaginary : {false, true}) {
    parts[imaginary ? 1 : 0] =
        softmax_attend(x, [&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
          const Real *q = x.at(b, i, P::query, h), *k = x.at(b, j, P::key, h);
          std::vector<Real> query = rotated<Real>({q, q + x.head_dim}, i, theta);
          for (std::size_t c = 0; imaginary && c < x.head_dim; c += 2) {
            const Real first = query[c];
            query[c] = query[c + 1];
            query[c + 1] = -first;
          }
          const std::vector<Real> key = rotated<Real>({k, k + x.head_dim}, j, theta);
          return dot(query.data(), key.data(), x.head_dim) * x.scale();
        });
  }
  std::vector<Real> context;
  const auto width = static_cast<std::ptrdiff_t>(x.heads * x.head_dim);
  for (std::ptrdiff_t row = 0; row < static_cast<std::ptrdiff_t>(x.batch * x.tokens); ++row) {
    for (const std::vector<Real>& part : parts)
      context.insert(context.end(), part.begin() + row * width, part.begin() + (row + 1) * width);
  }
  return context;
}

/// A bias of the distance that the query's token mixes: weight (H P, C), profiles (P, 2E-1).
template <class Real>
std::vector<Real> attend_distance_bias(const Projections<Real>& x, const std::vector<Real>& weight,
                                       const std::vector<Real>& profiles, std::size_t extent) {
  using P = Projections<Real>;
  const std::size_t hidden = x.input.size() / (x.batch * x.tokens), row = 2 * extent - 1,
                    count = profiles.size() / row;
  return softmax_attend(x, [&](std::size_t b, std::size_t h, std::size_t m, std::size_t n) {
    Real score = dot(x.at(b, m, P::query, h), x.at(b, n, P::key, h), x.head_dim) * x.scale();
    const std::ptrdiff_t distance = static_cast<std::ptrdiff_t>(m) - static_cast<std::ptrdiff_t>(n);
    const std::ptrdiff_t column = distance + static_cast<std::ptrdiff_t>(extent) - 1;
    if (column < 0 || column >= static_cast<std::ptrdiff_t>(row)) return score;
    for (std::size_t p = 0; p < count; ++p) {
      score += dot(weight.data() + (h * count + p) * hidden, x.input.data() + (b * x.tokens + m) * hidden,
                   hidden) *
               profiles[p * row + static_cast<std::size_t>(column)];
    }
    return score;
  });
}

/// phi(x) = elu(x) + 1
template <class Real>
std::vector<Real> attend_linear(const Projections<Real>& x) {
  using P = Projections<Real>;
  const auto features = [&](std::size_t b, std::size_t t, typename P::Part part, std::size_t h) {
    const Real* from = x.at(b, t, part, h);
    std::vector<Real> phi(from, from + x.head_dim);
    for (Real& each : phi) each = each > 0 ? each + 1 : std::exp(each);
    return phi;
  };
  const std::vector<Real> theta = default_theta<Real>(x.head_dim), still(x.head_dim / 2);
  const auto product = [&](const std::vector<Real>& turn) {
    return [&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
      return rotated_dot(features(b, i, P::query, h), i, features(b, j, P::key, h), j, turn);
    };
  };
  return attend(x, product(theta), product(still));
}

/// FAVOR+ features of rotated queries and keys; w (F,D). The stabilising constants are those of `given`,
/// which is x itself unless gradients are taken by differences.
template <class Real>
std::vector<Real> attend_performer(const Projections<Real>& x, const std::vector<Real>& w,
                                   const Projections<Real>& given) {
  using P = Projections<Real>;
  const std::size_t count = w.size() / x.head_dim;
  const auto exponents = [&](const Projections<Real>& from, std::size_t b, std::size_t t,
                             typename P::Part part, std::size_t h, Real& square) {
    const Real* head = from.at(b, t, part, h);
    const std::vector<Real> turned =
        rotated<Real>({head, head + x.head_dim}, t, default_theta<Real>(x.head_dim));
    square = dot(turned.data(), turned.data(), x.head_dim);
    std::vector<Real> result;
    for (std::size_t m = 0; m < count; ++m) {
      result.push_back(dot(turned.data(), w.data() + m * x.head_dim, x.head_dim) * std::sqrt(x.scale()));
    }
    return result;
  };
  const auto features = [&](std::size_t b, std::size_t t, typename P::Part part, std::size_t h) {
    Real largest = -INFINITY, square = 0;
    for (std::size_t other = 0; other < x.tokens; ++other) {
      if (part == P::query ? other != t : !x.seen(b, other)) continue;
      for (const Real each : exponents(given, b, other, part, h, square)) largest = std::max(largest, each);
    }
    std::vector<Real> phi = exponents(x, b, t, part, h, square);
    for (Real& each : phi) each = std::exp(each - square * x.scale() / 2 - largest) + Real(1e-4);
    return phi;
  };
  const auto product = [&](std::size_t b, std::size_t h, std::size_t i, std::size_t j) {
    return dot(features(b, i, P::query, h).data(), features(b, j, P::key, h).data(), count);
  };
  return attend(x, product, product);
}

}  // namespace ropewalk::reference
