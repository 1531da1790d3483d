// A checkpoint into the parameters: every tensor found by name, nothing read before all of them fit.

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "formats/json/order.hpp"
#include "formats/json/value.hpp"
#include "model/model.hpp"
#include "model/traits.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk::roformer {
namespace {

constexpr std::string_view prefix = "roformer.";

/// Names that checkpoints of the base model have without the prefix.
constexpr std::string_view base_roots[] = {"embeddings.", "embeddings_project.", "encoder.", "pooler."};

/// Two names of one tensor: PyTorch saves a tied tensor under either.
struct Tie {
  std::string_view name, other;
};
constexpr Tie weight_tie = {"roformer.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"};
constexpr Tie bias_tie = {"cls.predictions.bias", "cls.predictions.decoder.bias"};

constexpr std::string_view position_table = "roformer.encoder.embed_positions.weight";

struct Found {
  std::string name;  // with the prefix, and with today's names of LayerNorm's parameters
  const SafetensorsTensor* tensor;
  bool used = false;
};

bool starts_with(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

std::string canonical(std::string_view name) {
  std::string result;
  for (const std::string_view root : base_roots) {
    if (starts_with(name, root)) result = prefix;
  }
  result += name;
  constexpr std::pair<std::string_view, std::string_view> old_names[] = {
      {"LayerNorm.gamma", "LayerNorm.weight"}, {"LayerNorm.beta", "LayerNorm.bias"}};
  for (const auto& [old_name, name_now] : old_names) {
    if (ends_with(result, old_name))
      result.replace(result.size() - old_name.size(), old_name.size(), name_now);
  }
  return result;
}

/// Sorted by name.
class Tensors {
 public:
  explicit Tensors(const Safetensors& checkpoint) {
    std::vector<std::string> names;
    for (const SafetensorsTensor& tensor : checkpoint.tensors()) names.push_back(canonical(tensor.name));
    const std::vector<std::uint32_t> by_name =
        json::sorted(names.size(), [&](std::uint32_t a, std::uint32_t b) { return names[a] < names[b]; });
    for (const std::uint32_t i : by_name) found_.push_back({std::move(names[i]), &checkpoint.tensors()[i]});
  }
  Status check_unique() const {
    for (std::size_t i = 1; i < found_.size(); ++i) {
      if (found_[i].name != found_[i - 1].name) continue;
      return Status::range("roformer: tensors " + json::quoted(found_[i - 1].tensor->name) + " and " +
                           json::quoted(found_[i].tensor->name) +
                           " are the same parameter; allowed: one of them");
    }
    return {};
  }
  Found* find(std::string_view name) {
    const auto at =
        std::lower_bound(found_.begin(), found_.end(), name,
                         [](const Found& entry, std::string_view key) { return entry.name < key; });
    return at == found_.end() || at->name != name ? nullptr : &*at;
  }
  bool any_with_root(std::string_view root) const {
    return std::any_of(found_.begin(), found_.end(),
                       [&](const Found& entry) { return starts_with(entry.name, root); });
  }
  bool any_norm_or_layer_bias() const {
    return std::any_of(found_.begin(), found_.end(), [](const Found& entry) {
      const std::string_view name = entry.name;
      return name.find(".LayerNorm.") != name.npos ||
             (ends_with(name, ".bias") && name.find("encoder.layer.") != name.npos);
    });
  }
  std::span<Found> all() { return found_; }

 private:
  std::vector<Found> found_;
};

/// "a", "b" and 3 more
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), shown); ++i) {
    text += (i == 0 ? "" : ", ") + json::quoted(std::string_view(names[i]));
  }
  if (names.size() > shown) text += " and " + std::to_string(names.size() - shown) + " more";
  return text;
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text = "[";
  for (const std::uint64_t extent : shape) text += (text.size() == 1 ? "" : ", ") + std::to_string(extent);
  return text + "]";
}

/// A head by the names of its tensors, and by what Hugging Face's class of a model with it is called after
/// RoFormer or RoFormerV2.
struct HeadKind {
  bool Heads::*member;
  std::string_view roots[2];
  std::string_view architecture;
};
constexpr std::string_view single_layer[2] = {"classifier.weight", "classifier.bias"};
constexpr HeadKind head_kinds[] = {
    {&Heads::masked_lm, {"cls.predictions.", "cls.predictions."}, "ForMaskedLM"},
    {&Heads::masked_lm, {"cls.predictions.", "cls.predictions."}, "ForCausalLM"},
    {&Heads::classification, {"classifier.dense.", "classifier.out_proj."}, "ForSequenceClassification"},
    {&Heads::token_classification, {single_layer[0], single_layer[1]}, "ForTokenClassification"},
    {&Heads::multiple_choice, {single_layer[0], single_layer[1]}, "ForMultipleChoice"},
    {&Heads::question_answering, {"qa_outputs.", "qa_outputs."}, "ForQuestionAnswering"},
};

