#include "model/model.hpp"

#include <bit>

#include "base/text.hpp"
#include "model/check_spec.hpp"
#include "model/families/family.hpp"

namespace ropewalk::model {

Status Model::build(const Spec& spec, const Parts& parts) {
  ROPEWALK_LET(positions, position_encoding::make(spec));
  spec_ = spec;
  positions_ = std::move(positions);
  Builder builder(table_, *parts.names, slots_);
  embedding_.emplace(builder, spec, *positions_);
  LayerParts layer = parts.layer;
#if !defined(ROPEWALK_ENCODERS_ONLY)
  if (spec.layer_inputs.width != 0) layer.inputs = inputs_.emplace(builder, spec).inputs();
#endif
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    layers_.emplace_back(builder.in_layer(l), spec, *positions_, layer);
    hidden_.push_back(builder.slot());
  }
  if (spec.final_norm) {
    NormSpec norm = spec.norm;
    norm.bias = norm.bias && spec.final_norm_bias;
    final_norm_.emplace(builder, "final_norm", spec.hidden, norm);
  }
  normed_ = builder.slot();
  dhidden_ = builder.slot();
  // In this order, not that of the spec, so that the same heads begin with the same values.
  for (const HeadKind& kind : head_kinds()) {
    for (const HeadSpec& head : spec.heads) {
      if (head.kind != kind.name) continue;
      ROPEWALK_LET(made, kind.make(builder, spec, head, {.words = embedding_->words()}));
      heads_.push_back({&kind, std::move(made)});
    }
  }
  return {};
}

Result<Model> Model::lay_out(const Spec& spec, nn::Compute compute) {
  ROPEWALK_TRY(check_spec(spec));
  const Family& family = *find_family(spec.family);
  return lay_out(spec, compute, {.names = &family.names, .layer = {.convolution = family.convolution}});
}

Result<Model> Model::lay_out(const Spec& spec, nn::Compute compute, const Parts& parts) {
  // Once to see how many parameters are not packed, behind which the others stand.
  Model measured(compute);
  ROPEWALK_TRY(measured.build(spec, parts));
  Model model(compute);
  model.table_ = parameters::Table(measured.table_.plain_size());
  ROPEWALK_TRY(model.build(spec, parts));
  if (model.table_.size() > SIZE_MAX) {
    return Status::out_of_memory(spec.family + ": " + std::to_string(model.table_.size()) +
                                 " parameters do not fit into memory");
  }
  return Result<Model>(std::move(model));
}

Result<Model> Model::make(const Spec& spec) {
  Result<Model> made = lay_out(spec, nn::Compute::in(Precision::float32));
  ROPEWALK_TRY(made.ok() ? check_runs_without_cache(spec) : made.status());
  return allocated(std::move(made));
}
Result<Model> Model::make(const Spec& spec, const Parts& parts) {
  ROPEWALK_TRY(check_spec(spec));
  return allocated(lay_out(spec, nn::Compute::in(Precision::float32), parts));
}

Result<Model> Model::allocated(Result<Model> made) {
  if (!made.ok()) return made;
  Model& model = made.value();
  const std::string what = model.spec_.family + ": parameters";
  ROPEWALK_TRY(model.parameters_.allocate(static_cast<std::size_t>(model.table_.size()), what.c_str()));
  return made;
}

const Head* Model::head(std::string_view kind) const {
  for (const NamedHead& each : heads_) {
    if (each.kind->name == kind) return each.head.get();
  }
  return nullptr;
}

Status Model::repack() {
  ROPEWALK_TRY(positions_->update(compute_, parameters_.data()));
  return pack({.compute = compute_, .parameters = parameters_.data(), .arrived = arrived_});
}

Status Model::pack(const Packing& packing) {
  ROPEWALK_TRY(embedding_->pack(packing));
#if !defined(ROPEWALK_ENCODERS_ONLY)
  if (inputs_) {
    ROPEWALK_TRY(inputs_->pack(packing));
  }
#endif
  for (Layer& layer : layers_) {
    ROPEWALK_TRY(layer.pack(packing));
  }
  for (NamedHead& each : heads_) {
    ROPEWALK_TRY(each.head->pack(packing));
  }
  return {};
}

