#include "translation/translator.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/random.hpp"
#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "model/blocks/cross_attention.hpp"
#include "model/model.hpp"
#include "nn/threads.hpp"
#include "train/optimizer.hpp"
#include "train/streams.hpp"
#include "translation/config.hpp"

namespace ropewalk::translation {
namespace {

constexpr std::string_view words_name = "model.shared.weight";
constexpr const char* memory_name = "translator";

/// One of the two models, with what a pass over it and its training need.
struct Side {
  model::Model model;
  trainer::Optimizer optimizer;
  model::Workspace workspace;
  std::optional<model::Pass> pass;
  Buffer<float> gradients;

  const model::parameters::Table& table() const { return model.table(); }
  const model::parameters::Parameter& shared() const { return *table().find(words_name); }
  /// The table of words, which both sides have.
  std::span<float> words() {
    return model.parameters().subspan(static_cast<std::size_t>(shared().offset),
                                      static_cast<std::size_t>(shared().size));
  }
  std::span<float> gradient(const model::parameters::Parameter& parameter) {
    return gradients.span().subspan(static_cast<std::size_t>(parameter.offset),
                                    static_cast<std::size_t>(parameter.size));
  }
};

Status load(const Safetensors& checkpoint, model::Model& model) {
  for (const model::parameters::Parameter& parameter : model.table().all()) {
    const SafetensorsTensor* tensor = checkpoint.find(parameter.name);
    if (tensor == nullptr || tensor->elements != parameter.size) {
      return wrong_type("translator", "tensor " + json::quoted(std::string_view(parameter.name)),
                        tensor == nullptr ? "missing" : std::to_string(tensor->elements) + " numbers",
                        std::to_string(parameter.size) + " numbers");
    }
    ROPEWALK_TRY(
        try_read_float32(*tensor, model.parameters().subspan(static_cast<std::size_t>(parameter.offset),
                                                             static_cast<std::size_t>(parameter.size))));
  }
  return {};
}

Result<Side> make_side(const Spec& spec, const model::Parts& parts, const TranslatorOptions& options,
                       std::uint64_t stream) {
  ROPEWALK_LET(model, model::Model::make(spec, parts));
  Random random = Random(options.seed).fork(trainer::weights_stream).fork(stream);
  if (options.weights.empty()) {
    model::parameters::initialise(model.table(), static_cast<float>(spec.initializer_range),
                                  model.parameters(), [&] { return random.normal(); });
  } else {
    ROPEWALK_LET(opened, Safetensors::open(options.weights));
    ROPEWALK_TRY(load(opened, model));
  }
  ROPEWALK_TRY(model.repack());
  ROPEWALK_LET(optimizer, trainer::Optimizer::make(options.optimizer, model.table()));
  Side side{std::move(model), std::move(optimizer), {}, {}, {}};
  ROPEWALK_TRY(side.gradients.allocate(static_cast<std::size_t>(side.table().size()), memory_name));
  return Result<Side>(std::move(side));
}

std::unique_ptr<model::Branch> make_cross_attention(model::Builder builder, const Spec& spec) {
  return std::make_unique<model::CrossAttention>(builder, spec);
}

Status check(const Sentences& sentences, std::size_t vocabulary) {
  const auto check_ids = [&](std::string_view name, std::span<const std::int32_t> ids, std::size_t count,
                             std::size_t limit, std::string_view allowed) -> Status {
    if (ids.size() != count)
      return out_of_range("translator", name, ids.size(), std::to_string(count) + " numbers");
    for (const std::int32_t id : ids) {
      const bool ignored = id == nn::ignored_label && name == "labels";
      if (!ignored && (id < 0 || static_cast<std::size_t>(id) >= limit))
        return out_of_range("translator", name, std::to_string(id), allowed);
    }
    return {};
  };
  constexpr std::string_view word = "ids of the vocabulary";
  const std::size_t sources = sentences.batch * sentences.source_tokens,
                    targets = sentences.batch * sentences.target_tokens;
  if (sources == 0) return out_of_range("translator", "sources", "empty", "at least one token");
  ROPEWALK_TRY(check_ids("sources", sentences.sources, sources, vocabulary, word));
  ROPEWALK_TRY(check_ids("source_mask", sentences.source_mask, sources, 2, "0 or 1"));
  ROPEWALK_TRY(check_ids("inputs", sentences.inputs, targets, vocabulary, word));
  if (sentences.labels.empty()) return {};
  return check_ids("labels", sentences.labels, targets, vocabulary, word);
}

}  // namespace

struct Translator::State {
  State(Side encoding, Side decoding, const TranslatorOptions& options, const Config& read)
      : encoder(std::move(encoding)),
        decoder(std::move(decoding)),
        config(read),
        smoothing(static_cast<float>(options.smoothing)) {}

