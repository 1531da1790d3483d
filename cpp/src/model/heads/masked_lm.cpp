// The masked-language-model head: the word at a token from what stands around it.

#include "model/heads/word_prediction.hpp"

namespace ropewalk::model {
namespace {

HeadSpec usual(const Spec& spec) {
  return {.kind = "masked_lm",
          .dense = true,
          .activation = spec.feed_forward.activation,
          .norm = true,
          .bias = true,
          .tied = spec.tied};
}

}  // namespace

extern const HeadKind masked_lm = {"masked_lm", "masked-language-model", "ForMaskedLM", "ForCausalLM",
                                   usual,       make_word_prediction};

}  // namespace ropewalk::model
