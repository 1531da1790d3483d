// Finds the tensor of each parameter by name. Nothing is read before all of them fit.

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/half.hpp"
#include "base/text.hpp"
#include "formats/json/order.hpp"
#include "formats/json/value.hpp"
#include "formats/safetensors/types.hpp"
#include "model/check_spec.hpp"
#include "model/families/family.hpp"
#include "model/loading/loader.hpp"
#include "ropewalk/rope.hpp"

namespace ropewalk::model {
namespace {

/// The sinusoids that Hugging Face's RoFormer stores, within the base model.
constexpr std::string_view position_table = "encoder.embed_positions.weight";
constexpr std::uint64_t most_positions = std::uint64_t{1} << 28;  // elements of the table

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

/// Row p is sin(p w_j) for all j, then cos(p w_j): (rows, D).
Status sinusoids(std::size_t rows, std::size_t head_dim, Buffer<float>& table) {
  const std::size_t pairs = head_dim / 2;
  ROPEWALK_LET(rope, Rope::make({.head_dim = head_dim}));
  Buffer<double> positions;
  Buffer<float> cos, sin;
  for (Status status :
       {positions.allocate(rows, "roformer: positions"), cos.allocate(rows * pairs, "roformer: positions"),
        sin.allocate(rows * pairs, "roformer: positions"),
        table.allocate(2 * rows * pairs, "roformer: positions")}) {
    if (!status.ok()) return status;
  }
  for (std::size_t p = 0; p < rows; ++p) positions[p] = static_cast<double>(p);
  ROPEWALK_TRY(rope.try_table(positions.span(), cos.span(), sin.span()));
  for (std::size_t p = 0; p < rows; ++p) {
    std::copy_n(sin.data() + p * pairs, pairs, table.data() + 2 * p * pairs);
    std::copy_n(cos.data() + p * pairs, pairs, table.data() + (2 * p + 1) * pairs);
  }
  return {};
}

}  // namespace

Status Loader::match(const Spec& spec, Files files, const Options& options, std::string_view added) {
  const nn::Compute compute = nn::Compute::in(options.precision, options.threads);
  const Family* family = find_family(spec.family);
  if (family == nullptr) return Model::lay_out(spec, compute).status();  // says why not
  given_ = spec;
  added_ = added;
  keep_ = options.keep;
  files_.assign(files.begin(), files.end());
  tensors_.emplace(files_, family->names);
  ROPEWALK_TRY(tensors_->check_unique(spec.family));
  std::vector<std::string> notes;
  ROPEWALK_LET(found, spec_of_tensors(notes));
  ROPEWALK_LET(made, Model::lay_out(found, compute));
  if (keep_ != Keep::packed_in_blocks) {
    ROPEWALK_TRY(check_runs_without_cache(found));
  }
  model_.emplace(std::move(made));
  model_->notes_ = std::move(notes);
  model_->precision_ = options.precision;
  ROPEWALK_TRY(match_parameters());
  ROPEWALK_TRY(match_positions());
  for (const Tensors::Found& each : tensors_->all()) {
    if (each.awaited) uses_.push_back({each.tensor, OfSpec{}});
  }
  return claim();
}

Result<Spec> Loader::spec_of_tensors(std::vector<std::string>& notes) {
  const Family* family = find_family(given_.family);
  Spec found = given_;
  std::vector<std::string> assumed;
  if (family->told_by_tensors != nullptr) {
    ROPEWALK_TRY(family->told_by_tensors(found, *tensors_, assumed));
  }
  if (found.family != given_.family) {
    family = find_family(found.family);
    if (uses_.empty()) tensors_.emplace(files_, family->names);
  }
  // A trainer that asks for the head begins with a new one, and says so itself.
  if (added_ != "masked_lm") drop_absent_head(*tensors_, found, assumed);
  add_heads(*tensors_, found, added_);
  const auto type_of = [&](std::string_view role) {
    const Tensors::Found* weight = tensors_->find(family->names.of(role) + ".weight");
    return weight == nullptr ? SafetensorsType::F32 : weight->tensor->type;
  };
  if (found.embedding.rounds_scale) {
    // Beside words in 8 bits, the norms still have the type of the checkpoint that they were made from.
    const SafetensorsType type = type_of("embedding.words");
    const SafetensorsType stored = type == SafetensorsType::I8 ? type_of("final_norm") : type;
    found.embedding.scale = rounded_to(stored, found.embedding.scale);
    found.layer_inputs.scale = rounded_to(stored, found.layer_inputs.scale);
  }
  notes = found.notes;
  notes.insert(notes.end(), assumed.begin(), assumed.end());
  if (family->note != nullptr) notes.push_back(family->note(found));
  return found;
}

/// Corrects the spec by values that have arrived since.
Status Loader::correct_spec() {
  arrived_.reserve(uses_.size());
  each<OfSpec>([&](const SafetensorsTensor& tensor, const OfSpec& values) {
    arrived_.push_back(tensor);
    arrived_.back().data = values.bytes;
    for (Tensors::Found& found : tensors_->all()) {
      if (found.tensor == &tensor) found.tensor = &arrived_.back();
    }
  });
  if (arrived_.empty()) return {};
  Result<Spec> found = spec_of_tensors(model_->notes_);
  return found.ok() ? change_frequencies(std::move(found).value()) : found.status();
}

Status Loader::set_ropes(std::vector<RopeOptions> ropes) {
  Spec spec = model_->spec_;
  spec.positions = positions::Rope{.ropes = std::move(ropes)};
  return change_frequencies(std::move(spec));
}

Status Loader::change_frequencies(Spec spec) {
  ROPEWALK_LET(positions, position_encoding::make(spec));
  model_->positions_->swap_frequencies(*positions);
  model_->spec_ = std::move(spec);
  return {};
}

Status Loader::match_parameters() {
  Model& model = *model_;
  const std::string begin = model.spec_.family + ": ";
  const HeadKind* const new_head = find_head_kind(added_);
  std::vector<std::string> own;  // names of a head that the checkpoint holds nothing of
  if (new_head != nullptr) own = names_of_absent_head(*tensors_, model.spec_, *new_head);

  std::vector<std::string> missing;
  for (const parameters::Parameter& parameter : model.table_.all()) {
    if (Tensors::Found* found = find_parameter(*tensors_, parameter)) {
      found->used = true;
      uses_.push_back({found->tensor, Values{.parameter = &parameter}});
    } else if (std::ranges::find(own, parameter.name) != own.end()) {
      model.fresh_.push_back(static_cast<std::size_t>(&parameter - model.table_.all().data()));
    } else {
      missing.push_back(parameter.name);
    }
  }
  if (!missing.empty()) {
    std::vector<std::string> unexpected;
    for (const Tensors::Found& found : tensors_->all()) {
      if (!found.used) unexpected.push_back(found.tensor->name);
    }
    return Status::type(begin + "the checkpoint lacks " + listed(missing) +
                        "; allowed: every parameter of the "
                        "configuration" +
                        (unexpected.empty() ? "" : ". It has instead " + listed(unexpected)));
  }
  for (std::size_t i = 0, count = uses_.size(); i < count; ++i) {
    const SafetensorsTensor* const tensor = uses_[i].tensor;
    auto& values = std::get<Values>(uses_[i].as);
    const parameters::Parameter* const parameter = values.parameter;
    const std::string name = "tensor " + json::quoted(std::string_view(tensor->name));
    const bool is_bytes = tensor->type == SafetensorsType::I8 && parameter->packed && keep_ != Keep::all;
    const bool rotated =
        is_bytes && keep_ == Keep::packed && tensors_->find_scales(*tensor, scales_of_rotated) != nullptr;
    values.rotated = rotated;
    if (is_bytes) {
      ROPEWALK_TRY(match_scales(*tensor, *parameter, rotated));
    }
    std::vector<std::uint64_t> shape = parameter->shape;
    if (rotated) shape.back() = kernels::int8_columns(shape.back());
    if (tensor->shape != shape) {
      const std::string found = shape_text(tensor->shape), allowed = shape_text(shape);
      return Status::refusal(Status::Code::range, {model.spec_.family, tensor->name, found, allowed},
                             name + " has the shape " + found + "; allowed by the configuration: " + allowed);
    }
    if (!is_bytes && !safetensors::widens(tensor->type)) {
      const std::string_view type = name_of(tensor->type);
      return Status::refusal(Status::Code::unsupported,
                             {model.spec_.family, tensor->name, type, "F32, F16 or BF16"},
                             sentence({name, " has the type ", type, "; allowed: F32, F16 or BF16"}));
    }
  }
  for (std::size_t i = 0; i < model.table_.all().size(); ++i) {
    const parameters::Parameter& parameter = model.table_.all()[i];
    for (const std::string& alias : parameter.aliases) {
      Tensors::Found* other = tensors_->find(alias);
      if (other == nullptr || other->used) continue;
      other->used = true;
      for (const std::string_view ending : {scales_of_rows, scales_of_rotated}) {
        if (Tensors::Found* scales = tensors_->find_scales(*other->tensor, ending)) scales->used = true;
      }
      uses_.push_back({other->tensor, Copy{.parameter = &parameter}});
      each<Values>([&](const SafetensorsTensor&, Values& values) {
        values.has_copy = values.has_copy || values.parameter == &parameter;
      });
    }
  }
  return {};
}

/// A weight of a checkpoint in 8 bits, whose rows have their scales in a tensor beside it.
Status Loader::match_scales(const SafetensorsTensor& weight, const parameters::Parameter& parameter,
                            bool rotated) {
  Model& model = *model_;
  Tensors::Found* const scales = tensors_->find_scales(weight, rotated ? scales_of_rotated : scales_of_rows);
  const std::uint64_t rows = parameter.shape.front();
  const std::string allowed = sentence({"F32 [", std::to_string(rows), "], a scale for each of its rows"});
  const std::string what = "the scales of tensor " + json::quoted(std::string_view(weight.name));
  if (scales == nullptr) return wrong_type(model.spec_.family, what, "missing", allowed);
  const SafetensorsTensor& found = *scales->tensor;
  if (found.type != SafetensorsType::F32 || found.elements != rows) {
    return out_of_range(model.spec_.family, what,
                        sentence({name_of(found.type), " ", shape_text(found.shape)}), allowed);
  }
  scales->used = true;
  uses_.push_back({scales->tensor, Scales{.parameter = &parameter}});
  model.precision_ = Precision::int8;
  model.compute_ = nn::Compute::in(Precision::int8, model.compute_.threads());
  return {};
}

Status Loader::match_positions() {
  const Spec& spec = model_->spec_;
  const std::string name = std::string(find_family(spec.family)->names.prefix) + std::string(position_table);
  Tensors::Found* const table = tensors_->find(name);
  if (table == nullptr || table->used) return {};
  table->used = true;
  // Rotation needs no table: the angles are computed, so a stored one is only looked at.
  // The bound is far above any table, and keeps sizes within 32 bits.
  const bool fits = table->tensor->shape.size() == 2 && table->tensor->shape[1] == spec.head_dim() &&
                    spec.head_dim() % 2 == 0 && table->tensor->elements < most_positions &&
                    safetensors::widens(table->tensor->type);
  uses_.push_back({table->tensor, Sinusoids{.differs = !fits}});
  return fits ? sinusoids(static_cast<std::size_t>(table->tensor->shape[0]), spec.head_dim(), positions_)
              : Status();
}

void Loader::note_differences() {
  std::vector<std::string>& notes = model_->notes_;
  const auto note = [&](const SafetensorsTensor& tensor, const std::string& consequence) {
    notes.push_back("tensor " + json::quoted(std::string_view(tensor.name)) + consequence);
  };
  each<Copy>([&](const SafetensorsTensor& tensor, const Copy& copy) {
    bool same = false;
    each<Values>([&](const SafetensorsTensor& other, const Values& values) {
      same = same || (values.parameter == copy.parameter && other.type == tensor.type &&
                      other.elements == tensor.elements && values.hash == copy.hash);
    });
    if (same) return;
    note(tensor, " differs from " + json::quoted(std::string_view(copy.parameter->name)) +
                     ", to which the configuration ties it, and is ignored");
  });
  each<Sinusoids>([&](const SafetensorsTensor& tensor, const Sinusoids& table) {
    if (table.differs)
      note(tensor, " is not the table of sinusoids that the configuration gives, which is used instead");
  });
  for (const Tensors::Found& found : tensors_->all()) {
    // The state of an optimiser is for the trainer.
    if (found.used || found.name.starts_with("optimizer.")) continue;
    note(*found.tensor, " belongs to nothing that this model computes and is ignored");
  }
}

}  // namespace ropewalk::model
