#include "model/parameters/table.hpp"

namespace ropewalk::model::parameters {

std::uint64_t Table::add(std::string name, std::initializer_list<std::uint64_t> shape, Initial initial,
                         bool decays) {
  std::uint64_t size = 1;
  for (const std::uint64_t extent : shape) size *= extent;
  const std::uint64_t offset = plain_size_;
  parameters_.push_back({std::move(name), shape, offset, size, initial, decays});
  plain_size_ += size;
  return offset;
}

std::uint64_t Table::add_packed(std::string name, std::initializer_list<std::uint64_t> shape,
                                Initial initial) {
  std::uint64_t size = 1;
  for (const std::uint64_t extent : shape) size *= extent;
  const std::uint64_t offset = packed_offset_ + packed_size_;
  parameters_.push_back({std::move(name), shape, offset, size, initial, true});
  parameters_.back().packed = true;
  packed_size_ += size;
  return offset;
}

std::uint64_t Table::add_of_positions(std::string name, std::initializer_list<std::uint64_t> shape,
                                      Initial initial, bool decays) {
  const std::uint64_t offset = add(std::move(name), shape, initial, decays);
  parameters_.back().of_positions = true;
  return offset;
}

void Table::add_alias(std::uint64_t offset, std::string name) {
  for (Parameter& parameter : parameters_) {
    if (parameter.offset == offset) parameter.aliases.push_back(std::move(name));
  }
}

const Parameter* Table::find(std::string_view name) const {
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

}  // namespace ropewalk::model::parameters
