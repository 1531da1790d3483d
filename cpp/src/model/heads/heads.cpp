#include "model/heads/head.hpp"

namespace ropewalk::model {

// One line for each file beside this one, in the order in which a model has them. Families of decoders have one head,
// and nothing trains contacts or the score of a reranker.
// clang-format off
#define ROPEWALK_ENCODER_HEADS(head) \
  head(sequence_classification)      \
  head(token_classification)         \
  head(span)                         \
  head(choice)                       \
  // end of the list
#if defined(ROPEWALK_DECODERS_ONLY)
#define ROPEWALK_HEADS(head) head(causal_lm)
#elif defined(ROPEWALK_ENCODERS_ONLY)
#define ROPEWALK_HEADS(head) head(masked_lm) ROPEWALK_ENCODER_HEADS(head) head(contact) head(logit_score)
#elif defined(ROPEWALK_TRAINING_ONLY)
#define ROPEWALK_HEADS(head) head(masked_lm) head(causal_lm) ROPEWALK_ENCODER_HEADS(head)
#else
#define ROPEWALK_HEADS(head) \
  head(masked_lm) head(causal_lm) ROPEWALK_ENCODER_HEADS(head) head(contact) head(logit_score)
#endif
// clang-format on

#define ROPEWALK_DECLARE(head) extern const HeadKind head;
ROPEWALK_HEADS(ROPEWALK_DECLARE)

std::span<const HeadKind> head_kinds() {
#define ROPEWALK_ELEMENT(head) head,
  static const HeadKind kinds[] = {ROPEWALK_HEADS(ROPEWALK_ELEMENT)};
  return kinds;
}

const HeadKind* find_head_kind(std::string_view name) {
  for (const HeadKind& kind : head_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace ropewalk::model
