#include "train/make_model.hpp"

#include "base/random.hpp"
#include "base/text.hpp"
#include "train/streams.hpp"

namespace ropewalk::trainer {

Result<roformer::Model> make_model(const TrainerOptions& options, const RoFormerConfig& config,
                                   const Safetensors* checkpoint, std::vector<std::string>& notes) {
  if (options.objective == Objective::regression && config.num_labels != 1) {
    return out_of_range("trainer", "num_labels", config.num_labels, "1 with the objective of regression");
  }
  const bool masked_lm = options.objective == Objective::masked_language_model;
  const roformer::Heads heads{.masked_lm = masked_lm, .classification = !masked_lm};
  Result<roformer::Model> made = checkpoint == nullptr
                                     ? roformer::Model::make(config, heads)
                                     : roformer::Model::load(config, *checkpoint, Precision::float32, heads);
  if (!made.ok()) return made;
  roformer::Model& model = made.value();
  notes = model.notes();
  if (checkpoint != nullptr && model.fresh().empty()) return made;

  const parameters::Table& table = model.layout().table;
  const auto deviation = static_cast<float>(config.initializer_range);
  Random random = Random(options.seed).fork(weights_stream);
  const auto normal = [&] { return random.normal(); };
  if (checkpoint == nullptr) parameters::initialise(table, deviation, model.parameters(), normal);
  for (const std::size_t place : model.fresh())
    parameters::initialise(table.all()[place], deviation, model.parameters(), normal);
  if (checkpoint != nullptr) {
    notes.push_back(std::string("`weights` have no ") +
                    (masked_lm ? "masked-language-model" : "classification") +
                    " head: it begins with values from `seed`");
  }
  if (Status status = model.repack(); !status.ok()) return status;
  return made;
}

}  // namespace ropewalk::trainer
