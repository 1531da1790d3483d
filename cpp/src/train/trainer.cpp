// The public class: checks, a pass over every shard, the sum of their gradients, a step.

#include "ropewalk/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/random.hpp"
#include "base/text.hpp"
#include "nn/threads.hpp"
#include "train/check_batch.hpp"
#include "train/contrastive.hpp"
#include "train/make_model.hpp"
#include "train/objectives.hpp"
#include "train/optimizer.hpp"
#include "train/shard.hpp"
#include "train/streams.hpp"

namespace ropewalk {

using trainer::Shard;

struct Trainer::State {
  State(model::Model built, trainer::Optimizer steps, const TrainerOptions& options)
      : model(std::move(built)),
        head(head_of(model, options.objective)),
        optimizer(std::move(steps)),
        objective(options.objective),
        contrastive(options.contrastive),
        seed(options.seed),
        shards(options.shards),
        pool(options.threads) {}

  model::Model model;
  const model::Head* head;  // of the objective; nullptr: contrastive
  trainer::Optimizer optimizer;
  Objective objective;
  trainer::Contrastive contrastive;
  std::uint64_t seed;
  std::vector<Shard> shards;
  ThreadPool pool;
  Buffer<double> squares;  // of the gradient of each parameter
  std::size_t used = 0;    // shards of this batch
  std::vector<std::string> notes;