bool says(const RoFormerConfig& config, std::string_view architecture) {
  return std::any_of(config.architectures.begin(), config.architectures.end(), [&](const std::string& name) {
    return name.compare(0, 8, "RoFormer") == 0 && ends_with(name, architecture);
  });
}

bool holds(const Tensors& tensors, const HeadKind& kind) {
  return tensors.any_with_root(kind.roots[0]) || tensors.any_with_root(kind.roots[1]);
}

Heads heads_of(const RoFormerConfig& config, Tensors& tensors) {
  Heads heads, named;
  for (const HeadKind& kind : head_kinds) {
    named.*kind.member = named.*kind.member || says(config, kind.architecture);
    heads.*kind.member = heads.*kind.member || holds(tensors, kind);
  }
  if (heads.token_classification) {
    // Two heads have their tensors under one name: the class says which it is, else the shape.
    const Found* weight = tensors.find(single_layer[0]);
    const bool one = config.num_labels > 1 && weight != nullptr && !weight->tensor->shape.empty() &&
                     weight->tensor->shape[0] == 1;
    heads.multiple_choice = named.multiple_choice || (one && !named.token_classification);
    heads.token_classification = !heads.multiple_choice;
    if (named.classification) heads.token_classification = heads.multiple_choice = false;
  }
  for (const HeadKind& kind : head_kinds) heads.*kind.member = heads.*kind.member || named.*kind.member;
  return heads;
}

/// Makes the configuration that of the checkpoint's version; a note when it is RoFormer-v2. Its
/// configurations do not always say so.
void detect_version(const Tensors& tensors, RoFormerConfig& config, std::vector<std::string>& notes) {
  if (!tensors.any_norm_or_layer_bias()) {
    config.norm_type = "rms_norm";
    config.use_bias = false;
  }
  const Traits traits = traits_of(config);
  if (traits.norm_parameters) return;
  notes.push_back(std::string("this is a RoFormer-v2: norms are root mean squares without parameters, the "
                              "masked-language-model head is the decoder alone, and layers have ") +
                  (traits.projection_biases ? "" : "no ") + "biases");
}

/// The parameter's tensor, under its own name or that of its tie.
Found* find_parameter(Tensors& tensors, std::string_view name) {
  if (Found* found = tensors.find(name)) return found;
  for (const Tie& tie : {weight_tie, bias_tie}) {
    if (tie.name == name) return tensors.find(tie.other);
  }
  return nullptr;
}

bool readable(SafetensorsType type) {
  return type == SafetensorsType::F32 || type == SafetensorsType::F16 || type == SafetensorsType::BF16;
}

/// Compares a tensor that is not needed with what the model uses instead; a note when they differ.
Status compare(Found& found, std::span<const float> expected, const std::string& consequence,
               std::vector<std::string>& notes) {
  found.used = true;
  bool same = found.tensor->elements == expected.size() && readable(found.tensor->type);
  if (same) {
    Buffer<float> values;
    if (Status status = values.allocate(expected.size(), "roformer: checkpoint"); !status.ok()) return status;
    if (Status status = try_read_float32(*found.tensor, values.span()); !status.ok()) return status;
    // Half-precision checkpoints hold rounded tables; a NaN differs.
    const float tolerance = found.tensor->type == SafetensorsType::F32 ? 1e-5F : 1e-2F;
    for (std::size_t i = 0; i < expected.size() && same; ++i) {
      same = std::fabs(values[i] - expected[i]) <= tolerance;
    }
  }
  if (!same) notes.push_back("tensor " + json::quoted(std::string_view(found.tensor->name)) + consequence);
  return {};
}

/// The sinusoids that Hugging Face stores, (positions, D): row p is sin(p w_j) for all j, then cos(p w_j).
Status sinusoids(const RoFormerConfig& config, Buffer<float>& table) {
  const std::size_t rows = config.max_position_embeddings, pairs = config.head_dim() / 2;
  Result<Rope> rope = Rope::make({.head_dim = config.head_dim()});
  if (!rope.ok()) return rope.status();
  Buffer<double> positions;
  Buffer<float> cos, sin;
  for (Status status :
       {positions.allocate(rows, "roformer: positions"), cos.allocate(rows * pairs, "roformer: positions"),
        sin.allocate(rows * pairs, "roformer: positions"),
        table.allocate(2 * rows * pairs, "roformer: positions")}) {
    if (!status.ok()) return status;
  }
  for (std::size_t p = 0; p < rows; ++p) positions[p] = static_cast<double>(p);
  if (Status status = rope.value().try_table(positions.span(), cos.span(), sin.span()); !status.ok())
    return status;
  for (std::size_t p = 0; p < rows; ++p) {
    std::copy_n(sin.data() + p * pairs, pairs, table.data() + 2 * p * pairs);
    std::copy_n(cos.data() + p * pairs, pairs, table.data() + (2 * p + 1) * pairs);
  }
  return {};
}

}  // namespace

