#include <algorithm>

#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "model/families/family.hpp"
#include "model/families/list.hpp"
#include "model/families/read_spec.hpp"

namespace ropewalk {
namespace model {

// A binary that runs one of the two leaves out the other, and one that trains those that it cannot train.
#if !defined(ROPEWALK_DECODERS_ONLY)
#define ROPEWALK_OF_ENCODERS(family) ROPEWALK_ENCODER_FAMILIES(family)
#else
#define ROPEWALK_OF_ENCODERS(family)
#endif
#if !defined(ROPEWALK_DECODERS_ONLY) && !defined(ROPEWALK_TRAINING_ONLY)
#define ROPEWALK_OF_FIXED(family) ROPEWALK_FIXED_FAMILIES(family)
#else
#define ROPEWALK_OF_FIXED(family)
#endif
#if !defined(ROPEWALK_ENCODERS_ONLY)
#define ROPEWALK_OF_DECODERS(family) ROPEWALK_DECODER_FAMILIES(family)
#else
#define ROPEWALK_OF_DECODERS(family)
#endif
#define ROPEWALK_FAMILIES(family)  \
  ROPEWALK_OF_ENCODERS(family)     \
  ROPEWALK_OF_FIXED(family)        \
  ROPEWALK_CAUSAL_FAMILIES(family) \
  ROPEWALK_OF_DECODERS(family)

#define ROPEWALK_DECLARE(family) extern const Family family;
ROPEWALK_FAMILIES(ROPEWALK_DECLARE)

std::span<const Family> all_families() {
#define ROPEWALK_ELEMENT(family) family,
  static const Family families[] = {ROPEWALK_FAMILIES(ROPEWALK_ELEMENT)};
  return families;
}

const Family* find_family(std::string_view name) {
  for (const Family& family : all_families()) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

bool has_head(const Family& family, const HeadKind& kind) {
  const std::string role = std::string(kind.name) + ".";
  return std::ranges::any_of(family.names.heads,
                             [&](const Name& name) { return name.role.starts_with(role); });
}

const HeadKind* head_of_class(const Family& family, std::string_view name) {
  for (const auto& end : {&HeadKind::class_name, &HeadKind::other_class_name}) {
    for (const HeadKind& kind : head_kinds()) {
      if (!(kind.*end).empty() && name.ends_with(kind.*end) && has_head(family, kind)) return &kind;
    }
  }
  return nullptr;
}

HeadSpec head_of(const Spec& spec, const HeadKind& kind) {
  for (const std::vector<HeadSpec>* heads : {&spec.heads, &spec.possible_heads}) {
    for (const HeadSpec& own : *heads) {
      if (own.kind == kind.name) return own;
    }
  }
  HeadSpec head = kind.usual(spec);
  const Family* family = find_family(spec.family);
  if (family != nullptr && family->adapt_head != nullptr) family->adapt_head(spec, head);
  return head;
}

namespace {

constexpr std::string_view function = "spec_from_config";

/// The activation of a cross-encoder: a class of PyTorch, in the object of sentence-transformers or by the
/// key that it had before.
Status read_relevance(const json::Members& keys, Spec& spec) {
  std::string now, before;
  constexpr std::string_view old_key = "sbert_ce_default_activation_function", key = "activation_fn";
  ROPEWALK_TRY(keys.text(old_key, before));
  if (const json::Value* own = keys.find("sentence_transformers"); own != nullptr) {
    if (own->kind != json::Kind::object)
      return keys.refuse("sentence_transformers", *own, "an object of sentence-transformers", false);
    ROPEWALK_TRY(json::Members(*own, spec.family).text(key, now));
  }
  const std::string& given = now.empty() ? before : now;
  if (given.empty()) return {};
  if (!before.empty() && before != given) {
    return out_of_range(
        spec.family, old_key, json::quoted(std::string_view(before)),
        "what `sentence_transformers.activation_fn` says, " + json::quoted(std::string_view(now)));
  }
  const std::string_view name = std::string_view(given).substr(given.rfind('.') + 1);
  if (name == "Identity") spec.relevance = Activation::linear;
  if (name == "Sigmoid") spec.relevance = Activation::sigmoid;
  if (spec.relevance) return {};
  return out_of_range(spec.family, now.empty() ? old_key : key, json::quoted(std::string_view(given)),
                      "a class of PyTorch: Identity or Sigmoid");
}

/// Keys that say nothing about what a model computes: of the program that saved the file, of generation and the
/// tokenizer, and lengths that nothing but learned positions enforces.
constexpr std::string_view quiet_keys[] = {"_attn_implementation",
                                           "_name_or_path",
                                           "architectures",
                                           "auto_map",
                                           "bos_token_id",
                                           "cls_token_id",
                                           "dtype",
                                           "eos_token_id",
                                           "finetuning_task",
                                           "id2label",
                                           "label2id",
                                           "mask_token_id",
                                           "max_length",
                                           "max_position_embeddings",
                                           "model_type",
                                           "n_positions",
                                           "output_attentions",
                                           "output_hidden_states",
                                           "pad_token_id",
                                           "problem_type",
                                           "return_dict",
                                           "sep_token_id",
                                           "task_specific_params",
                                           "tokenizer_class",
                                           "torch_dtype",
                                           "torchscript",
                                           "transformers_version",
                                           "trust_remote_code",
                                           "unk_token_id",
                                           "use_cache"};

/// A note for each key that nobody has asked for. Those about rotation are read from a copy, and strictly.
void note_unread_keys(const json::Value& config, std::vector<std::string>& notes) {
  for (const json::Member& member : config.members) {
    if (member.found || member.value.kind == json::Kind::null) continue;
    if (member.name.find("rope") != member.name.npos || member.name.find("rotary") != member.name.npos)
      continue;
    if (std::ranges::find(quiet_keys, member.name) != std::end(quiet_keys)) continue;
    notes.push_back("`" + member.name + "` of config.json is not read");
  }
}

/// The heads that the class names promise, and the number of classes.
Status read_heads(const json::Members& keys, const Family& family, Spec& spec) {
  if (const json::Value* names = keys.find("id2label")) {
    if (names->kind != json::Kind::object)
      return keys.refuse("id2label", *names, "an object from class number to name", false);
    if (!names->members.empty() && keys.find("num_labels") == nullptr) spec.labels = names->members.size();
  }
  auto labels = static_cast<std::int64_t>(spec.labels);
  ROPEWALK_TRY(keys.whole("num_labels", 1, 1 << 24, labels));
  spec.labels = static_cast<std::size_t>(labels);
  ROPEWALK_TRY(read_relevance(keys, spec));

  const json::Value* classes = keys.find("architectures");
  if (classes == nullptr) return {};
  if (classes->kind != json::Kind::array)
    return keys.refuse("architectures", *classes, "an array of class names", false);
  for (const json::Value& name : classes->items) {
    if (name.kind != json::Kind::text)
      return keys.refuse("architectures", name, "an array of class names", false);
    const HeadKind* const kind = head_of_class(family, name.text);
    if (kind == nullptr) continue;
    const bool known =
        std::ranges::any_of(spec.heads, [&](const HeadSpec& head) { return head.kind == kind->name; });
    if (!known) spec.heads.push_back(head_of(spec, *kind));
  }
  return {};
}

/// The family for a model_type that several have: one that says that it reads the configuration comes before one that
/// reads all others.
const Family* family_of(const json::Value& config, std::string_view model_type) {
  const Family* any = nullptr;
  for (const Family& family : all_families()) {
    if (family.model_type != model_type) continue;
    if (family.reads != nullptr && family.reads(config)) return &family;
    if (family.reads == nullptr) any = &family;
  }
  return any;
}

std::string known_types() {
  std::string known;
  for (const Family& family : all_families()) {
    const std::string name = json::quoted(family.model_type);
    if (known.find(name) == std::string::npos) known += (known.empty() ? "" : ", ") + name;
  }
  return known;
}

}  // namespace
}  // namespace model

using model::Family;

std::vector<std::string_view> families() {
  std::vector<std::string_view> names;
  for (const Family& family : model::all_families()) names.push_back(family.name);
  return names;
}

Result<Spec> spec_from_config(std::string_view text) {
  ROPEWALK_LET(parsed, json::parse(text, model::function, "config"));
  if (parsed.kind != json::Kind::object) {
    return wrong_type(model::function, "config", json::quoted(parsed), "an object, as in config.json");
  }
  return model::spec_from_json(parsed);
}

Result<Spec> model::spec_from_json(const json::Value& config) {
  const json::Members keys(config, model::function);
  // Meta's params.json names no model_type.
  std::string type =
      config.find("dim") != nullptr && config.find("n_layers") != nullptr ? "llama" : "roformer";
  ROPEWALK_TRY(keys.text("model_type", type));
  const Family* const family = model::family_of(config, type);
  if (family == nullptr) {
    return unsupported(model::function, "model_type", json::quoted(std::string_view(type)),
                       model::known_types() + ", since other models have other layers");
  }
  ROPEWALK_LET(spec, family->read(config));
  spec.family = family->name;
  ROPEWALK_TRY(model::read_heads(json::Members(config, family->name), *family, spec));
  model::note_unread_keys(config, spec.notes);
  return std::move(spec);
}

}  // namespace ropewalk
