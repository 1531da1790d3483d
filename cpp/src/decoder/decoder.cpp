// A decoder of a model that has been read, and the feeding of its caches.

#include "ropewalk/decoder.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "decoder/state.hpp"
#include "formats/json/value.hpp"
#include "rope/frequencies/length.hpp"

namespace ropewalk {
namespace {

using decoder::Cache;
using decoder::Ropes;
using decoder::RopesPtr;
using model::position_encoding::sense_of;

/// Tokens of a pass: enough to pay for a weight's way from memory.
constexpr std::size_t piece = nn::cache_block;
/// Tokens whose logits are computed at once, which reads the output matrix once.
constexpr std::size_t predicted = 8;

std::vector<RopeOptions> ropes_of(const Spec& spec) {
  const auto* rope = std::get_if<positions::Rope>(&spec.positions);
  if (rope == nullptr) return {};
  if (rope->ropes.empty()) return {RopeOptions{.head_dim = spec.head_dim()}};
  return rope->ropes;
}

const model::Head* words_head(const model::Model& model) {
  const model::Head* head = model.head("causal_lm");
  return head == nullptr ? model.head("masked_lm") : head;
}

}  // namespace

Decoder::Decoder(std::shared_ptr<State> state) : state_(std::move(state)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

Status Decoder::State::check(const Spec& spec) {
  if (!spec.attention.causal)
    return out_of_range("decoder", "model_type", json::quoted(std::string_view(spec.family)),
                        "a model of a family that decodes");
  const auto* rope = std::get_if<positions::Rope>(&spec.positions);
  const auto* learned = std::get_if<positions::Learned>(&spec.positions);
  if (rope == nullptr && !std::holds_alternative<positions::None>(spec.positions) &&
      (learned == nullptr || learned->padding_id))
    return out_of_range("decoder", "positions", json::quoted(std::string_view(spec.family)),
                        "a model whose queries and keys rotate, or with learned positions from 0 on");
  if (rope != nullptr && rope->values)
    return out_of_range("decoder", "rotary_value", "true", "false: a cached value cannot be moved");
  return {};
}

Result<Decoder> Decoder::State::make(Read read, model::Model loaded, const DecoderOptions& options) {
  const Spec& spec = loaded.spec();
  if (words_head(loaded) == nullptr)
    return out_of_range("decoder", "weights", "without a head that predicts words",
                        "a causal language model");
  auto layout = std::make_shared<decoder::Layout>(decoder::Layout{.compute = loaded.compute()});
  if (const auto* learned = std::get_if<positions::Learned>(&spec.positions)) {
    layout->learned = true;
    read.max_positions = learned->rows;
    if (options.context.value_or(1) > learned->rows) {
      return out_of_range(
          "decoder", "context", *options.context,
          sentence({"up to ", learned->rows, ", the rows of the table of learned positions"}));
    }
  }
  layout->context = options.context.value_or(
      std::min<std::size_t>(2048, read.max_positions == 0 ? 2048 : read.max_positions));
  std::vector<RopeOptions> ropes = ropes_of(spec);
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    const LayerSpec& layer = spec.layers[l];
    const bool attends = !layer.short_convolution && !layer.gated_delta_net;
    const std::size_t state = layer.gated_delta_net ? spec.gated_delta_net.state() : 0;
    if (state > SIZE_MAX / sizeof(float) - layout->states.back())
      return Status::out_of_memory(spec.family + ": the states of a cache do not fit into memory");
    layout->states.push_back(layout->states.back() + state);
    layout->keys_of.push_back(layer.keys_of.value_or(l));
    layout->shapes.push_back({.key_heads = layer.keys_of || layer.gated_delta_net ? 0 : spec.key_heads(l),
                              .head_dim = layer.gated_delta_net ? 1 : spec.head_dim(l)});
    layout->ropes.push_back(ropes.empty() || !attends ? std::nullopt : layer.rope);
    layout->windows.push_back(layer.window);
    layout->convolves.push_back(layer.short_convolution);
    if (!layer.short_convolution) continue;
    // Halves of heads, so that a cache in 8 bits has a scale for as many numbers as it has for keys.
    layout->channels = spec.hidden;
    layout->shapes[l] = {.key_heads = spec.hidden / (2 * spec.head_dim()), .head_dim = spec.head_dim()};
    if (spec.hidden % (2 * spec.head_dim()) != 0)
      layout->shapes[l] = {.key_heads = 1, .head_dim = (spec.hidden + 1) / 2};
  }
  ROPEWALK_TRY(Ropes::make(ropes, 1, sense_of(spec)).status());
  auto state = std::make_shared<State>(std::move(loaded), std::move(layout), std::move(ropes));
  state->precision = state->model.precision();
  state->read = std::move(read);
  state->notes = state->model.notes();
  if (!options.screen) return Decoder(std::move(state));
  const nn::PackedWeight* const matrix = words_head(state->model)->output_matrix();
  if (matrix == nullptr || matrix->form() != nn::WeightForm::int8_blocks) {
    state->notes.push_back(
        "`screen` has no effect: it is for an output matrix in 8 bits, without a bias, scale or cap of "
        "logits.");
    return Decoder(std::move(state));
  }
  ROPEWALK_TRY(state->screen.emplace().make(state->model.compute(), *matrix));
  return Decoder(std::move(state));
}

std::size_t Decoder::State::prepare(Decoder& decoder) {
  constexpr std::size_t rows = 4096;
  std::optional<nn::Screen>& screen = decoder.state_->screen;
  return screen ? screen->pack(rows) : 0;
}

const std::string& Decoder::config() const { return state_->read.config; }
const Spec& Decoder::spec() const { return state_->model.spec(); }
std::size_t Decoder::parameter_count() const {
  return static_cast<std::size_t>(state_->model.table().size());
}
std::size_t Decoder::context() const { return state_->layout->context; }
const std::vector<std::string>& Decoder::notes() const { return state_->notes; }

std::string Decoder::State::explain_layer(std::size_t l) const {
  if (layout->convolves[l]) {
    return sentence(
        {"A convolution over ", model.spec().short_convolution.width, " tokens: these layers have no keys."});
  }
  if (layout->has_state(l)) {
    return sentence({"A gated delta net, with a state of ", layout->states[l + 1] - layout->states[l],
                     " numbers: these layers have no keys."});
  }
  if (layout->learned) return "Nothing rotates: learned positions are added to the word vectors.";
  if (!layout->ropes[l]) return "Nothing rotates: these layers see positions through the others alone.";
  std::string words = decoder::describe(ropes[*layout->ropes[l]]);
  if (sense_of(model.spec()).backwards) words += " Heads rotate by minus the position.";
  if (layout->keys_of[l] != l)
    words += sentence({" Queries attend to the keys and values of layer ", layout->keys_of[l], "."});
  return words;
}

std::vector<RopeUse> Decoder::ropes() const {
  std::vector<RopeUse> uses;
  const decoder::Layout& layout = *state_->layout;
  const auto differ = [&](std::size_t a, std::size_t b) {
    // The layer whose keys one attends to, unless they are its own.
    const auto source = [&](std::size_t l) {
      return layout.keys_of[l] == l ? layout.layers() : layout.keys_of[l];
    };
    return layout.ropes[a] != layout.ropes[b] || layout.windows[a] != layout.windows[b] ||
           layout.convolves[a] != layout.convolves[b] || layout.has_state(a) != layout.has_state(b) ||
           source(a) != source(b);
  };
  for (std::size_t l = 0; l < layout.layers(); ++l) {
    std::size_t at = 0;
    while (at < uses.size() && differ(uses[at].layers[0], l)) ++at;
    if (at == uses.size()) uses.push_back({{}, layout.windows[l], state_->explain_layer(l)});
    uses[at].layers.push_back(l);
  }
  return uses;
}

Status Decoder::State::check_ids(std::span<const std::int32_t> ids, const char* function) const {
  if (ids.empty()) return out_of_range(function, "ids", "empty", "at least one id");
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= 0 && static_cast<std::size_t>(ids[i]) < vocabulary()) continue;
    return out_of_range(function, sentence({"ids[", i, "]"}), static_cast<double>(ids[i]),
                        sentence({"0 to ", vocabulary() - 1, ", the ids below `vocab_size`"}));
  }
  return {};
}

