// Trainer: creation, a step, an evaluation, gradients, and the file that it saves.

#include "ropewalk/trainer.hpp"

#include <emscripten/bind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "answer.hpp"
#include "blocks.hpp"
#include "lines.hpp"
#include "memory.hpp"
#include "train/options_from_json.hpp"

namespace {

using ropewalk::Result;
using ropewalk::SafetensorsLayout;
using ropewalk::TrainerOptions;
using ropewalk::embind::array_at;
using ropewalk::embind::BatchBlock;
using ropewalk::embind::guarded;
using ropewalk::embind::have_memory;
using ropewalk::embind::keep;
using ropewalk::embind::lists_of_a_model;
using ropewalk::embind::text_at;
using ropewalk::embind::Work;

/// The trainer, the config.json of its model, and what its last calls found.
struct Training {
  ropewalk::Trainer trainer;
  std::string config;
  bool regression = false;
  ropewalk::TrainingStep step = {};
  ropewalk::Gradients gradients = {};
  std::optional<SafetensorsLayout> file = {};
};

/// Apart from makeTrainer, so that the caller knows whose names a message holds.
int check_options(std::uintptr_t options, std::size_t size) {
  return guarded([&] { return ropewalk::trainer_options_from_json(text_at(options, size)).status(); });
}

/// `options` that checkTrainerOptions accepted. Weights of 0 bytes are a file without content, not no file.
Training* make_trainer(std::uintptr_t config_at, std::size_t config_size, std::uintptr_t options,
                       std::size_t options_size, bool has_weights, std::uintptr_t weights, std::size_t size) {
  if (!have_memory(lists_of_a_model + 4 * config_size)) return nullptr;
  Result<TrainerOptions> read = ropewalk::trainer_options_from_json(text_at(options, options_size));
  if (!read.ok()) return keep(read.status()), nullptr;
  TrainerOptions all = std::move(read).value();
  const std::string config(text_at(config_at, config_size));
  Result<ropewalk::Spec> spec = ropewalk::spec_from_config(config);
  if (!spec.ok()) return keep(spec.status()), nullptr;
  all.spec = std::move(spec).value();
  all.weights = {reinterpret_cast<const std::byte*>(weights), size};
  if (has_weights && size == 0) return keep(ropewalk::Safetensors::open({}).status()), nullptr;
  Result<ropewalk::Trainer> made = ropewalk::Trainer::make(all);
  if (!made.ok()) return keep(made.status()), nullptr;
  return new Training{.trainer = std::move(made).value(),
                      .config = config,
                      .regression = all.objective == ropewalk::Objective::regression};
}

void notes(const Training& training) {
  ropewalk::embind::answer(ropewalk::embind::lines(training.trainer.notes()));
}
void config_json(const Training& training) { ropewalk::embind::show(training.config); }
std::size_t parameter_count(const Training& training) { return training.trainer.parameter_count(); }
double step(const Training& training) { return static_cast<double>(training.trainer.step()); }

/// `block` is the address of a BatchBlock. Status code.
int run(Training& training, std::uintptr_t block_at) {
  const BatchBlock& block = *reinterpret_cast<const BatchBlock*>(block_at);
  ropewalk::TrainerBatch all{.input = ropewalk::embind::encoder_input(block)};
  if (training.regression) {
    all.targets = array_at<float>(block.labels, block.label_count);
  } else {
    all.labels = array_at<std::int32_t>(block.labels, block.label_count);
  }
  const auto work = static_cast<Work>(static_cast<int>(block.work));
  if (!have_memory()) return ropewalk::embind::error_code();
  if (work == Work::train) return keep(training.trainer.try_train(all, training.step));
  if (work == Work::gradients) {
    const ropewalk::Status status = training.trainer.try_gradients(all, training.gradients);
    training.step.loss = training.gradients.loss;
    training.step.accuracy = training.gradients.accuracy;
    return keep(status);
  }
  ropewalk::Evaluation evaluation;
  const ropewalk::Status status = training.trainer.try_evaluate(all, evaluation);
  training.step.loss = evaluation.loss;
  training.step.accuracy = evaluation.accuracy;
  return keep(status);
}

// Loss and accuracy are of the last batch, the others of the last step.
double loss(const Training& training) { return training.step.loss; }
double accuracy(const Training& training) { return training.step.accuracy; }
double gradient_norm(const Training& training) { return training.step.gradient_norm; }
double learning_rate(const Training& training) { return training.step.learning_rate; }

std::size_t gradient_count(const Training& training) { return training.gradients.parameters.size(); }
void gradient_name(const Training& training, std::size_t i) {
  ropewalk::embind::show(training.gradients.parameters[i].name);
}
std::uintptr_t gradient_address(const Training& training, std::size_t i) {
  return reinterpret_cast<std::uintptr_t>(training.gradients.parameters[i].values.data());
}
std::size_t gradient_size(const Training& training, std::size_t i) {
  return training.gradients.parameters[i].values.size();
}

/// Plans the file; write it before the next call.
int plan_file(Training& training, bool half, bool optimizer) {
  if (!have_memory(lists_of_a_model)) return ropewalk::embind::error_code();
  Result<SafetensorsLayout> planned = training.trainer.try_save(
      {.type = half ? ropewalk::SafetensorsType::F16 : ropewalk::SafetensorsType::F32,
       .optimizer = optimizer});
  if (!planned.ok()) return keep(planned.status());
  training.file.emplace(std::move(planned).value());
  return 0;
}

std::size_t file_size(const Training& training) { return training.file ? training.file->size() : 0; }

int write_file(Training& training, std::uintptr_t out, std::size_t size) {
  const int code = keep(training.file->try_write({reinterpret_cast<std::byte*>(out), size}));
  training.file.reset();
  return code;
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_trainer) {
  using namespace emscripten;
  class_<Training>("Trainer")
      .function("configJson", &config_json)
      .function("parameterCount", &parameter_count)
      .function("notes", &notes)
      .function("step", &step)
      .function("run(block)", &run)
      .function("loss", &loss)
      .function("accuracy", &accuracy)
      .function("gradientNorm", &gradient_norm)
      .function("learningRate", &learning_rate)
      .function("gradientCount", &gradient_count)
      .function("gradientName(index)", &gradient_name)
      .function("gradientAddress(index)", &gradient_address)
      .function("gradientSize(index)", &gradient_size)
      .function("planFile(half, optimizer)", &plan_file)
      .function("fileSize", &file_size)
      .function("writeFile(address, size)", &write_file);
  function("checkTrainerOptions(options, size)", &check_options);
  function("makeTrainer(config, configSize, options, optionsSize, hasWeights, weights, size)", &make_trainer,
           return_value_policy::take_ownership());
}
