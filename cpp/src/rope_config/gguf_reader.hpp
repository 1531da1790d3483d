#pragma once

// Reads GGUF metadata key by key. gguf.cpp reads the architecture, the layers and the dimensions,
// gguf_scaling.cpp the frequencies.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rope_config/keys.hpp"
#include "rope_config/pairings.hpp"
#include "ropewalk/config.hpp"

namespace ropewalk::rope_config {

/// `<architecture>.rope.*`
extern const std::span<const std::string_view> gguf_rope_keys;

class GgufReader {
 public:
  GgufReader(const json::Value& metadata, const ConfigOptions& options, Status& status)
      : keys_(metadata, "", status), options_(options), status_(status) {}

  /// On an error the status is not ok.
  ConfigReading read();
  /// True if layers with a window rotate otherwise than the others.
  bool has_sliding_layers() {
    find_architecture();
    return status_.ok() && sliding_layers_differ();
  }

 private:
  /// "llama." + "rope.freq_base"
  std::string key(std::string_view name) const;
  std::optional<double> real(std::string_view name, double low, bool open) const;
  std::optional<std::size_t> whole(std::string_view name) const { return keys_.whole(key(name)); }
  void refuse(std::string_view name, std::string_view allowed) const { keys_.refuse(key(name), allowed); }

  void find_architecture();
  /// Every key under the architecture's rope must be known; the tensors are the only other names that concern
  /// rope.
  void check_names() const;
  /// Sliding layers may have their own base and dimensions.
  void choose_layers();
  bool sliding_layers_differ() const;
  /// The sliding layers' number if there is one, otherwise that of all layers.
  std::optional<std::size_t> whole_of_layers(std::string_view name) const;
  void read_dimensions(RopeOptions& options) const;
  std::size_t head_dim() const;
  Pairing read_pairing_and_axes(RopeOptions& options) const;
  Frequencies read_frequencies(std::size_t rotary_dim) const;
  /// Softmax scale, layers without rotation, assumptions.
  void describe(ConfigReading& reading) const;
  std::optional<double> read_factor() const;
  /// Numbers that llama.cpp accepts but this type does not use.
  void refuse_unread(std::string_view type) const;
  std::optional<double> original_positions() const;
  Frequencies read_yarn(double base, std::optional<double> factor) const;
  void check_length(std::string_view tensor, std::size_t size, std::size_t pairs) const;
  Frequencies read_longrope(double base, std::size_t rotary_dim, std::optional<double> factor) const;
  /// Llama 3's rule and Gemma's proportional one arrive as divisors of theta_j.
  Frequencies read_divisors(double base, std::size_t rotary_dim, std::string_view type, double factor) const;

  const Keys keys_;
  const ConfigOptions& options_;
  Status& status_;
  const Architecture* architecture_ = nullptr;
  bool sliding_ = false;
};

}  // namespace ropewalk::rope_config
