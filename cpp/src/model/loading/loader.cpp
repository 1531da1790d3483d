#include "model/loading/loader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/overloaded.hpp"
#include "base/text.hpp"
#include "formats/safetensors/types.hpp"

namespace ropewalk::model {
namespace {

std::uint64_t size_of(SafetensorsType type) { return bits_of(type) / 8; }

/// FNV-1a, which does not depend on how the bytes are cut.
std::uint64_t hashed(std::uint64_t hash, std::span<const std::byte> bytes) {
  for (const std::byte each : bytes) hash = (hash ^ static_cast<std::uint64_t>(each)) * 0x100000001b3U;
  return hash;
}

std::uint64_t size_of(const Claim& claim) { return std::uint64_t{claim.rows} * claim.columns; }

/// True if they have elements in common. A claim may be of several parameters, or of a part of one.
bool meets(const Claim& claim, const parameters::Parameter& parameter) {
  return parameter.offset < claim.offset + size_of(claim) && claim.offset < parameter.offset + parameter.size;
}

/// Elements of a row in the file.
std::size_t columns_in_file(const Claim& claim, bool rotated) {
  return rotated ? kernels::int8_columns(claim.columns) : claim.columns;
}

}  // namespace

/// Nothing is allocated yet, but all that will be is counted.
Status Loader::claim() {
  Model& model = *model_;
  const bool int8 = model.precision_ == Precision::int8;
  const nn::WeightForm form = this->form();
  bytes_ = sizeof(float) * (keep_ == Keep::all ? model.table_.size() : model.table_.plain_size());
  ROPEWALK_TRY(model.pack({.compute = model.compute_, .parameters = nullptr, .claims = &claims_}));
  std::uint64_t widest = 1;
  for (Claim& claim : claims_) {
    widest = std::max<std::uint64_t>(widest, claim.columns);
    if (claim.words == nullptr) {
      const auto [n, k] =
          claim.transposed ? std::pair(claim.columns, claim.rows) : std::pair(claim.rows, claim.columns);
      bytes_ += nn::PackedWeight::bytes_of(model.compute_, n, k, form);
      if (claim.transposed && keep_ != Keep::all)
        transposed_size_ = std::max(transposed_size_, static_cast<std::size_t>(size_of(claim)));
      Status refusal;
      each<Values>([&](const SafetensorsTensor& tensor, const Values& values) {
        // Its scales would be those of its columns.
        if (claim.transposed && tensor.type == SafetensorsType::I8 && meets(claim, *values.parameter))
          refusal = unsupported(model.spec_.family, tensor.name, "I8", "F32, F16 or BF16");
      });
      if (!refusal.ok()) return refusal;
      continue;
    }
    if (keep_ == Keep::all) continue;
    // A decoder that is tied to the words holds them already.
    const auto tied = std::ranges::find_if(claims_, [&](const Claim& other) {
      return other.weight != nullptr && other.offset == claim.offset && other.rows == claim.rows;
    });
    if (tied != claims_.end()) {
      claim.words->share(*tied->weight);
      claim.words = nullptr;
    } else if (int8) {
      bytes_ += nn::PackedWeight::bytes_of(model.compute_, claim.rows, claim.columns, form);
    } else {
      each<Values>([&](const SafetensorsTensor& tensor, const Values& values) {
        if (values.parameter->offset == claim.offset) bytes_ += tensor.bytes();
      });
    }
  }
  // Rows are as long in the file as in float32, at most; rotated ones end with a block.
  widest = kernels::int8_columns(widest);
  for (Status status :
       {row_.allocate(widest, "loading: a row"), carry_.allocate(widest * sizeof(float), "loading: a row")}) {
    if (!status.ok()) return status;
  }
  return {};
}

Status Loader::reserve(std::optional<std::uint64_t> limit) {
  Model& model = *model_;
  if (const std::uint64_t needed = size(0).peak; limit && needed > *limit) {
    return Status::out_of_memory(
        sentence({model.spec_.family, ": loading needs ", static_cast<double>(needed),
                  " bytes of memory; allowed: ", static_cast<double>(*limit), ", which can be had"}));
  }
  const std::string what = model.spec_.family + ": parameters";
  const std::uint64_t resident = keep_ == Keep::all ? model.table_.size() : model.table_.plain_size();
  ROPEWALK_TRY(model.parameters_.allocate(static_cast<std::size_t>(resident), what.c_str()));
  if (keep_ == Keep::all) return {};
  const bool int8 = model.precision_ == Precision::int8;
  const nn::WeightForm form = this->form();
  for (Claim& claim : claims_) {
    Status status;
    if (claim.weight != nullptr && claim.transposed) {
      status = claim.weight->reserve(model.compute_, claim.columns, claim.rows, form);
    } else if (claim.weight != nullptr) {
      status = claim.weight->reserve(model.compute_, claim.rows, claim.columns, form);
    } else if (claim.words != nullptr && int8) {
      status = claim.words->reserve_int8(model.compute_, claim.rows, claim.columns, form);
      claim.weight = &std::exchange(claim.words, nullptr)->bytes();
    } else if (claim.words != nullptr) {
      SafetensorsType type = SafetensorsType::F32;
      each<Values>([&](const SafetensorsTensor& tensor, const Values& values) {
        if (values.parameter->offset == claim.offset) type = tensor.type;
      });
      status = claim.words->reserve(claim.rows, claim.columns, type);
    }
    if (!status.ok()) return status;
  }
  return transposed_.allocate(transposed_size_, what.c_str());
}

/// In which packed weights are kept.
nn::WeightForm Loader::form() const {
  if (model_->precision_ != Precision::int8) return nn::WeightForm::float32;
  return keep_ == Keep::packed_in_blocks ? nn::WeightForm::int8_blocks : nn::WeightForm::int8_rows;
}

Loader::Use* Loader::use_of(const SafetensorsTensor& tensor) {
  const auto use = std::ranges::find(uses_, &tensor, &Use::tensor);
  return use == uses_.end() ? nullptr : &*use;
}

/// Bytes that are taken together: rows that are packed, else elements.
std::size_t Loader::unit_of(const SafetensorsTensor& tensor, const Values& values) const {
  const std::uint64_t element = size_of(tensor.type);
  if (values.parameter->packed && keep_ != Keep::all) {
    for (const Claim& claim : claims_) {
      if (claim.weight != nullptr && meets(claim, *values.parameter))
        return static_cast<std::size_t>(columns_in_file(claim, values.rotated) * element);
    }
  }
  return static_cast<std::size_t>(element);
}

template <class Take>
void Loader::in_units(std::size_t unit, std::span<const std::byte> bytes, Take take) {
  if (carried_ != 0) {
    const std::size_t rest = std::min(unit - carried_, bytes.size());
    std::memcpy(carry_.data() + carried_, bytes.data(), rest);
    carried_ += rest;
    bytes = bytes.subspan(rest);
    if (carried_ < unit) return;
    take(std::span<const std::byte>(carry_.data(), unit));
    carried_ = 0;
  }
  const std::size_t whole = bytes.size() / unit * unit;
  if (whole != 0) take(bytes.first(whole));
  carried_ = bytes.size() - whole;
  if (carried_ != 0) std::memcpy(carry_.data(), bytes.data() + whole, carried_);
}

void Loader::read(const SafetensorsTensor& tensor, std::span<const std::byte> bytes) {
  Use* const use = use_of(tensor);
  if (use == nullptr) return;
  const auto keep = [&](std::vector<std::byte>& kept) {
    kept.insert(kept.end(), bytes.begin(), bytes.end());
  };
  std::visit(Overloaded{
                 [&](Values& values) {
                   if (values.has_copy) values.hash = hashed(values.hash, bytes);
                   in_units(unit_of(tensor, values), bytes,
                            [&](std::span<const std::byte> units) { take(tensor, values, units); });
                 },
                 [&](Copy& copy) { copy.hash = hashed(copy.hash, bytes); },
                 [&](Scales& scales) { keep(scales.bytes); },
                 [&](Sinusoids& table) {
                   if (table.differs) return;
                   in_units(static_cast<std::size_t>(size_of(tensor.type)), bytes,
                            [&](std::span<const std::byte> elements) { compare(tensor, table, elements); });
                   if (table.differs) carried_ = 0;
                 },
                 [&](OfSpec& values) { keep(values.bytes); },
             },
             use->as);
}

void Loader::take(const SafetensorsTensor& tensor, Values& values, std::span<const std::byte> units) {
  const parameters::Parameter& parameter = *values.parameter;
  // Elements of the parameter in a unit.
  const std::uint64_t unit = unit_of(tensor, values),
                      elements = values.rotated ? parameter.shape.back() : unit / size_of(tensor.type);
  const std::uint64_t first = values.done / unit * elements;
  const std::size_t count = static_cast<std::size_t>(units.size() / unit * elements);
  values.done += units.size();
  if (!parameter.packed || keep_ == Keep::all) {
    safetensors::widen(tensor.type, units.data(),
                       {model_->parameters_.data() + parameter.offset + first, count});
    return;
  }
  for (const Claim& claim : claims_) {
    if ((claim.weight == nullptr && claim.words == nullptr) || !meets(claim, parameter)) continue;
    // The part of these elements that belongs to the claim.
    const std::uint64_t here = parameter.offset + first;
    const std::uint64_t begin = std::max(claim.offset, here),
                        end = std::min(claim.offset + size_of(claim), here + count);
    if (begin >= end) continue;
    const auto own = units.subspan(static_cast<std::size_t>((begin - here) / elements * unit),
                                   static_cast<std::size_t>((end - begin) / elements * unit));
    if (claim.words != nullptr) {
      claim.words->set(begin - claim.offset, end - begin, own.data());
    } else {
      take_rows(claim, tensor.type, values.rotated, (begin - claim.offset) / claim.columns, own);
    }
  }
}

/// Whole rows of the claim, from row `first` on.
void Loader::take_rows(const Claim& claim, SafetensorsType type, bool rotated, std::uint64_t first,
                       std::span<const std::byte> rows) {
  const std::size_t columns = columns_in_file(claim, rotated),
                    size = columns * static_cast<std::size_t>(size_of(type));
  const bool whole = rotated || (type == SafetensorsType::I8 && keep_ == Keep::packed_in_blocks);
  for (std::size_t row = static_cast<std::size_t>(first); !rows.empty(); ++row, rows = rows.subspan(size)) {
    safetensors::widen(type, rows.data(), {row_.data(), columns});
    if (!claim.transposed) {
      claim.weight->set_rows(row, 1, row_.data(), whole);
      continue;
    }
    for (std::size_t i = 0; i < claim.columns; ++i) transposed_[i * claim.rows + row] = row_[i];
    if (row + 1 == claim.rows) claim.weight->set_rows(0, claim.columns, transposed_.data());
  }
}

/// Weights of a checkpoint in 8 bits have arrived as whole numbers without their scales. Those that are kept as they came
/// have scales of 1 until now.
void Loader::set_scales(const SafetensorsTensor& tensor, const Scales& use) {
  const parameters::Parameter& parameter = *use.parameter;
  std::vector<float> scales(static_cast<std::size_t>(tensor.elements));
  safetensors::widen(tensor.type, use.bytes.data(), scales);
  for (const Claim& claim : claims_) {
    if (claim.weight == nullptr || !meets(claim, parameter)) continue;
    const std::uint64_t begin = std::max(claim.offset, parameter.offset),
                        end = std::min(claim.offset + size_of(claim), parameter.offset + parameter.size);
    const auto row = [&](std::uint64_t from) {
      return static_cast<std::size_t>((begin - from) / claim.columns);
    };
    claim.weight->multiply_scales(
        row(claim.offset),
        std::span(scales).subspan(row(parameter.offset),
                                  static_cast<std::size_t>((end - begin) / claim.columns)));
  }
}

std::vector<std::string> Loader::quantised_by_rows() const {
  std::vector<std::string> names;
  for (const Use& use : uses_) {
    const auto* const values = std::get_if<Values>(&use.as);
    const auto* const copy = std::get_if<Copy>(&use.as);
    const parameters::Parameter* const parameter = values != nullptr ? values->parameter
                                                   : copy != nullptr ? copy->parameter
                                                                     : nullptr;
    // Rows of a convolution have more dimensions than a file of 8 bits tells the scales of.
    if (parameter == nullptr || !parameter->packed || parameter->shape.size() != 2) continue;
    const auto turns = [&](const Claim& claim) { return claim.transposed && meets(claim, *parameter); };
    if (std::ranges::none_of(claims_, turns)) names.push_back(use.tensor->name);
  }
  return names;
}

void Loader::compare(const SafetensorsTensor& tensor, Sinusoids& table, std::span<const std::byte> elements) {
  // Half-precision checkpoints hold rounded tables; a NaN differs.
  const float tolerance = tensor.type == SafetensorsType::F32 ? 1e-5F : 1e-2F;
  const std::uint64_t element = size_of(tensor.type);
  for (std::size_t at = 0; at < elements.size() && !table.differs; at += element) {
    float value;
    safetensors::widen(tensor.type, elements.data() + at, {&value, 1});
    table.differs =
        !(std::fabs(value - positions_[static_cast<std::size_t>((table.done + at) / element)]) <= tolerance);
  }
  table.done += elements.size();
}

Result<Model> Loader::finish() {
  Model& model = *model_;
  ROPEWALK_TRY(correct_spec());
  each<Scales>([&](const SafetensorsTensor& tensor, const Scales& use) { set_scales(tensor, use); });
  note_differences();
  model.arrived_ = keep_ != Keep::all;
  if (model.fresh_.empty()) {
    ROPEWALK_TRY(model.repack());
  }
  return Result<Model>(std::move(model));
}

Result<Model> Model::load(const Spec& spec, const Safetensors& checkpoint, std::string_view added) {
  return Loader::load(spec, checkpoint.tensors(), {.keep = Loader::Keep::all}, added);
}

Result<Model> Loader::load(const Spec& spec, std::span<const SafetensorsTensor> checkpoint,
                           const Options& options, std::string_view added) {
  Loader loader;
  Status status = loader.match(spec, {&checkpoint, 1}, options, added);
  if (status.ok()) status = loader.reserve();
  if (!status.ok()) return status;
  for (const SafetensorsTensor& tensor : checkpoint) loader.read(tensor, tensor.data);
  return loader.finish();
}

}  // namespace ropewalk::model
