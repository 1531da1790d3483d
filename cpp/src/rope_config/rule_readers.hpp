#pragma once

// One reader per rule, from Hugging Face's keys to the parameters of the rule. A key that is missing, of a
// wrong type or length, or out of range leaves its error in the status of `rule`.

#include "rope_config/rules.hpp"

namespace ropewalk::rope_config {

Frequencies read_default(const Keys& rule, const RuleContext& context);
Frequencies read_linear(const Keys& rule, const RuleContext& context);
Frequencies read_ntk(const Keys& rule, const RuleContext& context);
Frequencies read_dynamic(const Keys& rule, const RuleContext& context);
Frequencies read_yarn(const Keys& rule, const RuleContext& context);
Frequencies read_longrope(const Keys& rule, const RuleContext& context);
Frequencies read_llama3(const Keys& rule, const RuleContext& context);
Frequencies read_proportional(const Keys& rule, const RuleContext& context);
Frequencies read_receptive_field(const Keys& rule, const RuleContext& context);

}  // namespace ropewalk::rope_config