  Side encoder, decoder;
  Config config;
  float smoothing;
  model::Memory source{};
  const float* target = nullptr;  // the decoder's last hidden state
  ThreadPool pool{1};

  const model::Head& head() const { return *decoder.model.head("causal_lm"); }

  Status encode(const Sentences& sentences, bool backward) {
    const EncoderInput input{.input_ids = sentences.sources,
                             .batch = sentences.batch,
                             .sequence = sentences.source_tokens,
                             .attention_mask = sentences.source_mask};
    ROPEWALK_LET(pass, encoder.workspace.prepare(encoder.model, input, {.gradients = backward}));
    encoder.pass = pass;
    source = {encoder.model.forward(*encoder.pass), encoder.pass->key_mask, sentences.source_tokens};
    return {};
  }

  Status decode(const Sentences& sentences, bool backward) {
    const EncoderInput input{
        .input_ids = sentences.inputs, .batch = sentences.batch, .sequence = sentences.target_tokens};
    ROPEWALK_LET(pass,
                 decoder.workspace.prepare(
                     decoder.model, input,
                     {.gradients = backward, .logits = true, .memory_tokens = sentences.source_tokens}));
    decoder.pass = pass;
    decoder.pass->memory = &source;
    target = decoder.model.forward(*decoder.pass);
    return {};
  }

  /// Loss, and with `backward` the gradients, those of the shared words on both sides.
  Status run(const Sentences& sentences, bool backward, float smooth, nn::Loss& loss) {
    ROPEWALK_TRY(check(sentences, config.decoder.vocabulary));
    ROPEWALK_TRY(encode(sentences, backward));
    ROPEWALK_TRY(decode(sentences, backward));
    const model::Labels labels{.classes = sentences.labels.data(), .smoothing = smooth};
    loss = head().loss(*decoder.pass, target, labels);
    if (loss.counted == 0) return out_of_range("translator", "labels", "-100", "at least one id");
    if (!backward) return {};
    for (Side* side : {&encoder, &decoder}) {
      std::ranges::fill(side->gradients.span(), 0.0F);
      side->pass->gradients = side->gradients.data();
    }
    source.dstates = encoder.model.gradient_of_hidden(*encoder.pass);
    std::fill_n(source.dstates, encoder.pass->rows() * config.encoder.hidden, 0.0F);
    head().backward(*decoder.pass, decoder.model.gradient_of_hidden(*decoder.pass), labels, loss.counted);
    decoder.model.backward(*decoder.pass);
    encoder.model.backward(*encoder.pass);
    const std::span<float> own = encoder.gradient(encoder.shared()),
                           other = decoder.gradient(decoder.shared());
    decoder.model.compute().dense().add(own.data(), other.data(), other.size());
    std::ranges::copy(other, own.begin());
    return {};
  }
};

Translator::Translator(std::unique_ptr<State> state) : state_(std::move(state)) {}
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;
Translator::~Translator() = default;

Result<Translator> Translator::make(const TranslatorOptions& options) {
  if (!(options.smoothing >= 0 && options.smoothing < 1))
    return out_of_range("translator", "smoothing", options.smoothing, "a number from 0, below 1");
  ROPEWALK_TRY(trainer::check_optimizer(options.optimizer));
  ROPEWALK_LET(config, read_config(options.config));
  ROPEWALK_LET(encoder, make_side(config.encoder, {&encoder_names}, options, 0));
  ROPEWALK_LET(decoder, make_side(config.decoder, {&decoder_names, make_cross_attention}, options, 1));
  std::ranges::copy(encoder.words(), decoder.words().begin());
  ROPEWALK_TRY(decoder.model.repack());
  return Translator(std::make_unique<State>(std::move(encoder), std::move(decoder), options, config));
}

std::size_t Translator::parameter_count() const {
  return static_cast<std::size_t>(state_->encoder.table().size() + state_->decoder.table().size() -
                                  state_->encoder.shared().size);
}

Status Translator::try_evaluate(const Sentences& sentences, Evaluation& evaluation) {
  nn::Loss loss{};
  ROPEWALK_TRY(state_->run(sentences, false, 0, loss));
  evaluation = {.loss = loss.loss,
                .accuracy = static_cast<double>(loss.correct) / static_cast<double>(loss.counted)};
  return {};
}

Status Translator::try_gradients(const Sentences& sentences, Gradients& gradients) {
  nn::Loss loss{};
  ROPEWALK_TRY(state_->run(sentences, true, state_->smoothing, loss));
  gradients.loss = loss.loss;
  gradients.accuracy = static_cast<double>(loss.correct) / static_cast<double>(loss.counted);
  gradients.parameters.clear();
  for (Side* side : {&state_->encoder, &state_->decoder}) {
    for (const model::parameters::Parameter& parameter : side->table().all()) {
      if (side == &state_->decoder && parameter.name == words_name) continue;
      gradients.parameters.push_back({parameter.name, parameter.shape, side->gradient(parameter)});
    }
  }
  return {};
}

Status Translator::try_train(const Sentences& sentences, TrainingStep& step) {
  Gradients gradients;
  ROPEWALK_TRY(try_gradients(sentences, gradients));
  double squares = 0;
  for (const NamedGradient& each : gradients.parameters)
    squares += state_->encoder.model.compute().dense().sum_squares(each.values.data(), each.values.size());
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm))
    return Status::range("translator: the gradient is " + text_of(norm) + "; allowed: a finite one");
  step = {.loss = gradients.loss,
          .gradient_norm = norm,
          .learning_rate = state_->encoder.optimizer.next_rate(),
          .accuracy = gradients.accuracy};
  for (Side* side : {&state_->encoder, &state_->decoder}) {
    side->optimizer.apply(side->model.compute(), side->table(), side->gradients.span(), norm,
                          side->model.parameters(), state_->pool);
    ROPEWALK_TRY(side->model.repack());
  }
  return {};
}

