#pragma once

// The tensors of a checkpoint under the names that the model gives its parameters, and what they tell about
// its heads.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/heads/head.hpp"
#include "model/names.hpp"
#include "ropewalk/safetensors.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// Endings of the names of scales: of rows that were rounded as they were, from -63 to 63, and of rows that were rotated
/// before, as kernels/int8.hpp has them.
inline constexpr std::string_view scales_of_rows = "_scale", scales_of_rotated = "_hadamard_scale";

/// Sorted by name.
class Tensors {
 public:
  struct Found {
    std::string name;  // with the prefix, and with today's names of LayerNorm's parameters
    const SafetensorsTensor* tensor;
    bool used = false;
    bool awaited = false;  // its values tell something of the spec, and are not here yet
  };

  /// Takes the headers of all files of a checkpoint, which outlive this object.
  Tensors(std::span<const std::span<const SafetensorsTensor>> files, const Names& names);

  /// range error for two tensors that are one parameter. `function` begins the message.
  Status check_unique(std::string_view function) const;
  Found* find(std::string_view name);
  const Found* find(std::string_view name) const { return const_cast<Tensors*>(this)->find(name); }
  /// The tensor beside a weight in 8 bits whose name is that of the weight and `ending`; nullptr: none.
  Found* find_scales(const SafetensorsTensor& weight, std::string_view ending);
  std::span<Found> all() { return found_; }

 private:
  std::vector<Found> found_;
};

/// Adds to the spec's heads those that the tensors tell of, and one of kind `added`. Where heads have names
/// in common, the class names of the configuration decide, else shapes do.
void add_heads(const Tensors& tensors, Spec& spec, std::string_view added);

/// Takes the masked-language-model head out of the spec where the class name promises it and the file holds none of its
/// tensors, and notes that: models of sentence vectors (all-mpnet-base-v2) keep the class name of their pre-training.
void drop_absent_head(const Tensors& tensors, Spec& spec, std::vector<std::string>& notes);

/// The names of that head's own parameters, if none of them is there; else nothing.
std::vector<std::string> names_of_absent_head(const Tensors& tensors, const Spec& spec, const HeadKind& kind);

}  // namespace ropewalk::model