  const model::parameters::Table& table() const { return model.table(); }
  static const model::Head* head_of(const model::Model& model, Objective objective) {
    const model::HeadKind* const kind = trainer::head_kind(objective, model.spec());
    return kind == nullptr ? nullptr : model.head(kind->name);
  }
  Status share_out(const TrainerBatch& batch);
  nn::Loss pass(Shard& shard, bool backward, std::size_t counted);
  nn::Loss passes_of_pairs(bool backward);
  Status run(const TrainerBatch& batch, const char* function, bool backward, bool dropout,
             Evaluation& result);
  void add_gradients();
};

namespace {

constexpr std::size_t most_shards = 1024, most_threads = 256;

Status check_options(const TrainerOptions& options) {
  if (options.shards < 1 || options.shards > most_shards) {
    return out_of_range("trainer", "shards", options.shards, "a whole number from 1 to 1024");
  }
  if (options.threads < 1 || options.threads > most_threads) {
    return out_of_range("trainer", "threads", options.threads, "a whole number from 1 to 256");
  }
  ROPEWALK_TRY(trainer::check_contrastive(options.contrastive));
  return trainer::check_optimizer(options.optimizer);
}

}  // namespace

Status Trainer::State::share_out(const TrainerBatch& batch) {
  const std::size_t rows = batch.input.batch, per_shard = (rows + shards.size() - 1) / shards.size();
  used = 0;
  for (std::size_t first = 0; first < rows; first += per_shard) {
    ROPEWALK_TRY(shards[used].take(batch, objective, first, std::min(per_shard, rows - first)));
    ++used;
  }
  return {};
}

nn::Loss Trainer::State::pass(Shard& shard, bool backward, std::size_t counted) {
  model::Pass& pass = *shard.pass;
  const model::Labels labels = shard.expected();
  const nn::Loss own = head->loss(pass, model.forward(pass), labels);
  if (!backward) return own;
  std::fill_n(shard.gradients.data(), shard.gradients.size(), 0.0F);
  if (own.counted == 0) return own;
  pass.gradients = shard.gradients.data();
  // The mean is over the labels of the whole batch.
  head->backward(pass, model.gradient_of_hidden(pass), labels, counted);
  model.backward(pass);
  return own;
}

// The loss is of all sequences together, so every shard waits for it between its two passes.
nn::Loss Trainer::State::passes_of_pairs(bool backward) {
  const auto each = [&](auto&& work) {
    nn::in_parts(pool, used, [&](std::size_t item, std::size_t) { work(shards[used - 1 - item]); });
  };
  each([&](Shard& shard) {
    shard.hidden = model.forward(*shard.pass);
    contrastive.pool(*shard.pass, shard.hidden, shard.first);
  });
  const nn::Loss found = contrastive.loss(model.compute());
  if (!backward) return found;
  each([&](Shard& shard) {
    std::fill_n(shard.gradients.data(), shard.gradients.size(), 0.0F);
    shard.pass->gradients = shard.gradients.data();
    contrastive.unpool(*shard.pass, model.gradient_of_hidden(*shard.pass), shard.hidden, shard.first);
    model.backward(*shard.pass);
  });
  return found;
}

// Into those of the first shard, in order; and the squares of the sums.
void Trainer::State::add_gradients() {
  nn::in_parts(pool, table().all().size(), [&](std::size_t i, std::size_t) {
    const model::parameters::Parameter& parameter = table().all()[i];
    const auto offset = static_cast<std::size_t>(parameter.offset),
               size = static_cast<std::size_t>(parameter.size);
    const auto& dense = model.compute().dense();
    float* const sum = shards[0].gradients.data() + offset;
    for (std::size_t s = 1; s < used; ++s) dense.add(shards[s].gradients.data() + offset, sum, size);
    squares[i] = dense.sum_squares(sum, size);
  });
}

Status Trainer::State::run(const TrainerBatch& batch, const char* function, bool backward, bool drops,
                           Evaluation& result) {
  std::size_t counted = 0;
  ROPEWALK_TRY(trainer::check_batch(model.spec(), objective, batch, function, counted));
  ROPEWALK_TRY(share_out(batch));
  for (std::size_t s = 0; s < used; ++s) {
    const model::Keep keep{.gradients = backward, .logits = trainer::kind_of(objective).of_tokens};
    ROPEWALK_LET(prepared, shards[s].workspace.prepare(model, shards[s].input(), keep));
    shards[s].pass = prepared;
    if (!backward) continue;
    ROPEWALK_TRY(shards[s].gradients.reserve(static_cast<std::size_t>(table().size()), "trainer: gradients"));
  }
  const Random dropout_seeds = Random(seed).fork(trainer::dropout_stream);
  for (std::size_t s = 0; s < used; ++s)
    shards[s].pass->dropout = {.on = drops, .seed = dropout_seeds.fork(optimizer.step()).fork(s).next()};
  double loss = 0;
  std::size_t correct = 0;
  if (head == nullptr) {
    ROPEWALK_TRY(contrastive.reserve(batch.input.batch, batch.input.sequence, model.spec().hidden));
    const nn::Loss found = passes_of_pairs(backward);
    counted = found.counted;
    loss = found.loss * static_cast<double>(counted);
    correct = found.correct;
  } else {
    nn::in_parts(pool, used, [&](std::size_t item, std::size_t) {
      // The last first: it is the longest where a batch is sorted by length.
      const std::size_t s = used - 1 - item;
      shards[s].loss = pass(shards[s], backward, counted);
    });
    for (std::size_t s = 0; s < used; ++s) {
      loss += shards[s].loss.loss * static_cast<double>(shards[s].loss.counted);
      correct += shards[s].loss.correct;
    }
  }
  result.loss = loss / static_cast<double>(counted);
  result.accuracy = objective == Objective::regression
                        ? std::numeric_limits<double>::quiet_NaN()
                        : static_cast<double>(correct) / static_cast<double>(counted);
  if (backward) add_gradients();
  return {};
}

Trainer::Trainer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

Result<Trainer> Trainer::make(const TrainerOptions& options) {
  ROPEWALK_TRY(check_options(options));
  std::optional<Safetensors> checkpoint;
  if (!options.weights.empty()) {
    ROPEWALK_LET(opened, Safetensors::open(options.weights));
    checkpoint = std::move(opened);
  }
  std::vector<std::string> notes;
  Result<model::Model> model = trainer::make_model(options, checkpoint ? &*checkpoint : nullptr, notes);
  if (!model.ok()) return model.status();
  const model::parameters::Table& table = model.value().table();
  ROPEWALK_LET(optimizer, trainer::Optimizer::make(options.optimizer, table));
  // The state of an optimiser that knew nothing of a new head is that of another training.
  if (checkpoint && model.value().fresh().empty()) {
    ROPEWALK_TRY(optimizer.restore(table, *checkpoint));
  }
  Buffer<double> squares;
  ROPEWALK_TRY(squares.allocate(table.all().size(), "trainer"));
  auto state = std::make_unique<State>(std::move(model).value(), std::move(optimizer), options);
  state->squares = std::move(squares);
  state->notes = std::move(notes);
  return Trainer(std::move(state));
}

const Spec& Trainer::spec() const { return state_->model.spec(); }
std::uint64_t Trainer::step() const { return state_->optimizer.step(); }
const std::vector<std::string>& Trainer::notes() const { return state_->notes; }
std::size_t Trainer::parameter_count() const { return static_cast<std::size_t>(state_->table().size()); }

Status Trainer::try_train(const TrainerBatch& batch, TrainingStep& step) {
  State& state = *state_;
  const Spec& spec = state.model.spec();
  const bool drops = spec.hidden_dropout > 0 || spec.attention_dropout > 0;
  Evaluation result;
  ROPEWALK_TRY(state.run(batch, "train", true, drops, result));
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
  state.optimizer.apply(state.model.compute(), state.table(), gradients, norm, state.model.parameters(),
                        state.pool);
  // Allocates the first time only, when the model was made.
  ROPEWALK_TRY(state.model.repack());
  step = {.loss = result.loss, .gradient_norm = norm, .learning_rate = rate, .accuracy = result.accuracy};
  return {};
}

Status Trainer::try_evaluate(const TrainerBatch& batch, Evaluation& evaluation) {
  return state_->run(batch, "evaluate", false, false, evaluation);
}

Status Trainer::try_gradients(const TrainerBatch& batch, Gradients& gradients) {
  State& state = *state_;
  Evaluation result;
  ROPEWALK_TRY(state.run(batch, "gradients", true, false, result));
  gradients.loss = result.loss;
  gradients.accuracy = result.accuracy;
  gradients.parameters.clear();
  for (const model::parameters::Parameter& parameter : state.table().all()) {
    gradients.parameters.push_back(
        {parameter.name, parameter.shape,
         state.shards[0].gradients.span().subspan(static_cast<std::size_t>(parameter.offset),
                                                  static_cast<std::size_t>(parameter.size))});
  }
  return {};
}

Result<SafetensorsLayout> Trainer::try_save(const SaveOptions& options) const {
  if (options.type != SafetensorsType::F32 && options.type != SafetensorsType::F16) {
    return out_of_range("save", "type", name_of(options.type), "F32 or F16");
  }
  if (options.optimizer && options.type != SafetensorsType::F32) {
    return out_of_range("save", "optimizer", "true", "false with `type` F16, since moments need float32");
  }
  std::vector<SafetensorsSource> sources;
  for (const model::parameters::Parameter& parameter : state_->table().all()) {
    sources.push_back({parameter.name,
                       parameter.shape,
                       {std::as_const(state_->model).parameters() + parameter.offset,
                        static_cast<std::size_t>(parameter.size)}});
  }
  for (const auto& buffer : state_->model.positions().buffers())
    sources.push_back({buffer.name, buffer.shape, buffer.values});
  if (options.optimizer) state_->optimizer.add_sources(state_->table(), sources);
  return SafetensorsLayout::make(sources, options.type);
}

}  // namespace ropewalk