Status Translator::try_translate(const Sentences& sources, std::size_t most,
                                 std::vector<std::vector<std::int32_t>>& out) {
  State& state = *state_;
  const std::size_t vocabulary = state.config.decoder.vocabulary;
  std::vector<std::int32_t> inputs(sources.batch, state.config.start);
  Sentences sentences = sources;
  sentences.labels = {};
  sentences.target_tokens = 1;
  sentences.inputs = inputs;
  ROPEWALK_TRY(check(sentences, vocabulary));
  ROPEWALK_TRY(state.encode(sentences, false));
  out.assign(sources.batch, {});
  std::vector<bool> ended(sources.batch, false);
  for (std::size_t t = 1; t <= most && !std::ranges::all_of(ended, [](bool end) { return end; }); ++t) {
    inputs.clear();
    for (const std::vector<std::int32_t>& text : out) {
      inputs.push_back(state.config.start);
      for (std::size_t i = 0; i + 1 < t; ++i) inputs.push_back(i < text.size() ? text[i] : state.config.end);
    }
    sentences.target_tokens = t;
    sentences.inputs = inputs;
    ROPEWALK_TRY(state.decode(sentences, false));
    const std::span<const float> all = logits();
    for (std::size_t b = 0; b < sources.batch; ++b) {
      if (ended[b]) continue;
      const std::span<const float> row = all.subspan(((b + 1) * t - 1) * vocabulary, vocabulary);
      const auto best = static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin());
      ended[b] = best == state.config.end;
      if (!ended[b]) out[b].push_back(best);
    }
  }
  return {};
}

std::span<const float> Translator::memory() const {
  return {state_->source.states, state_->encoder.pass->rows() * state_->config.encoder.hidden};
}

std::span<const float> Translator::logits() const {
  model::Outputs outputs;
  state_->head().forward(*state_->decoder.pass, state_->target);
  state_->head().collect(*state_->decoder.pass, outputs);
  for (const NamedOutput& output : outputs.take()) {
    if (output.name == "logits") return output.values;
  }
  return {};
}

}  // namespace ropewalk::translation