std::uint64_t Model::hash() {
  // FNV-1a over the bits, a word at a time.
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::span<const float> values) {
    for (const float value : values) hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3u;
  };
  add(parameters_.span());
  std::vector<Claim> claims;
  if (arrived_) (void)pack({.compute = compute_, .parameters = nullptr, .claims = &claims});
  std::vector<float> row;
  for (const Claim& claim : claims) {
    row.resize(claim.transposed ? claim.rows : claim.columns);
    for (std::size_t n = 0; n < (claim.transposed ? claim.columns : claim.rows); ++n) {
      claim.weight == nullptr ? claim.words->look_up(n, row.data()) : claim.weight->row(n, row.data());
      add(row);
    }
  }
  return hash;
}

Result<SafetensorsLayout> Model::safetensors(SafetensorsType type) const {
  std::vector<SafetensorsSource> sources;
  for (const parameters::Parameter& parameter : table_.all()) {
    sources.push_back({parameter.name,
                       parameter.shape,
                       {parameters_.data() + parameter.offset, static_cast<std::size_t>(parameter.size)}});
  }
  for (const position_encoding::NamedBuffer& buffer : positions_->buffers())
    sources.push_back({buffer.name, buffer.shape, buffer.values});
  return SafetensorsLayout::make(sources, type);
}

void Model::plan(Plan& plan) const {
  const Plan::Shape shape = {plan.batch(), plan.tokens(), spec_.hidden};
  embedding_->plan(plan);
#if !defined(ROPEWALK_ENCODERS_ONLY)
  if (inputs_) {
    const Plan::Lending lending(plan);
    inputs_->plan(plan);
  }
#endif
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    // A layer's input has been added by the time its output is written, so inference needs one hidden state.
    if (l == 0 || plan.keeps().gradients || plan.keeps().hidden_states) {
      plan.keep(hidden_[l], shape);
    } else {
      plan.share(hidden_[l], hidden_[0]);
    }
    const Plan::Lending lending(plan);
    layers_[l].plan(plan);
  }
  if (final_norm_) {
    final_norm_->plan(plan, plan.rows());
    plan.keep(normed_, shape);
  }
  for (const NamedHead& each : heads_) {
    const Plan::Lending lending(plan);
    each.head->plan(plan);
  }
  if (!plan.keeps().gradients) return;
  plan.keep(dhidden_, shape);
  for (const NamedHead& each : heads_) {
    const Plan::Lending lending(plan);
    each.head->plan_backward(plan);
  }
  for (const Layer& layer : layers_) {
    const Plan::Lending lending(plan);
    layer.plan_backward(plan);
  }
  const Plan::Lending lending(plan);
  embedding_->plan_backward(plan);
}

const float* Model::forward(const Pass& pass) const {
  const float* x = embedding_->forward(pass);
#if !defined(ROPEWALK_ENCODERS_ONLY)
  if (inputs_) inputs_->forward(pass, x);
#endif
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    float* const y = pass.at(hidden_[l]);
    layers_[l].forward(pass, y, x);
    if (pass.keep.contacts) {
      for (const NamedHead& each : heads_) each.head->observe(pass, l, layers_[l].probabilities(pass));
    }
    x = y;
  }
  if (!final_norm_) return x;
  final_norm_->forward(pass, pass.at(normed_), x, pass.rows());
  return pass.at(normed_);
}

void Model::run_heads(const Pass& pass, const float* hidden) const {
  for (const NamedHead& each : heads_) each.head->forward(pass, hidden);
}

void Model::backward(const Pass& pass) const {
  float* const dx = pass.at(dhidden_);
  if (final_norm_) final_norm_->backward(pass, dx, dx, pass.at(hidden_.back()), pass.rows());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    layers_[l].backward(pass, dx, l == 0 ? embedding_->result(pass) : pass.at(hidden_[l - 1]));
  }
  embedding_->backward(pass, dx);
}

std::vector<NamedOutput> Model::outputs(const Pass& pass, const float* hidden) const {
  Outputs outputs;
  const std::size_t size = pass.rows() * spec_.hidden;
  outputs.add("last_hidden_state", {hidden, size});
  for (const NamedHead& each : heads_) each.head->collect(pass, outputs);
  if (pass.keep.hidden_states) {
    outputs.add("hidden_states", 0, {embedding_->result(pass), size});
    for (std::size_t l = 0; l < layers_.size(); ++l)
      outputs.add("hidden_states", l + 1, {pass.at(hidden_[l]), size});
  }
  for (const Layer& layer : layers_) layer.collect(pass, outputs);
  return outputs.take();
}

}  // namespace ropewalk::model
