#include <cmath>
#include <cstdint>
#include <cstring>

#include "candidate.hpp"
#include "ropewalk/rope.hpp"

extern "C" {
using Loop = void(float* x, const float* cos, const float* sin, int batch, int sequence, int heads, int dim);
Loop plain_half, plain_interleaved;
#if defined(ROPEWALK_BENCH_CLANG)
Loop clang_half, clang_interleaved;
#endif
}

namespace bench {
namespace {

struct Shape {
  std::size_t batch, sequence, heads, dim;
  std::size_t size() const { return batch * sequence * heads * dim; }
};

/// Numbers in [-1, 1), no two channels alike.
std::vector<float> numbers(std::size_t count) {
  std::vector<float> values(count);
  std::uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(state / 4294967296.0 * 2 - 1);
  }
  return values;
}

struct Tables {
  std::vector<float> cos, sin;  // (sequence, dim / 2)
  explicit Tables(const Shape& shape) {
    for (std::size_t s = 0; s < shape.sequence; ++s) {
      for (std::size_t j = 0; j < shape.dim / 2; ++j) {
        const double angle = static_cast<double>(s) * std::pow(10000.0, -2.0 * static_cast<double>(j) /
                                                                            static_cast<double>(shape.dim));
        cos.push_back(static_cast<float>(std::cos(angle)));
        sin.push_back(static_cast<float>(std::sin(angle)));
      }
    }
  }
};

/// True if y is x, rotated, as float64 has it. Of long arrays some tokens are looked at.
bool is_rotation(const std::vector<float>& y, const std::vector<float>& x, const Shape& shape, bool half) {
  const Tables tables(shape);
  const std::size_t pairs = shape.dim / 2, tokens = shape.batch * shape.sequence;
  for (std::size_t token = 0; token < tokens; token += tokens > 512 ? 31 : 1) {
    for (std::size_t h = 0; h < shape.heads; ++h) {
      for (std::size_t j = 0; j < pairs; ++j) {
        const std::size_t head = (token * shape.heads + h) * shape.dim;
        const std::size_t a = head + (half ? j : 2 * j), b = half ? a + pairs : a + 1;
        const double cos = tables.cos[token % shape.sequence * pairs + j];
        const double sin = tables.sin[token % shape.sequence * pairs + j];
        if (!(std::abs(y[a] - (x[a] * cos - x[b] * sin)) <= 5e-7)) return false;
        if (!(std::abs(y[b] - (x[a] * sin + x[b] * cos)) <= 5e-7)) return false;
      }
    }
  }
  return true;
}

/// Shared by the candidates: x, rotated in place again and again.
struct State {
  Shape shape;
  std::vector<float> x, cos, sin;
  std::vector<std::uint16_t> patterns;
  std::optional<ropewalk::Rope> rope;
  ropewalk::Placement placement;
};

Made loop_of(Loop* loop, std::shared_ptr<State> state, bool half) {
  Tables tables(state->shape);
  state->cos = std::move(tables.cos);
  state->sin = std::move(tables.sin);
  const auto run = [state, loop] {
    const Shape& shape = state->shape;
    loop(state->x.data(), state->cos.data(), state->sin.data(), static_cast<int>(shape.batch),
         static_cast<int>(shape.sequence), static_cast<int>(shape.heads), static_cast<int>(shape.dim));
  };
  const std::vector<float> before = state->x;
  run();
  if (!is_rotation(state->x, before, state->shape, half)) return {std::nullopt, "its result is wrong"};
  return {Candidate{run}, ""};
}

ropewalk::Rope rope_of(const Shape& shape, bool half) {
  ropewalk::RopeOptions options;
  options.head_dim = shape.dim;
  options.pairing = half ? ropewalk::Pairing::half : ropewalk::Pairing::interleaved;
  return ropewalk::Rope(options);
}

Made ropewalk_of(std::shared_ptr<State> state, bool half) {
  const auto run = [state] { state->rope->rotate(state->x, state->x, state->placement); };
  const std::vector<float> before = state->x;
  run();
  if (!is_rotation(state->x, before, state->shape, half)) return {std::nullopt, "its result is wrong"};
  return {Candidate{run}, ""};
}

/// 16-bit elements; their accuracy is the tests' business.
Made sixteen_of(std::shared_ptr<State> state, ropewalk::DType type) {
  for (const float value : state->x) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    // The nearest pattern does not matter, only that exponents are those of numbers near 1.
    const std::uint32_t exponent = (bits >> 23 & 255) > 100 ? (bits >> 23 & 255) - 112 : 0;
    state->patterns.push_back(static_cast<std::uint16_t>(
        type == ropewalk::DType::bfloat16 ? bits >> 16
                                          : (bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 1023)));
  }
  return {Candidate{[state, type] {
            const ropewalk::ArrayRef x{state->patterns.data(), state->patterns.size(), type};
            const ropewalk::MutableArrayRef out{state->patterns.data(), state->patterns.size(), type};
            state->rope->rotate(x, out, state->placement);
          }},
          ""};
}

Made table_of(std::shared_ptr<State> state) {
  const auto positions = std::make_shared<std::vector<double>>(state->shape.sequence);
  for (std::size_t s = 0; s < positions->size(); ++s) (*positions)[s] = static_cast<double>(s);
  state->cos.resize(positions->size() * state->rope->width());
  state->sin.resize(state->cos.size());
  return {Candidate{[state, positions] {
            // New positions every time: the rope remembers the last table.
            for (double& each : *positions) each += static_cast<double>(positions->size());
            state->rope->table(*positions, state->cos, state->sin);
          }},
          ""};
}

}  // namespace

Made make_rotation(const Words& words) {
  if (words.size() != 7) return {std::nullopt, "rotate takes 6 words"};
  const std::string& who = words[1];
  const bool half = words[2] == "half";
  auto state = std::make_shared<State>();
  state->shape = {std::stoul(words[3]), std::stoul(words[4]), std::stoul(words[5]), std::stoul(words[6])};
  state->x = numbers(state->shape.size());
  if (who == "gcc") return loop_of(half ? plain_half : plain_interleaved, state, half);
#if defined(ROPEWALK_BENCH_CLANG)
  if (who == "clang") return loop_of(half ? clang_half : clang_interleaved, state, half);
#endif
  if (who == "scale") {
    return {Candidate{[state] { scale(state->x.data(), state->x.size(), 1.0F); }}, ""};
  }
  state->rope.emplace(rope_of(state->shape, half));
  state->placement.batch = state->shape.batch;
  state->placement.sequence = state->shape.sequence;
  state->placement.heads = state->shape.heads;
  if (who == "ropewalk") return ropewalk_of(state, half);
  if (who == "float16") return sixteen_of(state, ropewalk::DType::float16);
  if (who == "bfloat16") return sixteen_of(state, ropewalk::DType::bfloat16);
  if (who == "table") return table_of(state);
  return {std::nullopt, who == "clang" ? "no clang++ on this machine" : "no candidate " + who};
}

}  // namespace bench