Result<Cache> Decoder::State::make_cache(const CacheOptions& options, double length,
                                         const char* function) const {
  ROPEWALK_LET(made, Ropes::make(ropes, length, sense_of(model.spec())));
  ROPEWALK_LET(still, decoder::StillPairs::make(options.without_rotation, *layout, *made, function));
  const StoredKeys usual = made->is_dynamic() ? StoredKeys::raw : StoredKeys::rotated;
  return Cache(layout, options.keys.value_or(usual), options.type, std::move(made), std::move(still));
}

Result<KeyCache> Decoder::try_cache(const CacheOptions& options) const {
  ROPEWALK_LET(cache, state_->make_cache(options, 1, "cache"));
  return KeyCache(std::make_unique<KeyCache::State>(state_, std::move(cache)));
}

Result<Chunk> Decoder::try_chunk(std::span<const std::int32_t> ids, const CacheOptions& options) const {
  ROPEWALK_TRY(state_->check_ids(ids, "chunk"));
  ROPEWALK_LET(cache, state_->make_cache(options, static_cast<double>(ids.size()), "chunk"));
  ROPEWALK_TRY(state_->feed(cache, ids, {}, {}));
  return Chunk(std::unique_ptr<Chunk::State>(new Chunk::State{state_, std::move(cache)}));
}

