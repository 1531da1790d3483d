#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "clock.hpp"
#include "result.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/trainer.hpp"
#include "seen.hpp"
#include "translation.hpp"

namespace ropewalk::experiments {
namespace {

TrainerOptions options_of(const Settings& settings, const std::string& config, Objective objective) {
  return {.spec = raise(spec_from_config(config)),
          .weights = {},
          .seed = settings.seed,
          .objective = objective,
          .optimizer = {.learning_rate = settings.learning_rate,
                        .beta2 = settings.beta2,
                        .weight_decay = settings.weight_decay,
                        .warmup_steps = settings.warmup_steps,
                        .total_steps = settings.steps},
          .contrastive = {.pooling = Pooling::max}};
}

// The mean over groups of rows that are judged together.
Evaluation evaluate(Trainer& trainer, const Data& data, const Rows& rows) {
  const std::size_t together = data.judged_together();
  if (together == 0) return trainer.evaluate(rows.view());
  Evaluation mean;
  const double share = static_cast<double>(together) / static_cast<double>(rows.count);
  for (std::size_t first = 0; first < rows.count; first += together) {
    const auto ids = std::span(rows.ids).subspan(first * rows.length, together * rows.length);
    const Evaluation one =
        trainer.evaluate({.input = {.input_ids = ids, .batch = together, .sequence = rows.length}});
    mean.loss += share * one.loss;
    mean.accuracy += share * one.accuracy;
  }
  return mean;
}

// The same training, whose rate falls from what it is to 0 at step `last`.
Trainer cooling(const Trainer& trainer, const Settings& settings, TrainerOptions options, std::size_t last) {
  const std::vector<std::byte> file = trainer.save({.optimizer = true});
  const auto line = [&](std::size_t end) {
    const auto step = static_cast<double>(trainer.step());
    return (static_cast<double>(end) - step) / static_cast<double>(end - settings.warmup_steps);
  };
  options.optimizer.learning_rate *= line(settings.steps) / line(last);
  options.optimizer.total_steps = last;
  options.weights = file;
  return Trainer(options);
}

Trainer begin(const Settings& settings, TrainerOptions options) {
  Trainer trainer(options);
  if (settings.starts.empty()) return trainer;
  std::vector<std::byte> file = trainer.save();
  const Safetensors tensors = open_safetensors(file);
  for (const Start& start : settings.starts) {
    for (const SafetensorsTensor& tensor : tensors.tensors()) {
      if (!tensor.name.ends_with(start.tensor)) continue;
      const auto value = static_cast<float>(start.value);
      for (std::size_t at = tensor.data.data() - file.data(), i = 0; i < tensor.elements; ++i) {
        std::memcpy(file.data() + at + i * sizeof value, &value, sizeof value);
      }
    }
  }
  options.weights = file;
  return Trainer(options);
}

std::vector<float> watched(const Trainer& trainer, const std::vector<std::string>& names) {
  std::vector<float> values;
  if (names.empty()) return values;
  const std::vector<std::byte> file = trainer.save();
  const Safetensors tensors = open_safetensors(file);
  for (const std::string& name : names) {
    for (const SafetensorsTensor& tensor : tensors.tensors()) {
      if (!tensor.name.ends_with(name)) continue;
      values.resize(values.size() + tensor.elements);
      read_float32(tensor, std::span(values).last(tensor.elements));
    }
  }
  return values;
}

// The answer of each line, and the model's: classes or numbers.
void keep_answers(const Rows& rows, const Trainer& trained, Objective objective, Tested& tested) {
  if (objective != Objective::classification && objective != Objective::regression) return;
  const std::vector<std::byte> file = trained.save();
  Encoder encoder = raise(Encoder::make(trained.spec(), file));
  EncoderOutput output;
  raise(encoder.try_forward(rows.view().input, {}, output));
  const std::size_t classes = output.class_logits.size() / rows.count;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::span<const float> scores = output.class_logits.subspan(row * classes, classes);
    const bool number = objective == Objective::regression;
    tested.expected.push_back(number ? double{rows.targets[row]} : double(rows.labels[row]));
    tested.answered.push_back(
        number ? double{scores[0]} : static_cast<double>(std::ranges::max_element(scores) - scores.begin()));
  }
}

// The tokens of each row, hidden ones included.
std::vector<std::int32_t> whole(const Rows& rows) {
  std::vector<std::int32_t> tokens = rows.ids;
  // Labels of classification belong to rows, not to tokens.
  if (rows.labels.size() != tokens.size()) return tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (rows.labels[i] >= 0) tokens[i] = rows.labels[i];
  return tokens;
}

Tested test(const Settings& settings, const Test& wanted, Trainer& trained, const Seen& seen) {
  const std::unique_ptr<Data> data = make_data(settings.task, wanted.distance, settings.seed);
  // Rows that validation did not use.
  const Rows rows = data->make(Split::validation, 1, settings.test_rows, wanted.length);
  std::optional<Trainer> other;
  if (!wanted.config.empty()) {
    const std::vector<std::byte> file = trained.save();
    const std::string config = with_vocabulary(wanted.config, *data);
    other.emplace(TrainerOptions{
        .spec = raise(spec_from_config(config)), .weights = file, .objective = data->objective()});
  }
  Trainer& tried = other ? *other : trained;
  Tested tested{.name = wanted.name,
                .length = wanted.length,
                .distance = wanted.distance,
                .got = evaluate(tried, *data, rows),
                .best = data->best(rows),
                .chance = data->chance(),
                .seen = seen.share(whole(rows), rows.length),
                .bleu = NAN,
                .expected = {},
                .answered = {}};
  keep_answers(rows, tried, data->objective(), tested);
  return tested;
}

}  // namespace

