// The public class: checks, a pass over every shard, the sum of their gradients, a step.

#include "ropewalk/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "arch/select.hpp"
#include "random/random.hpp"
#include "roformer/pass.hpp"
#include "text.hpp"
#include "trainer/optimizer.hpp"
#include "trainer/shard.hpp"
#include "trainer/team.hpp"

namespace ropewalk {

using trainer::Shard;

struct Trainer::State {
  State(roformer::Model built, trainer::Optimizer steps, const TrainerOptions& options)
      : model(std::move(built)),
        optimizer(std::move(steps)),
        objective(options.objective),
        seed(options.seed),
        shards(options.shards),
        team(options.threads) {}

  roformer::Model model;
  trainer::Optimizer optimizer;
  Objective objective;
  std::uint64_t seed;
  std::vector<Shard> shards;
  trainer::Team team;
  Buffer<double> squares;  // of the gradient of each parameter
  std::size_t used = 0;    // shards of this batch

  const parameters::Table& table() const { return model.layout().table; }
  std::size_t classes() const;
  Status check(const TrainerBatch& batch, const char* function, std::size_t& counted) const;
  Status share_out(const TrainerBatch& batch);
  nn::CrossEntropy pass(Shard& shard, bool backward, const roformer::Dropout& dropout, std::size_t counted);
  Status run(const TrainerBatch& batch, const char* function, bool backward, bool dropout,
             Evaluation& result);
  void add_gradients();
};

namespace {

// Streams of the seed.
constexpr std::uint64_t weights_stream = 1, dropout_stream = 2;

constexpr std::size_t most_shards = 1024, most_threads = 256;

Status check_options(const TrainerOptions& options) {
  if (options.shards < 1 || options.shards > most_shards) {
    return out_of_range("trainer", "shards", options.shards, "a whole number from 1 to 1024");
  }
  if (options.threads < 1 || options.threads > most_threads) {
    return out_of_range("trainer", "threads", options.threads, "a whole number from 1 to 256");
  }
  return trainer::check_optimizer(options.optimizer);
}

Result<roformer::Model> make_model(const TrainerOptions& options, const RoFormerConfig& config,
                                   const Safetensors* checkpoint) {
  const bool classifies = options.objective == Objective::classification;
  if (checkpoint == nullptr) {
    Result<roformer::Model> made =
        roformer::Model::make(config, {.masked_lm = !classifies, .classification = classifies});
    if (!made.ok()) return made;
    Random random = Random(options.seed).fork(weights_stream);
    parameters::initialise(made.value().layout().table, static_cast<float>(config.initializer_range),
                           made.value().parameters(), [&] { return random.normal(); });
    if (Status status = made.value().repack(); !status.ok()) return status;
    return made;
  }
  Result<roformer::Model> loaded = roformer::Model::load(config, *checkpoint);
  if (!loaded.ok()) return loaded;
  const roformer::Heads& heads = loaded.value().heads();
  if (classifies ? heads.classification : heads.masked_lm) return loaded;
  return Status::type(std::string("trainer: `weights` have no ") +
                      (classifies ? "classification head" : "masked-language-model head") +
                      "; allowed: a checkpoint with the head of the objective, or none");
}

}  // namespace

std::size_t Trainer::State::classes() const {
  return objective == Objective::classification ? model.config().num_labels : model.config().vocab_size;
}

// counted: labels that are not -100.
Status Trainer::State::check(const TrainerBatch& batch, const char* function, std::size_t& counted) const {
  if (Status status = roformer::check_input(model.config(), batch.input, function); !status.ok())
    return status;
  const bool classifies = objective == Objective::classification;
  const std::size_t expected = classifies ? batch.input.batch : batch.input.input_ids.size();
  const std::string begin = std::string(function) + ": `labels";
  if (batch.labels.size() != expected) {
    return Status::range(begin + "` has " + std::to_string(batch.labels.size()) + " elements; allowed: " +
                         std::to_string(expected) + (classifies ? ", `batch`" : ", `batch` * `sequence`"));
  }
  counted = 0;
  for (std::size_t i = 0; i < expected; ++i) {
    const std::int32_t label = batch.labels[i];
    if (label == nn::ignored_label) continue;
    ++counted;
    if (label >= 0 && static_cast<std::size_t>(label) < classes()) continue;
    return Status::range(begin + "[" + std::to_string(i) + "]` is " + std::to_string(label) +
                         "; allowed: 0 to " + std::to_string(classes() - 1) +
                         (classifies ? ", the classes" : ", the ids") + ", or -100 for nothing to learn");
  }
  if (counted == 0) {
    return Status::range(begin + "` are all -100; allowed: at least one label that is not");
  }
  return {};
}

Status Trainer::State::share_out(const TrainerBatch& batch) {
  const std::size_t rows = batch.input.batch, per_shard = (rows + shards.size() - 1) / shards.size();
  used = 0;
  for (std::size_t first = 0; first < rows; first += per_shard) {
    Status status = shards[used].take(batch, objective, first, std::min(per_shard, rows - first));
    if (!status.ok()) return status;
    ++used;
  }
  return {};
}

nn::CrossEntropy Trainer::State::pass(Shard& shard, bool backward, const roformer::Dropout& dropout,
                                      std::size_t counted) {
  const RoFormerInput input = shard.input();
  roformer::Batch batch{.ids = input.input_ids.data()};
  if (shard.has_types) batch.types = input.token_type_ids.data();
  if (shard.has_mask) batch.key_mask = shard.activations.key_mask.data();
  roformer::encode(model, batch, dropout, shard.activations);
  const bool classifies = objective == Objective::classification;
  const nn::CrossEntropy own =
      classifies ? roformer::classification_loss(model, shard.labels.data(), dropout, shard.activations)
                 : roformer::masked_lm_loss(model, shard.labels.data(), shard.activations);
  if (!backward) return own;
  std::fill_n(shard.gradients.data(), shard.gradients.size(), 0.0F);
  if (own.counted == 0) return own;
  // The mean is over the labels of the whole batch.
  nn::CrossEntropy whole = own;
  whole.counted = counted;
  if (classifies) {
    roformer::classification_backward(model, batch, shard.labels.data(), whole, dropout, shard.activations,
                                      shard.gradients.span());
  } else {
    roformer::masked_lm_backward(model, batch, whole, dropout, shard.activations, shard.gradients.span());
  }
  return own;
}

// Into those of the first shard, in order; and the squares of the sums.
void Trainer::State::add_gradients() {
  team.run(table().all().size(), [&](std::size_t i) {
    const parameters::Parameter& parameter = table().all()[i];
    const auto offset = static_cast<std::size_t>(parameter.offset),
               size = static_cast<std::size_t>(parameter.size);
    const auto& dense = arch::active().dense;
    float* const sum = shards[0].gradients.data() + offset;
    for (std::size_t s = 1; s < used; ++s) dense.add(shards[s].gradients.data() + offset, sum, size);
    squares[i] = dense.sum_squares(sum, size);
  });
}

Status Trainer::State::run(const TrainerBatch& batch, const char* function, bool backward, bool drops,
                           Evaluation& result) {
  std::size_t counted = 0;
  if (Status status = check(batch, function, counted); !status.ok()) return status;
  if (Status status = share_out(batch); !status.ok()) return status;
  for (std::size_t s = 0; s < used; ++s) {
    const roformer::Keep keep{.gradients = backward, .logits = objective == Objective::masked_language_model};
    Result<roformer::Batch> prepared =
        roformer::prepare(model, shards[s].input(), keep, shards[s].activations);
    if (!prepared.ok()) return prepared.status();
    shards[s].has_mask = prepared.value().key_mask != nullptr;
    if (!backward) continue;
    Status status =
        shards[s].gradients.reserve(static_cast<std::size_t>(table().size()), "trainer: gradients");
    if (!status.ok()) return status;
  }
  const Random dropout_seeds = Random(seed).fork(dropout_stream);
  team.run(used, [&](std::size_t item) {
    // The last first: it is the longest where a batch is sorted by length.
    const std::size_t s = used - 1 - item;
    const std::uint64_t dropout_seed = dropout_seeds.fork(optimizer.step()).fork(s).next();
    shards[s].loss = pass(shards[s], backward, {.on = drops, .seed = dropout_seed}, counted);
  });
  double loss = 0;
  std::size_t correct = 0;
  for (std::size_t s = 0; s < used; ++s) {
    loss += shards[s].loss.loss * static_cast<double>(shards[s].loss.counted);
    correct += shards[s].loss.correct;
  }
  result.loss = loss / static_cast<double>(counted);
  result.accuracy = static_cast<double>(correct) / static_cast<double>(counted);
  if (backward) add_gradients();
  return {};
}

Trainer::Trainer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

Result<Trainer> Trainer::make(const TrainerOptions& options) {
  if (Status status = check_options(options); !status.ok()) return status;
  Result<RoFormerConfig> config = RoFormerConfig::parse(options.config);
  if (!config.ok()) return config.status();
  std::optional<Safetensors> checkpoint;
  if (!options.weights.empty()) {
    Result<Safetensors> opened = Safetensors::open(options.weights);
    if (!opened.ok()) return opened.status();
    checkpoint = std::move(opened).value();
  }
  Result<roformer::Model> model = make_model(options, config.value(), checkpoint ? &*checkpoint : nullptr);
  if (!model.ok()) return model.status();
  const parameters::Table& table = model.value().layout().table;
  Result<trainer::Optimizer> optimizer = trainer::Optimizer::make(options.optimizer, table);
  if (!optimizer.ok()) return optimizer.status();
  if (checkpoint) {
    if (Status status = optimizer.value().restore(table, *checkpoint); !status.ok()) return status;
  }
  Buffer<double> squares;
  if (Status status = squares.allocate(table.all().size(), "trainer"); !status.ok()) return status;
  auto state = std::make_unique<State>(std::move(model).value(), std::move(optimizer).value(), options);
  state->squares = std::move(squares);
  return Trainer(std::move(state));
}

const RoFormerConfig& Trainer::config() const { return state_->model.config(); }
std::uint64_t Trainer::step() const { return state_->optimizer.step(); }
std::size_t Trainer::parameter_count() const { return static_cast<std::size_t>(state_->table().size()); }

Status Trainer::try_train(const TrainerBatch& batch, TrainingStep& step) {
  State& state = *state_;
  const RoFormerConfig& config = state.model.config();
  const bool drops = config.hidden_dropout_prob > 0 || config.attention_probs_dropout_prob > 0;
  Evaluation result;
  if (Status status = state.run(batch, "train", true, drops, result); !status.ok()) return status;
  double squares = 0;
  for (const double square : state.squares.span()) squares += square;
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm)) {
    return Status::range("train: the gradient of step " + std::to_string(state.optimizer.step() + 1) +
                         " is " + text_of(norm) +
                         "; allowed: a finite one, as a smaller `learning_rate` gives");
  }
  const double rate = state.optimizer.next_rate();
  const std::span<const float> gradients = state.shards[0].gradients.span();
  state.optimizer.apply(state.table(), gradients, norm, state.model.parameters(), state.team);
  // Allocates the first time only, when the model was made.
  if (Status status = state.model.repack(); !status.ok()) return status;
  step = {.loss = result.loss, .gradient_norm = norm, .learning_rate = rate, .accuracy = result.accuracy};
  return {};
}

