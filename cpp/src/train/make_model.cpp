#include "train/make_model.hpp"

#include "base/random.hpp"
#include "base/text.hpp"
#include "model/families/family.hpp"
#include "train/streams.hpp"

namespace ropewalk::trainer {

std::string_view head_kind(Objective objective) {
  return objective == Objective::masked_language_model ? "masked_lm" : "sequence_classification";
}

Result<model::Model> make_model(const TrainerOptions& options, const Safetensors* checkpoint,
                                std::vector<std::string>& notes) {
  if (options.objective == Objective::regression && options.spec.labels != 1) {
    return out_of_range("trainer", "num_labels", options.spec.labels, "1 with the objective of regression");
  }
  const model::HeadKind& kind = *model::find_head_kind(head_kind(options.objective));
  Spec spec = options.spec;
  // What is trained from the seed has the head of the objective alone.
  if (checkpoint == nullptr) spec.heads = {model::head_of(spec, kind)};
  Result<model::Model> made = checkpoint == nullptr
                                  ? model::Model::make(spec)
                                  : model::Model::load(spec, *checkpoint, Precision::float32, kind.name);
  if (!made.ok()) return made;
  model::Model& model = made.value();
  if (model.head(kind.name)->classes() == 0) {
    return out_of_range("trainer", "objective", kind.title, "one whose head in this model can be trained");
  }
  notes = model.notes();
  if (checkpoint != nullptr && model.fresh().empty()) return made;

  const model::parameters::Table& table = model.table();
  const auto deviation = static_cast<float>(spec.initializer_range);
  Random random = Random(options.seed).fork(weights_stream);
  const auto normal = [&] { return random.normal(); };
  if (checkpoint == nullptr) model::parameters::initialise(table, deviation, model.parameters(), normal);
  for (const std::size_t place : model.fresh())
    model::parameters::initialise(table.all()[place], deviation, model.parameters(), normal);
  if (checkpoint != nullptr) {
    notes.push_back("`weights` have no " + std::string(kind.title) +
                    " head: it begins with values from `seed`");
  }
  if (Status status = model.repack(); !status.ok()) return status;
  return made;
}

}  // namespace ropewalk::trainer
