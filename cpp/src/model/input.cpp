// Checks the caller's input before anything is written.

#include "model/input.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"

namespace ropewalk::model {
namespace {

Status check_values(const char* function, const char* argument, std::span<const std::int32_t> values,
                    std::size_t count, std::size_t limit, const char* source) {
  if (values.size() != count)
    return wrong_count(function, argument, values.size(), std::to_string(count) + ", `batch` * `sequence`");
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] < 0 || static_cast<std::size_t>(values[i]) >= limit) {
      return out_of_range(function, std::string(argument) + "[" + std::to_string(i) + "]",
                          std::to_string(values[i]), "0 to " + std::to_string(limit - 1) + source);
    }
  }
  return {};
}

/// A text of masks alone has nothing to make up for them with.
Status check_masks(const EncoderInput& input, std::int32_t mask_id, const char* function) {
  for (std::size_t b = 0; b < input.batch; ++b) {
    std::size_t tokens = 0, masks = 0;
    for (std::size_t i = b * input.sequence; i < (b + 1) * input.sequence; ++i) {
      tokens += input.attention_mask.empty() || input.attention_mask[i] != 0 ? 1 : 0;
      masks += input.input_ids[i] == mask_id ? 1 : 0;
    }
    if (masks == 0 || masks < tokens) continue;
    return Status::range(std::string(function) + ": `input_ids` of sequence " + std::to_string(b) + " are " +
                         std::to_string(masks) + " times `mask_token_id`, " + std::to_string(mask_id) +
                         ", and no other token; allowed: at least one");
  }
  return {};
}

}  // namespace

Status check_input(const Spec& spec, const EncoderInput& input, const char* function) {
  for (const auto& [name, value] : {std::pair<const char*, std::size_t>("batch", input.batch),
                                    std::pair<const char*, std::size_t>("sequence", input.sequence)}) {
    if (value < 1 || value > INT32_MAX) {
      return out_of_range(function, name, value, "1 to " + std::to_string(INT32_MAX));
    }
  }
  const std::uint64_t count = std::uint64_t{input.batch} * input.sequence;
  if (count != input.input_ids.size()) {
    return wrong_count(function, "input_ids", input.input_ids.size(),
                       std::to_string(count) + ", `batch` * `sequence`");
  }
  const std::size_t m = input.input_ids.size();
  ROPEWALK_TRY(check_values(function, "input_ids", input.input_ids, m, spec.vocabulary,
                            ", the ids below `vocab_size`"));
  if (!input.token_type_ids.empty()) {
    ROPEWALK_TRY(check_values(function, "token_type_ids", input.token_type_ids, m,
                              spec.embedding.any_type ? std::size_t{INT32_MAX} + 1
                                                      : std::max<std::size_t>(1, spec.embedding.token_types),
                              ", the types below `type_vocab_size`"));
  }
  if (!input.attention_mask.empty()) {
    ROPEWALK_TRY(check_values(function, "attention_mask", input.attention_mask, m, 2, ", padding and token"));
  }
  if (!input.sequence_ids.empty() && input.sequence_ids.size() != m)
    return wrong_count(function, "sequence_ids", input.sequence_ids.size(),
                       std::to_string(m) + ", `batch` * `sequence`");
  return spec.embedding.mask_id ? check_masks(input, *spec.embedding.mask_id, function) : Status();
}

}  // namespace ropewalk::model