Status Trainer::try_evaluate(const TrainerBatch& batch, Evaluation& evaluation) {
  return state_->run(batch, "evaluate", false, false, evaluation);
}

Status Trainer::try_gradients(const TrainerBatch& batch, Gradients& gradients) {
  State& state = *state_;
  Evaluation result;
  if (Status status = state.run(batch, "gradients", true, false, result); !status.ok()) return status;
  gradients.loss = result.loss;
  gradients.accuracy = result.accuracy;
  gradients.parameters.clear();
  for (const parameters::Parameter& parameter : state.table().all()) {
    gradients.parameters.push_back(
        {parameter.name, parameter.shape,
         state.shards[0].gradients.span().subspan(static_cast<std::size_t>(parameter.offset),
                                                  static_cast<std::size_t>(parameter.size))});
  }
  return {};
}

Result<SafetensorsLayout> Trainer::try_save(const SaveOptions& options) const {
  if (options.type != SafetensorsType::F32 && options.type != SafetensorsType::F16) {
    return Status::range("save: `type` is " + std::string(name_of(options.type)) + "; allowed: F32 or F16");
  }
  if (options.optimizer && options.type != SafetensorsType::F32) {
    return Status::range(
        "save: `optimizer` is true; allowed with `type` F16: false, since moments need float32");
  }
  std::vector<SafetensorsSource> sources;
  for (const parameters::Parameter& parameter : state_->table().all()) {
    sources.push_back({parameter.name,
                       parameter.shape,
                       {state_->model.at(parameter.offset), static_cast<std::size_t>(parameter.size)}});
  }
  if (options.optimizer) state_->optimizer.add_sources(state_->table(), sources);
  return SafetensorsLayout::make(sources, options.type);
}

}  // namespace ropewalk
