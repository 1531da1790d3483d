// The properties that define a rotation, for random shapes with tails: the twin of tests/ts/properties.test.ts.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "each_architecture.hpp"
#include "reference/rotate.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk {
namespace rope_properties_test {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

constexpr int runs = 100;

/// A rope of any width with some magnitude, and an array (B,S,H,D) that it rotates.
class Scene {
 public:
  explicit Scene(std::uint64_t seed) : random_(seed) {
    const std::size_t pairs = whole(1, 21), rest = whole(0, 5);
    options.head_dim = 2 * pairs + rest;
    options.rotary_dim = 2 * pairs;
    options.rotary_offset = rest == 0 ? 0 : whole(0, rest);
    options.pairing = whole(0, 1) == 0 ? Pairing::interleaved : Pairing::half;
    batch = whole(1, 3), sequence = whole(1, 9), heads = whole(1, 5);
    for (std::size_t i = 0; i < batch * sequence * heads * options.head_dim; ++i) {
      x.push_back(static_cast<float>(real(-2, 2)));
    }
  }

  std::size_t whole(std::size_t low, std::size_t high) { return low + random_() % (high - low + 1); }
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  /// Far out, now whole, now not.
  double position() {
    const double m = real(-1e8, 1e8);
    return whole(0, 1) == 0 ? std::floor(m) : m;
  }
  Doubles list(std::size_t count) {
    Doubles positions;
    for (std::size_t i = 0; i < count; ++i) positions.push_back(position());
    return positions;
  }
  Placement at(const Positions& positions) const {
    return {.batch = batch, .sequence = sequence, .heads = heads, .positions = positions};
  }
  /// Lengths of the pairs of y.
  Doubles lengths(const Floats& y) const {
    Doubles lengths;
    const std::size_t pairs = *options.rotary_dim / 2;
    for (std::size_t head = options.rotary_offset; head < y.size(); head += options.head_dim) {
      for (std::size_t j = 0; j < pairs; ++j) {
        lengths.push_back(
            std::hypot(static_cast<double>(y[head + reference::first_channel(options.pairing, pairs, j)]),
                       static_cast<double>(y[head + reference::second_channel(options.pairing, pairs, j)])));
      }
    }
    return lengths;
  }

  RopeOptions options;
  std::size_t batch, sequence, heads;
  Floats x;

 private:
  std::mt19937_64 random_;
};

Floats rotated(const Rope& rope, const Floats& x, const Placement& placement, Role role = Role::query) {
  Floats y(x.size());
  rope.rotate(x, y, placement, role);
  return y;
}

double difference(const Floats& a, const Floats& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(a[i]) - b[i]));
  }
  return largest;
}

class RopePropertiesOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(RopePropertiesOn);

TEST_P(RopePropertiesOn, ARotationKeepsTheLengthOfEveryPairAndTheOtherChannels) {
  for (int run = 0; run < runs; ++run) {
    Scene scene(run);
    const Rope rope(scene.options);
    const Floats y = rotated(rope, scene.x, scene.at(scene.position()));
    const Doubles before = scene.lengths(scene.x), after = scene.lengths(y);
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(after[i], before[i], 3e-7 * before[i]) << run;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t channel = i % scene.options.head_dim;
      if (channel < scene.options.rotary_offset ||
          channel >= scene.options.rotary_offset + rope.rotary_dim()) {
        ASSERT_EQ(y[i], scene.x[i]) << run;
      }
    }
  }
}

TEST_P(RopePropertiesOn, UnrotateUndoesRotateWithAnyMagnitude) {
  for (int run = 0; run < runs; ++run) {
    Scene scene(run);
    frequencies::Custom rule{.frequencies = {}, .magnitude = scene.real(0.25, 4)};
    const std::size_t blocks = run % 2 == 0 ? 1 : scene.heads;
    for (std::size_t i = 0; i < blocks * *scene.options.rotary_dim / 2; ++i) {
      rule.frequencies.push_back(scene.real(-1, 1));
    }
    scene.options.frequencies = rule;
    const Rope rope(scene.options);
    const Doubles positions = scene.list(scene.batch * scene.sequence);
    const Placement placement = scene.at(positions);
    Floats back = rotated(rope, scene.x, placement);
    rope.unrotate(back, back, placement);
    ASSERT_LE(difference(back, scene.x), 1e-6) << run;
  }
}

TEST_P(RopePropertiesOn, RotatingByAThenByBIsRotatingByAPlusB) {
  for (int run = 0; run < runs; ++run) {
    Scene scene(run);
    const Rope rope(scene.options);
    const double a = std::floor(scene.position()), b = std::floor(scene.position());
    const auto all = [&](double m) { return Doubles(scene.sequence, m); };
    const Doubles first = all(a), second = all(b), both = all(a + b);
    const Floats steps = rotated(rope, rotated(rope, scene.x, scene.at(first)), scene.at(second));
    ASSERT_LE(difference(steps, rotated(rope, scene.x, scene.at(both))), 1.5e-6) << run;
  }
}

TEST_P(RopePropertiesOn, AScoreDependsOnTheDistanceAlone) {
  for (int run = 0; run < runs; ++run) {
    Scene scene(run);
    const Rope rope(scene.options);
    const std::size_t D = scene.options.head_dim;
    const Floats q(scene.x.begin(), scene.x.begin() + static_cast<std::ptrdiff_t>(D));
    const Floats k(scene.x.end() - static_cast<std::ptrdiff_t>(D), scene.x.end());
    const auto score = [&](double m, double n) {
      const Floats a = rotated(rope, q, {.sequence = 1, .heads = 1, .positions = m});
      const Floats b = rotated(rope, k, {.sequence = 1, .heads = 1, .positions = n});
      double sum = 0;
      for (std::size_t i = 0; i < D; ++i) sum += static_cast<double>(a[i]) * b[i];
      return sum;
    };
    const double distance = std::floor(scene.real(-1000, 1000)), shift = std::floor(scene.real(-1e8, 1e8));
    ASSERT_NEAR(score(shift + distance, shift), score(distance, 0), 4e-5)
        << run << ": " << distance << " at " << shift;
  }
}

