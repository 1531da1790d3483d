#pragma once

// The keys of a config.json: which, of which type, in which range. The first that is wrong is kept.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/json/members.hpp"
#include "nn/activation.hpp"
#include "ropewalk/spec.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk::model {

class Keys {
 public:
  Keys(const json::Value& config, std::string_view family)
      : config_(config), family_(family), members_(config, family_) {}
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  const Status& status() const { return status_; }
  std::string_view family() const { return family_; }
  const json::Members& members() const { return members_; }

  // A key that is missing or null leaves `out` as it is.
  void whole(std::string_view name, std::size_t low, std::size_t high, std::size_t& out) {
    auto value = static_cast<std::int64_t>(out);
    keep(members_.whole(name, static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), value));
    out = static_cast<std::size_t>(value);
  }
  void share(std::string_view name, double& out) {
    keep(members_.real(name, 0, true, 0.99, "a number from 0 to 0.99", out));
  }
  void epsilon(std::string_view name, double& out) {
    keep(members_.real(name, 0, true, 1, "a number from 0 to 1", out));
  }
  void positive(std::string_view name, double high, std::string_view allowed, double& out) {
    keep(members_.real(name, 0, false, high, allowed, out));
  }
  void flag(std::string_view name, bool& out) { keep(members_.boolean(name, out)); }
  void text(std::string_view name, std::string& out) { keep(members_.text(name, out)); }
  void activation(std::string_view name, Activation& out);
  /// A flag that has to be false, since what it asks for is not done.
  void must_be_false(std::string_view name);
  /// A text that has to be `allowed`, since what others ask for is not done. A missing key means `usual`.
  void must_be(std::string_view name, std::string_view allowed, std::string_view usual);
  /// Words, width, layers, heads and initial weights, by the names that nearly all families have.
  void sizes(Spec& spec);
  /// The biases of projections, by the names of Llama and of what is built like it. A missing key means none.
  void attention_bias(Spec& spec);
  void feed_forward_bias(Spec& spec);
  /// `pad_token_id`: an explicit null, or a number that is no id, means that there is no padding token.
  void padding_id(std::optional<std::size_t>& out);
  /// True if the heads divide the hidden size, unless there is a head dimension.
  void check_heads(const Spec& spec);
  void keep(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

 private:
  const json::Value& config_;
  std::string family_;
  json::Members members_;
  Status status_;
};

}  // namespace ropewalk::model
