// The causal-language-model head: the next word from those up to a token. In most families it is the table of
// word vectors, or a matrix of its own, and nothing else.

#include "model/heads/word_prediction.hpp"

namespace ropewalk::model {
namespace {

HeadSpec usual(const Spec& spec) { return {.kind = "causal_lm", .bias = false, .tied = spec.tied}; }

}  // namespace

extern const HeadKind causal_lm = {"causal_lm", "causal-language-model", "ForCausalLM", "",
                                   usual,       make_word_prediction};

}  // namespace ropewalk::model
