// A checkpoint into the parameters: every tensor found by name, nothing read before all of them fit.

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/half.hpp"
#include "base/text.hpp"
#include "formats/json/order.hpp"
#include "formats/json/value.hpp"
#include "model/families/family.hpp"
#include "model/model.hpp"
#include "model/tensors.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk::model {
namespace {

/// The sinusoids that Hugging Face's RoFormer stores, within the base model.
constexpr std::string_view position_table = "encoder.embed_positions.weight";

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

/// The parameter's tensor, under its own name or one that it is tied to.
Tensors::Found* find_parameter(Tensors& tensors, const parameters::Parameter& parameter) {
  if (Tensors::Found* found = tensors.find(parameter.name)) return found;
  for (const std::string& alias : parameter.aliases) {
    if (Tensors::Found* found = tensors.find(alias)) return found;
  }
  return nullptr;
}

/// The nearest number of a type, ties to even.
double rounded_to(SafetensorsType type, double value) {
  const auto single = static_cast<float>(value);
  if (type == SafetensorsType::F16) return from_float16(to_float16(single));
  if (type == SafetensorsType::BF16) return from_bfloat16(to_bfloat16(single));
  return single;
}

bool readable(SafetensorsType type) {
  return type == SafetensorsType::F32 || type == SafetensorsType::F16 || type == SafetensorsType::BF16;
}

/// Compares a tensor that is not needed with what the model uses instead; a note when they differ.
Status compare(Tensors::Found& found, std::span<const float> expected, const std::string& consequence,
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

/// Row p is sin(p w_j) for all j, then cos(p w_j): (rows, D).
Status sinusoids(std::size_t rows, std::size_t head_dim, Buffer<float>& table) {
  const std::size_t pairs = head_dim / 2;
  Result<Rope> rope = Rope::make({.head_dim = head_dim});
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

Result<Model> Model::load(const Spec& spec, std::span<const SafetensorsTensor> checkpoint,
                          Precision precision, std::string_view added) {
  const Family* family = find_family(spec.family);
  if (family == nullptr) return make(spec);  // says why not
  Tensors tensors(checkpoint, family->names);
  if (Status status = tensors.check_unique(spec.family); !status.ok()) return status;
  Spec found = spec;
  std::vector<std::string> notes;
  if (family->told_by_tensors != nullptr) {
    if (Status status = family->told_by_tensors(found, tensors, notes); !status.ok()) return status;
  }
  if (found.family != spec.family) {
    family = find_family(found.family);
    tensors = Tensors(checkpoint, family->names);
  }
  add_heads(tensors, found, added);
  if (const Tensors::Found* words = tensors.find(family->names.of("embedding.words") + ".weight");
      words != nullptr && found.embedding.rounds_scale) {
    found.embedding.scale = rounded_to(words->tensor->type, found.embedding.scale);
  }
  Result<Model> made = make(found);
  if (!made.ok()) return made;
  Model& model = made.value();
  model.notes_ = found.notes;
  model.notes_.insert(model.notes_.end(), notes.begin(), notes.end());
  if (family->note != nullptr) model.notes_.push_back(family->note(found));
  model.precision_ = precision;
  if (Status status = model.read(tensors, added); !status.ok()) return status;
  if (!model.fresh().empty()) return made;
  if (Status status = model.repack(); !status.ok()) return status;
  return made;
}

Status Model::read(Tensors& tensors, std::string_view added) {
  const std::string begin = spec_.family + ": ";
  const HeadKind* const new_head = find_head_kind(added);
  std::vector<std::string> own;  // names of a head that the checkpoint holds nothing of
  if (new_head != nullptr) own = names_of_absent_head(tensors, spec_, *new_head);

  std::vector<std::pair<const parameters::Parameter*, const SafetensorsTensor*>> pairs;
  std::vector<std::string> missing;
  for (const parameters::Parameter& parameter : table_.all()) {
    Tensors::Found* found = find_parameter(tensors, parameter);
    if (found != nullptr) {
      found->used = true;
      pairs.emplace_back(&parameter, found->tensor);
    } else if (std::ranges::find(own, parameter.name) != own.end()) {
      fresh_.push_back(static_cast<std::size_t>(&parameter - table_.all().data()));
    } else {
      missing.push_back(parameter.name);
    }
  }
  if (!missing.empty()) {
    std::vector<std::string> unexpected;
    for (const Tensors::Found& found : tensors.all()) {
      if (!found.used) unexpected.push_back(found.tensor->name);
    }
    return Status::type(begin + "the checkpoint lacks " + listed(missing) +
                        "; allowed: every parameter of the "
                        "configuration" +
                        (unexpected.empty() ? "" : ". It has instead " + listed(unexpected)));
  }
  for (const auto& [parameter, tensor] : pairs) {
    const std::string name = "tensor " + json::quoted(std::string_view(tensor->name));
    if (tensor->shape != parameter->shape) {
      const std::string found = shape_text(tensor->shape), allowed = shape_text(parameter->shape);
      return Status::refusal(Status::Code::range, {spec_.family, tensor->name, found, allowed},
                             name + " has the shape " + found + "; allowed by the configuration: " + allowed);
    }
    if (!readable(tensor->type)) {
      const std::string_view type = name_of(tensor->type);
      return Status::refusal(Status::Code::unsupported,
                             {spec_.family, tensor->name, type, "F32, F16 or BF16"},
                             sentence({name, " has the type ", type, "; allowed: F32, F16 or BF16"}));
    }
  }
  const auto values = [&](const parameters::Parameter& parameter) {
    return parameters().subspan(static_cast<std::size_t>(parameter.offset),
                                static_cast<std::size_t>(parameter.size));
  };
  for (const auto& [parameter, tensor] : pairs) {
    if (Status status = try_read_float32(*tensor, values(*parameter)); !status.ok()) return status;
  }

  for (const parameters::Parameter& parameter : table_.all()) {
    for (const std::string& alias : parameter.aliases) {
      Tensors::Found* other = tensors.find(alias);
      if (other == nullptr || other->used) continue;
      Status status = compare(*other, values(parameter),
                              " differs from " + json::quoted(std::string_view(parameter.name)) +
                                  ", to which the configuration ties it, and is ignored",
                              notes_);
      if (!status.ok()) return status;
    }
  }
  const std::string table_name =
      std::string(find_family(spec_.family)->names.prefix) + std::string(position_table);
  if (Tensors::Found* table = tensors.find(table_name)) {
    Buffer<float> expected;
    // Rotation needs no table: the angles are computed, so a stored one is only looked at.
    const bool fits = table->tensor->shape.size() == 2 && table->tensor->shape[1] == spec_.head_dim();
    if (fits && spec_.head_dim() % 2 == 0) {
      Status status =
          sinusoids(static_cast<std::size_t>(table->tensor->shape[0]), spec_.head_dim(), expected);
      if (!status.ok()) return status;
    }
    Status status = compare(*table, expected.span(),
                            " is not the table of sinusoids that the configuration gives, "
                            "which is used instead",
                            notes_);
    if (!status.ok()) return status;
  }
  for (const Tensors::Found& found : tensors.all()) {
    // The state of an optimiser is for the trainer.
    if (!found.used && !found.name.starts_with("optimizer.")) {
      notes_.push_back("tensor " + json::quoted(std::string_view(found.tensor->name)) +
                       " belongs to nothing that this model computes and is ignored");
    }
  }
  return {};
}

}  // namespace ropewalk::model
