// The public cache: arguments are checked, then the inner one is changed.

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/text.hpp"
#include "decoder/state.hpp"

namespace ropewalk {
namespace {

Status check_range(const char* function, std::size_t from, std::size_t to, std::size_t length) {
  if (to > length) return out_of_range(function, "to", to, sentence({"up to ", length, ", the length"}));
  if (from > to) return out_of_range(function, "from", from, sentence({"up to `to` = ", to}));
  return {};
}

/// Refuses to move tokens whose positions are part of what was computed from them.
Status check_movable(const char* function, const decoder::Layout& layout) {
  if (!layout.learned) return {};
  return unsupported(
      function, "cache", "of a model with learned positions",
      "a model whose keys rotate, since a position that was added to a word vector cannot be changed; "
      "trim the cache and feed what follows");
}

/// Refuses what a recurrent state cannot do: it knows all tokens so far, and none of them by itself.
Status check_states(const char* function, const decoder::Layout& layout, std::string_view allowed) {
  if (!layout.has_states()) return {};
  return unsupported(function, "cache", "of a model with a recurrent state", allowed);
}

std::string_view name_of(StoredKeys keys) { return keys == StoredKeys::raw ? "raw" : "rotated"; }
std::string_view name_of(CacheType type) {
  return type == CacheType::float32 ? "float32" : type == CacheType::float16 ? "float16" : "int8";
}

/// So many of the largest logits are looked for with a screen. Of more the bounds leave too many rows, so that the whole
/// product is faster.
constexpr std::size_t most_screened = 8;

/// How many of the largest logits the sampler looks at, beside those of recent tokens; 0 where it looks at all.
std::size_t largest_of(const SamplingOptions& options) {
  return options.temperature == 0 ? 1 : options.top_k;
}

/// Draws from the logits of a hidden state (C), of which only those that may be drawn are computed where the screen can tell.
/// The log probability is left out in either case, since where the screen can tell depends on the machine.
Status sample_from(Decoder::State& decoder, const float* hidden, std::span<const std::int32_t> recent,
                   Sampler& sampler, Sample& sample) {
  nn::Screen::Elements found;
  if (sampler.options().repetition_penalty == 1) recent = {};
  Status status;
  if (decoder.screen->largest(decoder.model.compute(), hidden, largest_of(sampler.options()), recent,
                              found)) {
    std::vector<std::int32_t> places;
    for (const std::int32_t id : recent)
      places.push_back(
          static_cast<std::int32_t>(std::ranges::lower_bound(found.rows, id) - found.rows.begin()));
    status = sampler.try_sample(found.values, places, sample);
    if (status.ok()) sample.id = found.rows[static_cast<std::size_t>(sample.id)];
  } else {
    Buffer<float>& logits = decoder.all_logits;
    status = logits.reserve(decoder.vocabulary(), "sample: logits");
    if (status.ok()) status = decoder.predict(hidden, logits.data());
    if (status.ok()) status = sampler.try_sample({logits.data(), decoder.vocabulary()}, recent, sample);
  }
  sample.log_probability = std::numeric_limits<double>::quiet_NaN();
  return status;
}

}  // namespace

Chunk::Chunk(std::unique_ptr<State> state) : state_(std::move(state)) {}
Chunk::Chunk(Chunk&&) noexcept = default;
Chunk& Chunk::operator=(Chunk&&) noexcept = default;
Chunk::~Chunk() = default;
std::size_t Chunk::length() const { return state_->cache.length(); }
std::span<const std::int32_t> Chunk::tokens() const { return state_->cache.tokens(); }

KeyCache::KeyCache(std::unique_ptr<State> state) : state_(std::move(state)) {}
KeyCache::KeyCache(KeyCache&&) noexcept = default;
KeyCache& KeyCache::operator=(KeyCache&&) noexcept = default;
KeyCache::~KeyCache() = default;

std::size_t KeyCache::length() const { return state_->cache.length(); }
std::size_t KeyCache::bytes() const { return state_->cache.bytes(); }
std::span<const std::int32_t> KeyCache::tokens() const { return state_->cache.tokens(); }
std::size_t KeyCache::context() const { return state_->cache.layout().context; }
std::size_t KeyCache::key_elements(std::size_t layer) const {
  const decoder::Layout& layout = state_->cache.layout();
  if (layer >= layout.layers() || layout.convolves[layer]) return 0;
  return length() * layout.row(layout.keys_of[layer]);
}

Status KeyCache::State::check_feed(std::span<const std::int32_t> ids, const FeedOptions& options) const {
  const std::size_t held = cache.length(), context = cache.layout().context;
  // Before the ids are read: a caller in C may give a wrong count.
  if (ids.size() > context - std::min(context, held)) {
    return out_of_range("feed", "ids", sentence({ids.size(), " tokens behind ", held}),
                        sentence({"up to `context` = ", context, " tokens in all"}));
  }
  ROPEWALK_TRY(decoder->check_ids(ids, "feed"));
  if (options.rule_length && *options.rule_length < held + ids.size()) {
    return out_of_range("feed", "rule_length", *options.rule_length,
                        sentence({"at least the tokens held after the call, ", held + ids.size()}));
  }
  return {};
}

Status KeyCache::State::complete() {
  if (hidden.size() == 0) return {};
  ROPEWALK_TRY(logits.reserve(decoder->vocabulary(), "sample: logits"));
  ROPEWALK_TRY(decoder->predict(hidden.data(), logits.data()));
  hidden = {};
  return {};
}

Status KeyCache::try_feed(std::span<const std::int32_t> ids, const FeedOptions& options,
                          std::span<const float>& logits) {
  Decoder::State& decoder = *state_->decoder;
  const std::size_t vocabulary = decoder.vocabulary();
  ROPEWALK_TRY(state_->check_feed(ids, options));
  // Old logits stay where the feed fails.
  Buffer<float> last;
  ROPEWALK_TRY(last.allocate(vocabulary, "feed: logits"));
  if (options.all) {
    ROPEWALK_TRY(decoder.all_logits.reserve(ids.size() * vocabulary, "feed: logits of all tokens"));
  }
  float* const all = options.all ? decoder.all_logits.data() : nullptr;
  ROPEWALK_TRY(
      decoder.feed(state_->cache, ids, options, {.all = all, .last = options.all ? nullptr : last.data()}));
  if (options.all) std::memcpy(last.data(), all + (ids.size() - 1) * vocabulary, vocabulary * sizeof(float));
  state_->logits = std::move(last);
  state_->hidden = {};
  logits = options.all ? std::span<const float>(all, ids.size() * vocabulary) : state_->logits.span();
  return {};
}

Status KeyCache::try_trim(std::size_t length) {
  if (length > this->length())
    return out_of_range("trim", "length", length, sentence({"up to ", this->length(), ", the tokens held"}));
  if (length != 0 && length != this->length()) {
    Status status =
        check_states("trim", state_->cache.layout(),
                     "trim to 0 or to the length that it has; fork it where a text may have to go back");
    if (!status.ok()) return status;
  }
  state_->cache.trim(length);
  return {};
}

Status KeyCache::try_drop(std::size_t from, std::size_t to, const DropOptions& options) {
  ROPEWALK_TRY(check_range("drop", from, to, length()));
  if (!options.rotate && state_->cache.stored() == StoredKeys::raw) {
    return out_of_range("drop", "rotate", "false",
                        "true for raw keys, which have no rotation that they could keep");
  }
  if (from != to && to - from != length()) {
    ROPEWALK_TRY(check_states("drop", state_->cache.layout(), "drop all tokens, or none"));
  }
  if (from != to && to != length()) {
    ROPEWALK_TRY(check_movable("drop", state_->cache.layout()));
  }
  return state_->cache.drop(from, to, options.rotate);
}

Status KeyCache::try_append(const Chunk& chunk, std::size_t from, std::optional<std::size_t> to) {
  const decoder::Cache &held = state_->cache, &other = chunk.state_->cache;
  if (chunk.state_->decoder != state_->decoder)
    return out_of_range("append", "chunk", "of another decoder", "a chunk of this cache's decoder");
  if (held.stored() != other.stored() || held.type() != other.type()) {
    const auto words = [](const decoder::Cache& cache) {
      return std::string(name_of(cache.stored())) + " keys in " + std::string(name_of(cache.type()));
    };
    return out_of_range("append", "chunk", words(other), "those of the cache, " + words(held));
  }
  const decoder::StillPairsPtr &here = held.still(), &there = other.still();
  if (here != there && (here == nullptr || there == nullptr || !(*here == *there)))
    return out_of_range("append", "chunk", "with other parts of the rotation left out",
                        "one with the `without_rotation` of the cache");
  const std::size_t end = to.value_or(chunk.length());
  ROPEWALK_TRY(check_range("append", from, end, chunk.length()));
  if (length() + (end - from) > context()) {
    return out_of_range("append", "chunk", sentence({end - from, " tokens behind ", length()}),
                        sentence({"up to `context` = ", context(), " tokens in all"}));
  }
  if (from != end && (length() != 0 || end - from != chunk.length())) {
    Status status = check_states("append", held.layout(),
                                 "append a whole chunk to an empty cache; feed the tokens of others");
    if (!status.ok()) return status;
  }
  if (from != end && from != length()) {
    ROPEWALK_TRY(check_movable("append", held.layout()));
  }
  return state_->cache.append(other, from, end);
}

Status KeyCache::try_rescale(std::string_view rope_parameters) {
  ROPEWALK_LET(options,
               decoder::rescaled(rope_parameters, *state_->decoder, state_->cache.ropes()->options()));
  ROPEWALK_LET(
      ropes, decoder::Ropes::make(std::move(options), static_cast<double>(std::max<std::size_t>(1, length())),
                                  state_->cache.ropes()->sense()));
  return state_->cache.turn_to(std::move(ropes));
}

Result<KeyCache> KeyCache::try_fork() const {
  auto state = std::make_unique<State>(state_->decoder, state_->cache);
  if (state_->logits.size() > 0) {
    ROPEWALK_TRY(state->logits.allocate(state_->logits.size(), "fork: logits"));
    std::ranges::copy(state_->logits.span(), state->logits.data());
  }
  if (state_->hidden.size() > 0) {
    ROPEWALK_TRY(state->hidden.allocate(state_->hidden.size(), "fork: hidden state"));
    std::ranges::copy(state_->hidden.span(), state->hidden.data());
  }
  return KeyCache(std::move(state));
}

Result<std::vector<std::byte>> KeyCache::try_save() const {
  if (state_->cache.still() != nullptr)
    return unsupported("save", "cache", "without a part of the rotation",
                       "a cache in which all pairs rotate");
  return decoder::save(state_->cache, *state_->decoder);
}

Status KeyCache::try_keys(std::size_t layer, std::span<float> out) const {
  const std::size_t layers = state_->cache.layout().layers();
  if (layer >= layers) return out_of_range("keys", "layer", layer, sentence({"0 to ", layers - 1}));
  if (state_->cache.layout().convolves[layer])
    return unsupported("keys", "layer", std::to_string(layer),
                       "a layer that attends: this one is a convolution");
  if (state_->cache.layout().has_state(layer))
    return unsupported("keys", "layer", std::to_string(layer),
                       "a layer that attends: this one is a gated delta net");
  if (out.size() != key_elements(layer)) {
    return out_of_range(
        "keys", "out", sentence({out.size(), " elements"}),
        sentence({key_elements(layer), ", the length times the key heads times the head dimension"}));
  }
  return state_->cache.keys(layer, out.data());
}

std::string KeyCache::explain() const { return decoder::explain(state_->cache); }

Status KeyCache::try_feed_guesses(std::span<const std::int32_t> ids, Sampler& sampler,
                                  std::vector<Sample>& samples) {
  samples.clear();
  if (state_->cache.ropes()->by_length() || state_->cache.layout().has_states())
    ids = ids.first(std::min<std::size_t>(ids.size(), 1));
  Decoder::State& decoder = *state_->decoder;
  const std::size_t begin = length(), vocabulary = decoder.vocabulary(), width = decoder.model.spec().hidden;
  const std::size_t largest = largest_of(sampler.options());
  const bool is_screened = decoder.screen && largest != 0 && largest <= most_screened;
  std::span<const float> logits;
  if (is_screened) {
    ROPEWALK_TRY(state_->check_feed(ids, {}));
    Buffer<float> last;
    Status status = last.allocate(width, "feed: hidden state");
    if (status.ok()) status = decoder.hidden.reserve(ids.size() * width, "feed: hidden states");
    if (status.ok()) status = decoder.feed(state_->cache, ids, {}, {.hidden = decoder.hidden.data()});
    if (!status.ok()) return status;
    state_->hidden = std::move(last);
  } else if (Status status = try_feed(ids, {.all = ids.size() > 1}, logits); !status.ok()) {
    return status;
  }
  const std::span<const std::int32_t> all = tokens();
  Status status;
  for (std::size_t t = 0; t < ids.size(); ++t) {
    const std::span<const std::int32_t> held = all.first(begin + t + 1);
    const std::span<const std::int32_t> recent =
        held.last(std::min(held.size(), sampler.options().repetition_window));
    Sample& sample = samples.emplace_back();
    status = is_screened ? sample_from(decoder, decoder.hidden.data() + t * width, recent, sampler, sample)
                         : sampler.try_sample(logits.subspan(t * vocabulary, vocabulary), recent, sample);
    const bool is_right = status.ok() && t + 1 < ids.size() && sample.id == ids[t + 1];
    if (is_right) continue;
    if (is_screened) {
      std::copy_n(decoder.hidden.data() + t * width, width, state_->hidden.data());
    } else if (t + 1 < ids.size()) {
      std::ranges::copy(logits.subspan(t * vocabulary, vocabulary), state_->logits.data());
    }
    if (t + 1 < ids.size()) state_->cache.trim(begin + t + 1);
    break;
  }
  return status;
}

Status KeyCache::try_sample(Sampler& sampler, Sample& sample) {
  ROPEWALK_TRY(state_->complete());
  if (state_->logits.size() == 0) return out_of_range("sample", "cache", "never fed", "a cache that was fed");
  const std::span<const std::int32_t> all = tokens();
  const std::size_t recent = std::min(all.size(), sampler.options().repetition_window);
  return sampler.try_sample(state_->logits.span(), all.last(recent), sample);
}

}  // namespace ropewalk
