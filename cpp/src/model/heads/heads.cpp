#include "model/heads/head.hpp"

namespace ropewalk::model {

std::span<const HeadKind> head_kinds() {
  static const HeadKind kinds[] = {
      masked_lm, sequence_classification, token_classification, span, choice,
  };
  return kinds;
}

const HeadKind* find_head_kind(std::string_view name) {
  for (const HeadKind& kind : head_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace ropewalk::model
