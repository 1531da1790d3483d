// What a caller passes in, checked before anything is written.

#include "model/input.hpp"

#include <algorithm>
#include <string>

namespace ropewalk::model {
namespace {

Status check_values(const char* function, const char* argument, std::span<const std::int32_t> values,
                    std::size_t count, std::size_t limit, const char* source) {
  const auto name = [&] { return std::string(function) + ": `" + argument; };
  if (values.size() != count) {
    return Status::range(name() + "` has " + std::to_string(values.size()) +
                         " elements; allowed: " + std::to_string(count) + ", `batch` * `sequence`");
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (values[i] < 0 || static_cast<std::size_t>(values[i]) >= limit) {
      return Status::range(name() + "[" + std::to_string(i) + "]` is " + std::to_string(values[i]) +
                           "; allowed: 0 to " + std::to_string(limit - 1) + source);
    }
  }
  return {};
}

}  // namespace

Status check_input(const Spec& spec, const EncoderInput& input, const char* function) {
  for (const auto& [name, value] : {std::pair<const char*, std::size_t>("batch", input.batch),
                                    std::pair<const char*, std::size_t>("sequence", input.sequence)}) {
    if (value < 1 || value > INT32_MAX) {
      return Status::range(std::string(function) + ": `" + name + "` is " + std::to_string(value) +
                           "; allowed: 1 to " + std::to_string(INT32_MAX));
    }
  }
  const std::uint64_t count = std::uint64_t{input.batch} * input.sequence;
  if (count != input.input_ids.size()) {
    return Status::range(std::string(function) + ": `input_ids` has " +
                         std::to_string(input.input_ids.size()) +
                         " elements; allowed: " + std::to_string(count) + ", `batch` * `sequence`");
  }
  const std::size_t m = input.input_ids.size();
  if (Status status = check_values(function, "input_ids", input.input_ids, m, spec.vocabulary,
                                   ", the ids below `vocab_size`");
      !status.ok()) {
    return status;
  }
  if (!input.token_type_ids.empty()) {
    Status status = check_values(function, "token_type_ids", input.token_type_ids, m,
                                 std::max<std::size_t>(1, spec.embedding.token_types),
                                 ", the types below `type_vocab_size`");
    if (!status.ok()) return status;
  }
  if (!input.attention_mask.empty()) {
    return check_values(function, "attention_mask", input.attention_mask, m, 2, ", padding and token");
  }
  return {};
}

}  // namespace ropewalk::model