std::string with_vocabulary(const std::string& config, const Data& data) {
  return "{\"vocab_size\": " + std::to_string(data.vocab_size()) +
         ", \"num_labels\": " + std::to_string(data.classes()) + ", " + config.substr(1);
}

Trained train_and_test(const Settings& settings, std::span<const std::byte> weights,
                       const std::function<void(std::size_t)>& at) {
  if (settings.task == translation_task) return train_translator(settings, at);
  const double begun = thread_seconds();
  const std::unique_ptr<Data> data = make_data(settings.task, settings.distance, settings.seed);
  TrainerOptions options = options_of(settings, with_vocabulary(settings.config, *data), data->objective());
  options.weights = weights;
  Trainer trainer = begin(settings, options);
  const Rows validation = data->make(Split::validation, 0, settings.evaluation_rows, settings.length);
  Outcome outcome;
  outcome.parameters = trainer.parameter_count();
  outcome.best = data->best(validation);
  outcome.chance = data->chance();
  const double enough = outcome.chance + settings.stop_share * (outcome.best.accuracy - outcome.chance);
  std::size_t in_a_row = 0, since = 0, last = settings.steps;
  double loss = 0;

  const auto validate = [&](std::size_t step) {
    const Evaluation now = evaluate(trainer, *data, validation);
    outcome.curve.push_back({step, since == 0 ? NAN : loss / static_cast<double>(since), now,
                             thread_seconds() - begun, watched(trainer, settings.watch)});
    since = 0;
    loss = 0;
    in_a_row = now.accuracy >= enough ? in_a_row + 1 : 0;
    at(step);
    const bool enough_of_them = settings.stop_after > 0 && in_a_row >= settings.stop_after;
    if (!enough_of_them || last < settings.steps || step < settings.warmup_steps) return;
    if (step + settings.cooldown_steps >= last) return;
    last = step + settings.cooldown_steps;
    trainer = cooling(trainer, settings, options, last);
  };
  validate(0);
  Seen seen;
  for (std::size_t step = 1; step <= last; ++step) {
    const Rows rows = data->make(Split::train, step - 1, settings.batch, settings.length);
    seen.add(whole(rows), rows.length);
    loss += trainer.train(rows.view()).loss;
    ++since;
    outcome.steps = step;
    if (step % settings.evaluate_every == 0 || step == last) validate(step);
  }
  outcome.tokens = outcome.steps * settings.batch * settings.length;
  for (const Test& wanted : settings.tests) outcome.tests.push_back(test(settings, wanted, trainer, seen));
  outcome.seconds = thread_seconds() - begun;
  return {as_json(settings.key, outcome), settings.keeps_weights ? trainer.save() : std::vector<std::byte>()};
}

}  // namespace ropewalk::experiments
