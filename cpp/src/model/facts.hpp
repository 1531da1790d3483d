#pragma once

// Facts about a model as JSON text, for bindings.

#include <string>

#include "ropewalk/sentence.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// {"hidden":32, "token_types":2, "longest":512, "heads":["masked_lm"], "ropes":[{"options":{...},
/// "layers":[0,1], "window":4}]}. `longest` and `window` are null where there is no limit; layers of a rope
/// with different windows are several entries.
std::string facts_json(const Spec& spec);

/// {"dimensions":32, "prompts":{"query":"query: "}, "default_prompt":"query", "include_prompt":true,
/// "lower_case":false, "max_tokens":512}. `default_prompt` and `max_tokens` may be null.
std::string facts_json(const SentenceModules& modules);

/// [{"model_type":"bert", "kind":"encoder", "trainable":true, "heads":["masked_lm"], "gguf":[]}], one for each
/// model_type and kind, with the heads of all families that share it.
std::string families_json();

}  // namespace ropewalk::model
