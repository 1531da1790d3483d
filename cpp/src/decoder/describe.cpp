// A cache and its ropes in words.

#include <string>
#include <type_traits>
#include <variant>

#include "base/text.hpp"
#include "decoder/state.hpp"
#include "options/frequencies.hpp"

namespace ropewalk::decoder {
namespace {

/// "the base 10000 and the rule yarn with factor 4"; the usual rule has no name here.
std::string words_of(const Frequencies& frequencies) {
  return std::visit(
      [](const auto& rule) -> std::string {
        using Rule = std::decay_t<decltype(rule)>;
        if constexpr (!requires { rule.base; }) {
          return "frequencies of its own";
        } else {
          std::string words = "the base " + text_of(rule.base);
          if (options::Describe<Rule>::type != "default") {
            words += " and the rule " + std::string(options::Describe<Rule>::type);
            if constexpr (requires { text_of(rule.factor); }) words += " with factor " + text_of(rule.factor);
          }
          return words;
        }
      },
      frequencies);
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string describe(const RopeOptions& rope) {
  return sentence({rope.rotary_dim.value_or(rope.head_dim), " of ", rope.head_dim, " channels rotate in ",
                   rope.pairing == Pairing::half ? "halves" : "neighbouring pairs", ", with ",
                   words_of(rope.frequencies), "."});
}

std::string explain(const Cache& cache) {
  const Layout& layout = cache.layout();
  std::string text = counted(cache.length(), "token", "tokens") + " of " + std::to_string(layout.context) +
                     ", in " + std::to_string(cache.bytes()) + " bytes.\n";
  if (cache.stored() == StoredKeys::raw) {
    text +=
        "Keys are stored unrotated and rotate anew at each feed: one rotation, an error of at most 1.2e-7 of "
        "the length of a pair.\n";
  } else {
    std::size_t moved = 0, begin = 0;
    for (const Run& run : cache.runs().all()) {
      if (run.shift != 0) moved += run.end - begin;
      begin = run.end;
    }
    text += "Keys are stored as they were first rotated, in " +
            counted(cache.runs().all().size(), "run", "runs") + " of one shift each; " +
            counted(moved, "token has", "tokens have") +
            " moved since. Queries rotate by the shift, so that no key rotates twice: an "
            "error of at most 3e-7 of the length of a pair, however often tokens move.\n";
    if (cache.turns() > 0) {
      text += "All keys turned to other frequencies " + counted(cache.turns(), "time", "times") +
              "; each adds up to 2.4e-7 of the length of a pair.\n";
    }
  }
  if (cache.type() != CacheType::float32) {
    text +=
        std::string("Keys and values are rounded to ") +
        (cache.type() == CacheType::float16 ? "float16" : "8 bits, with a scale for each head and token") +
        ", once, when they come.\n";
  }
  if (cache.drops() > 0) {
    text += counted(cache.drops(), "drop", "drops") +
            ": positions are exact, but values and the keys behind the first layer were computed while the "
            "dropped "
            "tokens could be seen, so that logits are not those of a text without them.\n";
  }
  if (cache.unrotated() > 0) {
    text += counted(cache.unrotated(), "drop", "drops") +
            " without rotation: the keys behind kept the rotation of their old positions, so that scores are "
            "wrong.\n";
  }
  if (cache.appended() > 0) {
    text += counted(cache.appended(), "chunk", "chunks") +
            ": positions are exact, but the tokens of a chunk never saw what stands before it.\n";
  }
  if (cache.ropes()->by_length()) {
    text +=
        "The rule depends on the length: frequencies are those of the last feed, and keys behind the first "
        "layer "
        "were computed under those of their own.\n";
  }
  std::string still, windows, convolutions, sharing, states;
  for (std::size_t l = 0; l < layout.layers(); ++l) {
    if (layout.convolves[l]) {
      convolutions += (convolutions.empty() ? "" : ", ") + std::to_string(l);
      continue;
    }
    if (layout.has_state(l)) {
      states += (states.empty() ? "" : ", ") + std::to_string(l);
      continue;
    }
    if (layout.keys_of[l] != l) sharing += (sharing.empty() ? "" : ", ") + std::to_string(l);
    if (!layout.ropes[l]) still += (still.empty() ? "" : ", ") + std::to_string(l);
    if (layout.windows[l]) windows += (windows.empty() ? "" : ", ") + std::to_string(l);
  }
  if (!still.empty()) text += "Layers that do not rotate: " + still + ".\n";
  if (!windows.empty()) {
    text += "Layers with a window keep all tokens, so that any trim or drop is possible: " + windows + ".\n";
  }
  if (!convolutions.empty()) {
    text +=
        "Layers with a convolution keep its inputs of all tokens, so that any trim or drop is possible: " +
        convolutions + ".\n";
  }
  if (!sharing.empty())
    text += "Layers that attend to keys and values of earlier layers, and hold none: " + sharing + ".\n";
  if (!states.empty()) {
    text +=
        "Layers with a state of all tokens so far, in float32, so that the cache can be copied and saved, "
        "and not cut: " +
        states + ".\n";
  }
  if (cache.still() != nullptr)
    text += counted(cache.still()->count(), "pair", "pairs") +
            " of the key heads of all layers are without rotation, and so are the queries that meet them.\n";
  if (layout.learned) text += "Positions are learned: tokens can be trimmed, and cannot move.\n";
  for (const RopeOptions& rope : cache.ropes()->options()) text += describe(rope) + "\n";
  return text;
}

}  // namespace ropewalk::decoder
