#include "model/model.hpp"

#include "model/check_spec.hpp"
#include "model/families/family.hpp"

namespace ropewalk::model {

Result<Model> Model::make(const Spec& spec) {
  const Family* family = find_family(spec.family);
  if (Status status = check_spec(spec); !status.ok()) return status;
  Result<std::unique_ptr<position_encoding::PositionEncoding>> positions = position_encoding::make(spec);
  if (!positions.ok()) return positions.status();

  Model model;
  model.spec_ = spec;
  model.positions_ = std::move(positions).value();
  Builder builder(model.table_, family->names, model.slots_);
  model.embedding_.emplace(builder, spec, *model.positions_);
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    model.layers_.emplace_back(builder.in_layer(l), spec, *model.positions_);
    model.hidden_.push_back(builder.slot());
  }
  if (spec.final_norm) model.final_norm_.emplace(builder, "final_norm", spec.hidden, spec.norm);
  model.normed_ = builder.slot();
  model.dhidden_ = builder.slot();
  // Whatever the order in the spec, so that the same heads begin with the same values.
  for (const HeadKind& kind : head_kinds()) {
    for (const HeadSpec& head : spec.heads) {
      if (head.kind != kind.name) continue;
      Result<std::unique_ptr<Head>> made =
          kind.make(builder, spec, head, {.words = model.embedding_->words()});
      if (!made.ok()) return made.status();
      model.heads_.push_back({&kind, std::move(made).value()});
    }
  }

  const std::uint64_t size = model.table_.size();
  if (size > SIZE_MAX) {
    return Status::out_of_memory(spec.family + ": " + std::to_string(size) +
                                 " parameters do not fit into memory");
  }
  const std::string what = spec.family + ": parameters";
  Status status = model.parameters_.allocate(static_cast<std::size_t>(size), what.c_str());
  if (!status.ok()) return status;
  return Result<Model>(std::move(model));
}

const Head* Model::head(std::string_view kind) const {
  for (const NamedHead& each : heads_) {
    if (each.kind->name == kind) return each.head.get();
  }
  return nullptr;
}

Status Model::repack() {
  const Packing packing{parameters_.data(), precision_};
  if (Status status = positions_->update(parameters_.data()); !status.ok()) return status;
  if (Status status = embedding_->pack(packing); !status.ok()) return status;
  for (Layer& layer : layers_) {
    if (Status status = layer.pack(packing); !status.ok()) return status;
  }
  for (NamedHead& each : heads_) {
    if (Status status = each.head->pack(packing); !status.ok()) return status;
  }
  return {};
}

Result<SafetensorsLayout> Model::safetensors(SafetensorsType type) const {
  std::vector<SafetensorsSource> sources;
  for (const parameters::Parameter& parameter : table_.all()) {
    sources.push_back({parameter.name,
                       parameter.shape,
                       {parameters_.data() + parameter.offset, static_cast<std::size_t>(parameter.size)}});
  }
  return SafetensorsLayout::make(sources, type);
}

void Model::plan(Plan& plan) const {
  const Plan::Shape shape = {plan.batch(), plan.tokens(), spec_.hidden};
  embedding_->plan(plan);
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
