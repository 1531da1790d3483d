#pragma once

// How llama.cpp's converter writes the models of a family into GGUF files: data beside the family.

#include <span>
#include <string_view>

#include "model/names.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// A whole number, a real one or a switch of the metadata, as a key of the family's config.json.
struct GgufKey {
  /// Behind the architecture and a dot.
  std::string_view key;
  std::string_view name;
  /// A file without the key says null, instead of what a missing key of config.json means.
  bool null_if_missing = false;
};

/// A switch of the family's config.json that is on where a tensor is there. One without a name never is.
struct GgufSwitch {
  std::string_view tensor, name;
};

/// A text of the family's config.json that files of the architecture do not state.
struct GgufText {
  std::string_view name, value;
};

struct GgufForm {
  /// `general.architecture`; empty: such files are not read.
  std::string_view architecture = {};
  /// Tells two families with one architecture apart: files with this key are of this one; empty: of the other.
  std::string_view key = {};
  /// Names of parameters that are not those of every architecture, by role.
  std::span<const Name> names = {};
  /// Keys besides those that every architecture has.
  std::span<const GgufKey> keys = {};
  std::span<const GgufSwitch> switches = {};
  std::span<const GgufText> texts = {};
  GgufKey epsilon = {"attention.layer_norm_rms_epsilon", "rms_norm_eps"};
  /// True for an encoder that may have fewer heads of keys, and heads of another width than a share of the model's, as every
  /// decoder may.
  bool groups_keys = false;
  /// Changes what the configuration gives to what llama.cpp computes with such files; nullptr: nothing.
  void (*adapt)(Spec& spec) = nullptr;
};

}  // namespace ropewalk::model