Result<KeyCache> Decoder::try_restore(std::span<const std::byte> bytes) const {
  ROPEWALK_LET(cache, decoder::restore(bytes, *state_));
  return KeyCache(std::make_unique<KeyCache::State>(state_, std::move(cache)));
}

Status Decoder::State::feed(Cache& cache, std::span<const std::int32_t> ids, const FeedOptions& options,
                            const Written& written) {
  const std::size_t begin = cache.length(), end = begin + ids.size();
  if (end > layout->context) {
    return out_of_range("feed", "ids", sentence({ids.size(), " tokens behind ", begin}),
                        sentence({"up to `context` = ", layout->context, " tokens in all"}));
  }
  const RopesPtr before = cache.ropes();
  if (!before->by_length()) return append(cache, ids, written);
  ROPEWALK_LET(there, Ropes::make(before->options(), static_cast<double>(options.rule_length.value_or(end)),
                                  before->sense()));
  if (there->equals(*before)) return append(cache, ids, written);
  // The whole cache moves to the frequencies of the new length, and stays as it was where anything fails.
  if (cache.stored() == StoredKeys::rotated) {
    Cache turned = cache;
    ROPEWALK_TRY(turned.turn_to(there));
    ROPEWALK_TRY(append(turned, ids, written));
    cache = std::move(turned);
    return {};
  }
  cache.set_ropes(there);
  Status status = append(cache, ids, written);
  if (!status.ok()) cache.set_ropes(before);
  return status;
}

Status Decoder::State::append(Cache& cache, std::span<const std::int32_t> ids, const Written& written) {
  const auto [all, last, states] = written;
  const std::size_t begin = cache.length(), end = begin + ids.size();
  ROPEWALK_TRY(cache.own(begin, end));
  // No pass is longer than a table of learned positions.
  const std::size_t most = std::min(piece, layout->context), rows = std::min(ids.size(), most);
  ROPEWALK_LET(feed, decoder::Feed::make(cache, scratch, model.spec().attention.heads, rows, begin, end));
  const Result<model::Pass> one = step.prepare(model, {ids.first(1), 1, 1}, {.logits = true});
  if (!one.ok()) return one.status();
  ROPEWALK_LET(many, ids.size() == 1 ? one : pieces.prepare(model, {ids, 1, most}, {}));
  ROPEWALK_LET(some, all == nullptr || ids.size() == 1
                         ? one
                         : several.prepare(model, {ids, 1, predicted}, {.logits = true}));
  model::Pass pass = many, words = some;
  pass.cache = &feed;
  for (std::size_t at = 0; at < ids.size(); at += most) {
    pass.tokens = std::min(most, ids.size() - at);
    pass.first = begin + at;
    pass.ids = ids.data() + at;
    feed.start_at(begin + at);
    const float* const hidden = model.forward(pass);
    const bool is_last = at + pass.tokens == ids.size();
    for (std::size_t t = 0; t < pass.tokens && all != nullptr; t += words.tokens) {
      words.tokens = std::min(predicted, pass.tokens - t);
      predict(words, hidden + t * model.spec().hidden, all + (at + t) * vocabulary());
    }
    if (is_last && last != nullptr)
      predict(one.value(), hidden + (pass.tokens - 1) * model.spec().hidden, last);
    if (states != nullptr)
      std::copy_n(hidden, pass.tokens * model.spec().hidden, states + at * model.spec().hidden);
  }
  if (!feed.status().ok()) return feed.status();
  cache.exchange_states(scratch.states);
  cache.extend(ids, feed.shift());
  return {};
}

void Decoder::State::predict(const model::Pass& pass, const float* hidden, float* logits) const {
  const model::Head& head = *words_head(model);
  model::Outputs outputs;
  head.forward(pass, hidden);
  head.collect(pass, outputs);
  for (const NamedOutput& output : outputs.take()) {
    if (output.name == "logits") std::memcpy(logits, output.values.data(), output.values.size_bytes());
  }
}

Status Decoder::State::predict(const float* hidden, float* logits) {
  const std::int32_t id = 0;
  ROPEWALK_LET(one, step.prepare(model, {{&id, 1}, 1, 1}, {.logits = true}));
  predict(one, hidden, logits);
  return {};
}

std::uint64_t Decoder::State::hash() {
  if (fingerprint != 0) return fingerprint;
  return fingerprint = model.hash() | 1;
}

}  // namespace ropewalk