TEST_P(RopePropertiesOn, RerotateIsUnrotateThenRotateByTheNewRule) {
  for (int run = 0; run < runs; ++run) {
    Scene scene(run);
    const Rope from(scene.options);
    scene.options.frequencies = frequencies::Yarn{.factor = 4, .original_max_positions = 64};
    const Rope yarn(scene.options);
    const Rope& to = run % 2 == 0 ? from : yarn;
    // A distance is exact where the positions are whole.
    Doubles here, there;
    for (std::size_t i = 0; i < scene.batch * scene.sequence; ++i) {
      here.push_back(std::floor(scene.position()));
      there.push_back(std::floor(scene.position()));
    }
    const Floats cached = rotated(from, scene.x, scene.at(here));
    Floats moved(cached.size()), plain(cached.size());
    from.rerotate(cached, moved, scene.at(here), {.positions = there, .rope = &to});
    from.unrotate(cached, plain, scene.at(here));
    to.rotate(plain, plain, scene.at(there));
    ASSERT_LE(difference(moved, plain), 2e-6) << run;
  }
}

TEST_P(RopePropertiesOn, EveryLayoutGivesTheSameBits) {
  for (int run = 0; run < runs; ++run) {
    Scene scene(run);
    const Rope rope(scene.options);
    const std::size_t B = scene.batch, S = scene.sequence, H = scene.heads, D = scene.options.head_dim;
    const double start = scene.position();
    const Floats expected = rotated(rope, scene.x, scene.at(start));

    // Packed: the batches one after the other, all of the same length.
    std::vector<std::size_t> cuts = {0};
    for (std::size_t b = 0; b < B; ++b) cuts.push_back(cuts.back() + S);
    Placement packed{
        .sequence = B * S, .heads = H, .layout = Layout::thd, .cumulative_lengths = cuts, .positions = start};
    ASSERT_EQ(rotated(rope, scene.x, packed), expected) << run;

    // Any order of heads with gaps between them, which stay as they are.
    const std::size_t gap = scene.whole(0, 3);
    const bool heads_first = scene.whole(0, 1) == 1;
    const auto d = static_cast<std::ptrdiff_t>(D + gap), s = static_cast<std::ptrdiff_t>(S),
               h = static_cast<std::ptrdiff_t>(H);
    const Strides strides = heads_first ? Strides{.batch = h * s * d, .sequence = d, .head = s * d}
                                        : Strides{.batch = s * h * d, .sequence = h * d, .head = d};
    constexpr float untouched = 123;
    Floats wide(B * S * H * (D + gap), untouched);
    const auto each = [&](const auto& visit) {
      for (std::size_t b = 0; b < B; ++b) {
        for (std::size_t t = 0; t < S; ++t) {
          for (std::size_t head = 0; head < H; ++head) {
            const auto to = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(b) * strides.batch +
                                                     static_cast<std::ptrdiff_t>(t) * strides.sequence +
                                                     static_cast<std::ptrdiff_t>(head) * strides.head);
            visit(((b * S + t) * H + head) * D, to);
          }
        }
      }
    };
    each([&](std::size_t from, std::size_t to) { std::copy_n(&scene.x[from], D, &wide[to]); });
    Placement strided = scene.at(start);
    strided.strides = strides;
    rope.rotate(wide, wide, strided);
    each([&](std::size_t from, std::size_t to) {
      for (std::size_t i = 0; i < D; ++i) ASSERT_EQ(wide[to + i], expected[from + i]) << run;
      for (std::size_t i = D; i < D + gap; ++i) ASSERT_EQ(wide[to + i], untouched) << run;
    });
    if (gap == 0) {
      Placement named = scene.at(start);
      named.layout = heads_first ? Layout::bhsd : Layout::bshd;
      Floats y(wide.size());
      rope.unrotate(wide, y, named);
      rope.unrotate(wide, wide, strided);
      ASSERT_EQ(y, wide) << run;
    }
  }
}

TEST_P(RopePropertiesOn, TheRotationTransposedIsTheGradient) {
  // <grad_y, R x> = <R^T grad_y, x>.
  for (int run = 0; run < runs; ++run) {
    Scene scene(run);
    scene.options.xpos = run % 3 == 0 ? std::optional(XPos{}) : std::nullopt;
    const Rope rope(scene.options);
    const Doubles positions(scene.sequence, std::floor(scene.real(-500, 500)));
    const Role role = run % 2 == 0 ? Role::query : Role::key;
    Floats grad_y(scene.x.size());
    for (float& g : grad_y) g = static_cast<float>(scene.real(-1, 1));
    const RopeGradients gradients = rope.gradients(scene.x, grad_y, scene.at(positions), role);
    const Floats y = rotated(rope, scene.x, scene.at(positions), role);
    double forward = 0, backward = 0, size = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      forward += static_cast<double>(grad_y[i]) * y[i];
      backward += static_cast<double>(gradients.x[i]) * scene.x[i];
      size += std::fabs(static_cast<double>(grad_y[i]) * y[i]);
    }
    ASSERT_NEAR(forward, backward, 1e-6 * size) << run;
  }
}

}  // namespace rope_properties_test
}  // namespace ropewalk
