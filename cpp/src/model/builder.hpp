#pragma once

// Blocks are made with this: it gives them parameters in the one table, under the names of the family, and slots
// for the results of a pass.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "model/names.hpp"
#include "model/parameters/table.hpp"

namespace ropewalk::model {

/// The offset of a parameter that a block does without: no address belongs to it.
inline constexpr std::uint64_t absent = UINT64_MAX;

/// A piece of memory of a pass. Which address it has depends on the shape, so every Workspace knows its own.
struct Slot {
  std::uint32_t index = UINT32_MAX;
};

class Builder {
 public:
  Builder(parameters::Table& table, const Names& names, std::uint32_t& slots)
      : table_(&table), names_(&names), slots_(&slots) {}

  /// The same, for the blocks of a layer.
  Builder in_layer(std::size_t layer) const {
    Builder builder = *this;
    builder.layer_ = layer;
    return builder;
  }
  std::optional<std::size_t> layer() const { return layer_; }

  Slot slot() { return {(*slots_)++}; }

  /// Parameters are named by their role and a suffix: ".weight", ".bias". Neighbours here are neighbours in
  /// memory.
  std::uint64_t matrix(std::string_view role, std::size_t rows, std::size_t columns) {
    return table_->add(name(role, ".weight"), {rows, columns}, parameters::Initial::normal, true);
  }
  /// As matrix, of one that inference reads in a packed copy alone: whoever adds it claims its rows when it is packed.
  std::uint64_t packed_matrix(std::string_view role, std::size_t rows, std::size_t columns) {
    return packed_tensor(role, {rows, columns});
  }
  std::uint64_t packed_tensor(std::string_view role, std::initializer_list<std::uint64_t> shape) {
    return table_->add_packed(name(role, ".weight"), shape, parameters::Initial::normal);
  }
  /// Weights (channels, 1, width) of a convolution that each channel has for itself.
  std::uint64_t channels(std::string_view role, std::size_t channels, std::size_t width) {
    return table_->add(name(role, ".weight"), {channels, 1, width}, parameters::Initial::normal, true);
  }
  std::uint64_t vector(std::string_view role, std::string_view suffix, std::size_t size,
                       parameters::Initial initial);
  /// A parameter of the position encoding: models that differ in nothing but their encoding begin with the
  /// same values everywhere else.
  std::uint64_t of_positions(std::string_view role, std::string_view suffix,
                             std::initializer_list<std::uint64_t> shape, parameters::Initial initial,
                             bool decays) {
    return table_->add_of_positions(name(role, suffix), shape, initial, decays);
  }
  /// The parameter at `offset` is that of this role as well: a checkpoint may hold it under either name.
  void tie(std::uint64_t offset, std::string_view role, std::string_view suffix) {
    table_->add_alias(offset, name(role, suffix));
  }

  /// The name that a checkpoint has for a role of this layer and a suffix.
  std::string name(std::string_view role, std::string_view suffix) const;

 private:
  parameters::Table* table_;
  const Names* names_;
  std::uint32_t* slots_;
  std::optional<std::size_t> layer_;
};

}  // namespace ropewalk::model
