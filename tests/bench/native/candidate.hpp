#pragma once

// A loop that can be sampled: made from the words of a request, checked when it is made.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bench {

using Words = std::vector<std::string>;

struct Candidate {
  /// One call of what is measured.
  std::function<void()> run;
};

/// A candidate that failed to be made says why.
struct Made {
  std::optional<Candidate> candidate;
  std::string error;
};

/// "rotate <ropewalk|float16|bfloat16|gcc|clang|scale|table> <half|interleaved> batch sequence heads dim"
Made make_rotation(const Words& words);
/// "product m k n", "peak", "encoder config.json model.safetensors ids float32|int8 [file for the last hidden state]", ids
/// being a file of int32
Made make_model(const Words& words);

/// x *= factor, unrolled and vectorised for this machine.
void scale(float* x, std::size_t count, float factor);
/// `rounds` multiply-adds on each of peak_accumulators vectors; 2 * peak_floats operations per round.
float multiply_add(long rounds, float start);
extern const std::size_t peak_floats;

}  // namespace bench
