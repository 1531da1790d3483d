#pragma once

// The models that can be read. Each family is one file beside this one and one line in a list of list.hpp.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/json/value.hpp"
#include "model/blocks/layer.hpp"
#include "model/gguf/form.hpp"
#include "model/heads/head.hpp"
#include "model/names.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

class Tensors;

struct Family {
  /// As Spec::family has it.
  std::string_view name;
  /// As config.json has it; several families may share one.
  std::string_view model_type;
  /// Returns true if a configuration with that model_type is of this family; nullptr: always.
  bool (*reads)(const json::Value& config) = nullptr;
  /// Sizes and switches; the rest is the same for all families.
  Result<Spec> (*read)(const json::Value& config);
  /// How a head differs from what it usually is; nullptr: not at all.
  void (*adapt_head)(const Spec& spec, HeadSpec& head) = nullptr;
  /// Changes the spec that the configuration gives to what the tensors of a checkpoint tell, and notes what was
  /// assumed; nullptr: nothing to tell. Where it goes by values that have not arrived (tensors without data), it marks
  /// the tensors as awaited and is called again, which may then change the frequencies of ropes alone.
  Status (*told_by_tensors)(Spec& spec, Tensors& tensors, std::vector<std::string>& notes) = nullptr;
  /// Something to say about a model of this family; nullptr: nothing.
  std::string (*note)(const Spec& spec) = nullptr;
  Names names;
  /// Makes the convolution of a layer, if a model of the family may have one.
  MakeBranch convolution = nullptr;
  /// True if a trainer takes its checkpoints.
  bool trainable = true;
  /// GGUF files that hold such a model.
  GgufForm gguf = {};
};

std::span<const Family> all_families();
/// nullptr for a name that is not known.
const Family* find_family(std::string_view name);

/// True if models of the family have such a head: the family then has names for its parameters.
bool has_head(const Family& family, const HeadKind& kind);

/// The head of a class of models of the family, by the class's name; nullptr: none.
const HeadKind* head_of_class(const Family& family, std::string_view name);

/// The head of that kind in a model with this spec.
HeadSpec head_of(const Spec& spec, const HeadKind& kind);

}  // namespace ropewalk::model
