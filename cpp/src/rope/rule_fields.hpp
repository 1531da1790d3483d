#pragma once

// The rules of theta_j as options name them: `type`, then the members with their names. A rule is readable from
// JSON once it stands here. Members keep the default of their struct when they are not given.

#include <string_view>
#include <tuple>
#include <type_traits>

#include "ropewalk/frequencies.hpp"

namespace ropewalk {

template <class Rule, class T>
struct Field {
  std::string_view name;
  T Rule::* member;
  bool required;
};

template <class Rule, class T>
constexpr Field<Rule, T> optional(std::string_view name, T Rule::* member) {
  return {name, member, false};
}
template <class Rule, class T>
constexpr Field<Rule, T> required(std::string_view name, T Rule::* member) {
  return {name, member, true};
}

template <class Rule>
struct RuleFields;

template <>
struct RuleFields<frequencies::Default> {
  static constexpr std::string_view type = "default";
  static constexpr auto fields = std::tuple(optional("base", &frequencies::Default::base));
};

template <>
struct RuleFields<frequencies::Linear> {
  using R = frequencies::Linear;
  static constexpr std::string_view type = "linear";
  static constexpr auto fields = std::tuple(optional("base", &R::base), required("factor", &R::factor));
};

template <>
struct RuleFields<frequencies::Ntk> {
  using R = frequencies::Ntk;
  static constexpr std::string_view type = "ntk";
  static constexpr auto fields = std::tuple(optional("base", &R::base), required("factor", &R::factor));
};

template <>
struct RuleFields<frequencies::Dynamic> {
  using R = frequencies::Dynamic;
  static constexpr std::string_view type = "dynamic";
  static constexpr auto fields =
      std::tuple(optional("base", &R::base), required("factor", &R::factor),
                 required("max_positions", &R::max_positions), required("sequence_length", &R::sequence_length));
};

template <>
struct RuleFields<frequencies::Yarn> {
  using R = frequencies::Yarn;
  static constexpr std::string_view type = "yarn";
  static constexpr auto fields =
      std::tuple(optional("base", &R::base), required("factor", &R::factor),
                 required("original_max_positions", &R::original_max_positions), optional("beta_fast", &R::beta_fast),
                 optional("beta_slow", &R::beta_slow), optional("attention_factor", &R::attention_factor),
                 optional("mscale", &R::mscale), optional("mscale_all_dim", &R::mscale_all_dim),
                 optional("truncate", &R::truncate));
};

template <>
struct RuleFields<frequencies::LongRope> {
  using R = frequencies::LongRope;
  static constexpr std::string_view type = "longrope";
  static constexpr auto fields =
      std::tuple(optional("base", &R::base), required("short_factor", &R::short_factor),
                 required("long_factor", &R::long_factor), required("original_max_positions", &R::original_max_positions),
                 required("sequence_length", &R::sequence_length), optional("factor", &R::factor),
                 optional("attention_factor", &R::attention_factor));
};

template <>
struct RuleFields<frequencies::Llama3> {
  using R = frequencies::Llama3;
  static constexpr std::string_view type = "llama3";
  static constexpr auto fields = std::tuple(
      optional("base", &R::base), required("factor", &R::factor),
      required("low_frequency_factor", &R::low_frequency_factor),
      required("high_frequency_factor", &R::high_frequency_factor),
      required("original_max_positions", &R::original_max_positions));
};

template <>
struct RuleFields<frequencies::Proportional> {
  using R = frequencies::Proportional;
  static constexpr std::string_view type = "proportional";
  static constexpr auto fields = std::tuple(optional("base", &R::base), required("fraction", &R::fraction),
                                            optional("factor", &R::factor));
};

template <>
struct RuleFields<frequencies::ReceptiveField> {
  using R = frequencies::ReceptiveField;
  static constexpr std::string_view type = "receptive-field";
  static constexpr auto fields = std::tuple(optional("base", &R::base), required("alpha", &R::alpha),
                                            required("rho", &R::rho));
};

template <>
struct RuleFields<frequencies::Custom> {
  static constexpr std::string_view type = "custom";
  static constexpr auto fields = std::tuple(required("frequencies", &frequencies::Custom::frequencies),
                                            optional("magnitude", &frequencies::Custom::magnitude));
};

}  // namespace ropewalk
