#include "train/make_model.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "model/families/family.hpp"
#include "train/objectives.hpp"
#include "train/streams.hpp"

namespace ropewalk::trainer {

const model::HeadKind* head_kind(Objective objective, const Spec& spec) {
  const std::string_view name = kind_of(objective).class_name;
  if (name.empty()) return nullptr;
  for (const HeadSpec& head : spec.heads) {
    const model::HeadKind* const kind = model::find_head_kind(head.kind);
    if (kind != nullptr && (kind->class_name == name || kind->other_class_name == name)) return kind;
  }
  const model::Family* const family = model::find_family(spec.family);
  return family == nullptr ? nullptr : model::head_of_class(*family, name);
}

namespace {

/// Refuses an objective that does not fit the model.
Status check_objective(Objective objective, const Spec& spec) {
  if (objective == Objective::regression && spec.labels != 1) {
    return out_of_range("trainer", "num_labels", spec.labels, "1 with the objective of regression");
  }
  if (kind_of(objective).class_name.empty()) return {};
  const std::string name = json::quoted(kind_of(objective).name);
  if (head_kind(objective, spec) == nullptr) {
    std::string allowed;
    for (const ObjectiveKind& kind : objectives) {
      if (kind.class_name.empty() || head_kind(kind.objective, spec) != nullptr)
        allowed += (allowed.empty() ? "" : ", ") + json::quoted(kind.name);
    }
    return out_of_range("trainer", "objective", name, "for " + spec.family + ", " + allowed);
  }
  if (objective == Objective::causal_language_model && !spec.attention.causal) {
    return out_of_range("trainer", "objective", name,
                        "another one, since the tokens of this model see those after them");
  }
  return {};
}

/// Refuses parts that have no backward pass.
Status check_trainable(const Spec& spec) {
  constexpr std::string_view what = "encodings and layers with a backward pass";
  if (std::holds_alternative<positions::Disentangled>(spec.positions))
    return unsupported("trainer", "spec", "disentangled attention", what);
  if (std::ranges::any_of(spec.layers, &LayerSpec::convolution))
    return unsupported("trainer", "spec", "a convolution", what);
  if (spec.attention.output_gate || std::ranges::any_of(spec.layers, &LayerSpec::gated_delta_net))
    return unsupported("trainer", "spec", "a gated delta net or a gate of attention", what);
  return {};
}

}  // namespace

Result<model::Model> make_model(const TrainerOptions& options, const Safetensors* checkpoint,
                                std::vector<std::string>& notes) {
  if (model::find_family(options.spec.family) == nullptr) return model::Model::make(options.spec);  // says so
  ROPEWALK_TRY(check_trainable(options.spec));
  ROPEWALK_TRY(check_objective(options.objective, options.spec));
  const model::HeadKind* const kind = head_kind(options.objective, options.spec);
  Spec spec = options.spec;
  // A model that is trained from the seed has the head of the objective alone.
  if (checkpoint == nullptr) {
    spec.heads.clear();
    if (kind != nullptr) spec.heads.push_back(model::head_of(spec, *kind));
  }
  const std::string_view added = kind == nullptr ? std::string_view() : kind->name;
  ROPEWALK_LET(
      model, checkpoint == nullptr ? model::Model::make(spec) : model::Model::load(spec, *checkpoint, added));
  if (kind != nullptr && model.head(kind->name)->classes() == 0) {
    return out_of_range("trainer", "objective", kind->title, "one whose head in this model can be trained");
  }
  if (const auto* rope = std::get_if<positions::Rope>(&model.spec().positions);
      rope != nullptr && rope->stored) {
    return out_of_range("trainer", "weights", "with frequencies of their own",
                        "a model whose frequencies its configuration gives: a saved one would lose them");
  }
  notes = model.notes();
  if (checkpoint != nullptr && model.fresh().empty()) return std::move(model);

  const model::parameters::Table& table = model.table();
  const auto deviation = static_cast<float>(spec.initializer_range);
  Random random = Random(options.seed).fork(weights_stream);
  const auto normal = [&] { return random.normal(); };
  if (checkpoint == nullptr) model::parameters::initialise(table, deviation, model.parameters(), normal);
  for (const std::size_t place : model.fresh())
    model::parameters::initialise(table.all()[place], deviation, model.parameters(), normal);
  if (checkpoint != nullptr) {
    notes.push_back("`weights` have no " + std::string(kind->title) +
                    " head: it begins with values from `seed`");
  }
  ROPEWALK_TRY(model.repack());
  return std::move(model);
}

}  // namespace ropewalk::trainer
