// How good a decoder is, beside what the grammar itself would do.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "ropewalk/decoder.hpp"
#include "tasks/english/english.hpp"

namespace ropewalk::train {

// Means over the tokens of texts that training did not draw, the one that ends each text included, in nats.
struct HeldOut {
  std::size_t texts = 0, tokens = 0;
  double loss = 0;     // of the model
  double entropy = 0;  // of the grammar: what the best possible model would lose on the same texts
};

// Every text stands behind <|endoftext|> and is judged to its end.
HeldOut held_out(const Decoder& model, const trainer::English& english, Random random, std::size_t texts);

// Shares of `texts` texts.
struct Written {
  std::size_t texts = 0;
  double ended = 0;     // that came to an end
  double accepted = 0;  // and that the grammar can make
  double distinct = 0;  // different texts, by the number of all
  double fresh = 0;     // that training never drew
};

// Texts that the model writes from nothing, the i-th with seed i.
Written write(const Decoder& model, const trainer::English& english, double temperature, std::size_t texts,
              const std::unordered_set<std::uint64_t>& seen);

// The same of texts that the grammar draws, for comparison.
Written draw(const trainer::English& english, Random random, std::size_t texts,
             const std::unordered_set<std::uint64_t>& seen);

}  // namespace ropewalk::train
