#pragma once

// The parameters of a model as data: name, shape, place and initial value. Loading, initialisation, the
// optimiser and saving all walk this one table; weights, gradients and moments are buffers of the same
// layout.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropewalk::model::parameters {

enum class Initial : std::uint8_t { normal, zeros, ones, halves };

struct Parameter {
  std::string name;  // as Hugging Face checkpoints name it
  std::vector<std::uint64_t> shape;
  std::uint64_t offset;  // of its first element in the buffer
  std::uint64_t size;    // elements
  Initial initial;
  bool decays;                // whether weight decay applies: matrices, but no bias, norm or per-head scalar
  bool of_positions = false;  // whether it belongs to the position encoding
  bool packed = false;        // whether inference reads it in a packed copy alone
  std::vector<std::string> aliases = {};  // names under which a checkpoint may hold it as well
};

class Table {
 public:
  /// Packed parameters stand behind all others, whose number of elements has to be known for that: plain_size() of a table
  /// of the same parameters. Without it there is a gap between the two.
  Table() = default;
  explicit Table(std::uint64_t plain_size) : packed_offset_(plain_size) {}

  /// Appends a parameter and returns its offset. Neighbours in the table are neighbours in memory.
  std::uint64_t add(std::string name, std::initializer_list<std::uint64_t> shape, Initial initial,
                    bool decays);

  /// As add, for a matrix that inference reads in a packed copy alone, and need not hold besides.
  std::uint64_t add_packed(std::string name, std::initializer_list<std::uint64_t> shape, Initial initial);

  /// As add, for a parameter of the position encoding: models that differ in nothing but their encoding begin
  /// with the same values everywhere else.
  std::uint64_t add_of_positions(std::string name, std::initializer_list<std::uint64_t> shape,
                                 Initial initial, bool decays);

  void add_alias(std::uint64_t offset, std::string name);

  std::span<const Parameter> all() const { return parameters_; }
  /// Elements of the whole buffer.
  std::uint64_t size() const { return plain_size_ + packed_size_; }
  /// Elements of the parameters that are not packed: the first of the buffer.
  std::uint64_t plain_size() const { return plain_size_; }
  /// nullptr when there is none of that name.
  const Parameter* find(std::string_view name) const;

 private:
  std::vector<Parameter> parameters_;
  std::uint64_t plain_size_ = 0, packed_size_ = 0;
  std::uint64_t packed_offset_ = std::uint64_t{1} << 60;
};

/// Fills one parameter's part of `values` (all of the table's); `normal()` returns independent standard
/// normal numbers. BERT's initialisation: matrices from N(0, deviation^2), biases 0, norms 1 and 0.
template <class Normal>
void initialise(const Parameter& parameter, float deviation, std::span<float> values, Normal& normal) {
  for (std::uint64_t i = 0; i < parameter.size; ++i) {
    float& value = values[static_cast<std::size_t>(parameter.offset + i)];
    switch (parameter.initial) {
      case Initial::normal:
        value = deviation * static_cast<float>(normal());
        break;
      case Initial::zeros:
        value = 0;
        break;
      case Initial::ones:
        value = 1;
        break;
      case Initial::halves:
        value = 0.5F;
        break;
    }
  }
}

/// Fills `values` (table.size() elements); position encodings ask for their numbers last.
template <class Normal>
void initialise(const Table& table, float deviation, std::span<float> values, Normal&& normal) {
  for (const bool of_positions : {false, true}) {
    for (const Parameter& parameter : table.all()) {
      if (parameter.of_positions == of_positions) initialise(parameter, deviation, values, normal);
    }
  }
}

}  // namespace ropewalk::model::parameters