Result<Model> Model::load(const RoFormerConfig& config, const Safetensors& checkpoint, Precision precision,
                          const Heads& added) {
  Tensors tensors(checkpoint);
  RoFormerConfig found = config;
  std::vector<std::string> notes;
  detect_version(tensors, found, notes);
  Heads heads = heads_of(config, tensors);
  for (const HeadKind& kind : head_kinds) heads.*kind.member = heads.*kind.member || added.*kind.member;
  Result<Model> made = make(found, heads);
  if (!made.ok()) return made;
  Model& model = made.value();
  model.notes_ = std::move(notes);
  model.precision_ = precision;
  if (Status status = model.read(checkpoint, added); !status.ok()) return status;
  if (!model.fresh().empty()) return made;
  if (Status status = model.repack(); !status.ok()) return status;
  return made;
}

Status Model::read(const Safetensors& checkpoint, const Heads& added) {
  Tensors tensors(checkpoint);
  if (Status status = tensors.check_unique(); !status.ok()) return status;

  std::vector<std::pair<const parameters::Parameter*, const SafetensorsTensor*>> pairs;
  std::vector<std::string> missing;
  for (const parameters::Parameter& parameter : layout_.table.all()) {
    Found* found = find_parameter(tensors, parameter.name);
    if (found == nullptr) {
      const auto of_head = [&](const HeadKind& kind) {
        return added.*kind.member && !holds(tensors, kind) &&
               (starts_with(parameter.name, kind.roots[0]) || starts_with(parameter.name, kind.roots[1]));
      };
      if (std::any_of(std::begin(head_kinds), std::end(head_kinds), of_head)) {
        fresh_.push_back(static_cast<std::size_t>(&parameter - layout_.table.all().data()));
      } else {
        missing.push_back(parameter.name);
      }
      continue;
    }
    found->used = true;
    pairs.emplace_back(&parameter, found->tensor);
  }
  if (!missing.empty()) {
    std::vector<std::string> unexpected;
    for (const Found& found : tensors.all()) {
      if (!found.used) unexpected.push_back(found.tensor->name);
    }
    return Status::type("roformer: the checkpoint lacks " + listed(missing) +
                        "; allowed: every parameter of the "
                        "configuration" +
                        (unexpected.empty() ? "" : ". It has instead " + listed(unexpected)));
  }
  for (const auto& [parameter, tensor] : pairs) {
    const std::string name = "roformer: tensor " + json::quoted(std::string_view(tensor->name));
    if (tensor->shape != parameter->shape) {
      return Status::range(name + " has the shape " + shape_text(tensor->shape) +
                           "; allowed by the configuration: " + shape_text(parameter->shape));
    }
    if (!readable(tensor->type)) {
      return Status::type(name + " has the type " + std::string(name_of(tensor->type)) +
                          "; allowed: F32, F16 or BF16");
    }
  }
  for (const auto& [parameter, tensor] : pairs) {
    const std::span<float> out = parameters().subspan(static_cast<std::size_t>(parameter->offset),
                                                      static_cast<std::size_t>(parameter->size));
    if (Status status = try_read_float32(*tensor, out); !status.ok()) return status;
  }

  for (const Tie& tie : {weight_tie, bias_tie}) {
    Found* other = tensors.find(tie.other);
    const parameters::Parameter* parameter = layout_.table.find(tie.name);
    if (other == nullptr || other->used || parameter == nullptr) continue;
    const std::span<const float> expected = parameters().subspan(static_cast<std::size_t>(parameter->offset),
                                                                 static_cast<std::size_t>(parameter->size));
    Status status = compare(
        *other, expected,
        " differs from " + json::quoted(tie.name) + ", to which the configuration ties it, and is ignored",
        notes_);
    if (!status.ok()) return status;
  }
  if (Found* table = tensors.find(position_table)) {
    Buffer<float> expected;
    // Rotation needs no table: the angles are computed, so a stored one is only looked at.
    if (config_.head_dim() % 2 == 0) {
      if (Status status = sinusoids(config_, expected); !status.ok()) return status;
    }
    Status status = compare(*table, expected.span(),
                            " is not the table of sinusoids that the configuration gives, "
                            "which is used instead",
                            notes_);
    if (!status.ok()) return status;
  }
  for (const Found& found : tensors.all()) {
    // The state of an optimiser is for the trainer.
    if (!found.used && !starts_with(found.name, "optimizer.")) {
      notes_.push_back("tensor " + json::quoted(std::string_view(found.tensor->name)) +
                       " belongs to nothing that this model computes and is ignored");
    }
  }
  return {};
}

}  // namespace ropewalk::roformer
