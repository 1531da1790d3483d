#include "parameters/table.hpp"

namespace ropewalk::parameters {

std::uint64_t Table::add(std::string name, std::initializer_list<std::uint64_t> shape, Initial initial,
                         bool decays) {
  std::uint64_t size = 1;
  for (const std::uint64_t extent : shape) size *= extent;
  const std::uint64_t offset = size_;
  parameters_.push_back({std::move(name), shape, offset, size, initial, decays});
  size_ += size;
  return offset;
}

const Parameter* Table::find(std::string_view name) const {
  for (const Parameter& parameter : parameters_) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

}  // namespace ropewalk::parameters
