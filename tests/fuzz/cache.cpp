// Any sequence of operations on the caches of a small decoder, beside lists of the tokens that they should hold. An
// operation that is refused says why and leaves its cache as it was; a saved cache comes back with the same logits;
// a damaged one is refused, or can be used.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "golden_models.hpp"
#include "ropewalk/decoder.hpp"
#include "target.hpp"

namespace {

using namespace ropewalk;
using fuzz::require;
using Ids = std::vector<std::int32_t>;

constexpr std::size_t context = 160;  // more than two blocks of 64 tokens
constexpr std::size_t most_caches = 4, most_steps = 64;

/// Llama; a rule for each length; windows, and a rope for each type of layers; two lists of factors.
constexpr const char* names[] = {"llama", "llama-dynamic", "gemma3", "phi3-longrope"};
constexpr const char* rules[] = {
    R"({"rope_type": "linear", "factor": 4})",
    R"({"rope_type": "dynamic", "factor": 2, "original_max_position_embeddings": 32})",
    R"({"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 64})",
    R"({"rope_type": "default", "rope_theta": 500})",
    R"({"full_attention": {"rope_type": "linear", "factor": 2}})",
    R"({"rope_type": "linear", "factor": 0})",
    R"({"rope_type": "none of these"})",
    "{",
};

struct Held {
  KeyCache cache;
  Ids tokens;
};

Decoder open(const char* name, Precision precision) {
  const std::string folder = std::string("decoders/") + name;
  Result<Decoder> made =
      Decoder::make(fuzz::golden_text(folder + "/config.json"),
                    fuzz::golden_bytes(folder + "/model.safetensors"), {precision, context});
  require(made.ok(), "a golden decoder opens", made.status().message());
  return std::move(made).value();
}

const Decoder& decoder(std::size_t which, Precision precision) {
  static const std::vector<Decoder> all = [] {
    std::vector<Decoder> made;
    for (const char* const name : names) {
      made.push_back(open(name, Precision::float32));
      made.push_back(open(name, Precision::int8));
    }
    return made;
  }();
  return all[2 * which + (precision == Precision::int8 ? 1 : 0)];
}

bool holds(const KeyCache& cache, const Ids& tokens) {
  const std::span<const std::int32_t> held = cache.tokens();
  return cache.length() == tokens.size() && Ids(held.begin(), held.end()) == tokens;
}

class Machine {
 public:
  Machine(const std::uint8_t* data, std::size_t size) : numbers_(data, size) {
    const std::size_t which = numbers_.whole(0, std::size(names) - 1);
    model_ = &decoder(which, numbers_.flag() ? Precision::int8 : Precision::float32);
    if (numbers_.flag()) options_.keys = numbers_.flag() ? StoredKeys::raw : StoredKeys::rotated;
    options_.type = static_cast<CacheType>(numbers_.whole(0, 2));
    Result<KeyCache> made = model_->try_cache(options_);
    if (made.ok()) {
      held_.push_back({std::move(made).value(), {}});
    } else {
      fuzz::require_words(made.status());
    }
  }

  void run() {
    for (std::size_t step = 0; step < most_steps && !held_.empty() && !numbers_.ended(); ++step) {
      Held& held = held_[numbers_.whole(0, held_.size() - 1)];
      operate(held);
      for (const Held& each : held_) require(holds(each.cache, each.tokens), "a cache holds its tokens");
    }
    for (Held& each : held_) look_at(each.cache);
  }

 private:
  /// Ids of tokens, seldom one that the model does not have.
  Ids ids(std::size_t most) {
    Ids made(numbers_.whole(0, most));
    const auto vocabulary = static_cast<std::int32_t>(model_->spec().vocabulary);
    for (std::int32_t& id : made) {
      const auto raw = numbers_.raw<std::uint8_t>();
      id = raw == 255 ? vocabulary : raw == 254 ? -1 : raw % vocabulary;
    }
    return made;
  }
  /// Up to the cache's length, seldom more.
  std::size_t position(const KeyCache& cache) {
    const auto raw = numbers_.raw<std::uint8_t>();
    return raw == 255 ? std::numeric_limits<std::size_t>::max() : raw % (cache.length() + 2);
  }

  /// True if an operation was done. One that was refused must have changed nothing.
  static bool settled(const Status& status, const KeyCache& cache, const std::string& before) {
    if (status.ok()) return true;
    fuzz::require_words(status);
    require(cache.explain() == before, "an operation that is refused changes nothing", status.message());
    return false;
  }

  void operate(Held& held) {
    KeyCache& cache = held.cache;
    const std::string before = cache.explain();
    switch (numbers_.whole(0, 7)) {
      case 0:
      case 1: {
        const Ids fed = ids(numbers_.flag() ? 80 : 6);
        FeedOptions options{.all = numbers_.flag(), .rule_length = {}};
        if (numbers_.flag()) options.rule_length = numbers_.whole(0, 4000);
        std::span<const float> logits;
        if (!settled(cache.try_feed(fed, options, logits), cache, before)) return;
        require(logits.size() == (options.all ? fed.size() : 1) * model_->spec().vocabulary,
                "a feed gives a logit for each word");
        for (const float logit : logits) require(std::isfinite(logit), "logits are finite");
        held.tokens.insert(held.tokens.end(), fed.begin(), fed.end());
        return;
      }
      case 2: {
        const std::size_t length = position(cache);
        if (settled(cache.try_trim(length), cache, before)) held.tokens.resize(length);
        return;
      }
      case 3: {
        const std::size_t from = position(cache), to = position(cache);
        if (!settled(cache.try_drop(from, to, {.rotate = numbers_.whole(0, 7) != 0}), cache, before)) return;
        held.tokens.erase(held.tokens.begin() + static_cast<std::ptrdiff_t>(from),
                          held.tokens.begin() + static_cast<std::ptrdiff_t>(to));
        return;
      }
      case 4:
        return append(held, before);
      case 5:
        settled(cache.try_rescale(rules[numbers_.whole(0, std::size(rules) - 1)]), cache, before);
        return;
      case 6:
        return save(held);
      default:
        if (held_.size() == most_caches) {
          held_.erase(held_.begin());
          return;
        }
        Result<KeyCache> copy = cache.try_fork();
        require(copy.ok(), "a cache can be forked", copy.status().message());
        Ids tokens = held.tokens;
        held_.push_back({std::move(copy).value(), std::move(tokens)});
    }
  }

  void append(Held& held, const std::string& before) {
    const Ids text = ids(70);
    const Result<Chunk> chunk = model_->try_chunk(text, options_);
    if (!chunk.ok()) return fuzz::require_words(chunk.status());
    const std::size_t from = numbers_.whole(0, 71), to = numbers_.whole(0, 71);
    if (!settled(held.cache.try_append(chunk.value(), from, to), held.cache, before)) return;
    held.tokens.insert(held.tokens.end(), text.begin() + static_cast<std::ptrdiff_t>(from),
                       text.begin() + static_cast<std::ptrdiff_t>(to));
  }

  void save(Held& held) {
    Result<std::vector<std::byte>> saved = held.cache.try_save();
    require(saved.ok(), "a cache can be saved", saved.status().message());
    std::vector<std::byte> bytes = std::move(saved).value();
    Result<KeyCache> restored = model_->try_restore(bytes);
    require(restored.ok(), "a saved cache can be restored", restored.status().message());
    require(holds(restored.value(), held.tokens), "a restored cache holds its tokens");
    same_next(held.cache, restored.value());
    for (std::size_t change = numbers_.whole(0, 3); change > 0 && !bytes.empty(); --change)
      bytes[numbers_.raw<std::uint32_t>() % bytes.size()] ^=
          static_cast<std::byte>(1 + numbers_.whole(0, 254));
    if (numbers_.flag()) bytes.resize(numbers_.raw<std::uint32_t>() % (bytes.size() + 1));
    // Its numbers may be anything, infinities included.
    Result<KeyCache> damaged = model_->try_restore(bytes);
    if (!damaged.ok()) return fuzz::require_words(damaged.status());
    std::span<const float> logits;
    const Ids one = {1};
    if (Status status = damaged.value().try_feed(one, {}, logits); !status.ok()) fuzz::require_words(status);
  }

  /// Both caches predict the same after one more token, which neither keeps.
  void same_next(KeyCache& a, KeyCache& b) {
    if (a.length() == context) return;
    const Ids one = {1};
    std::span<const float> logits;
    Result<KeyCache> fork = a.try_fork();
    require(fork.ok(), "a cache can be forked", fork.status().message());
    if (!fork.value().try_feed(one, {}, logits).ok()) return;
    const std::vector<float> expected(logits.begin(), logits.end());
    require(b.try_feed(one, {}, logits).ok(), "a restored cache can be fed");
    require(std::vector<float>(logits.begin(), logits.end()) == expected,
            "a restored cache predicts what the saved one does");
  }

  void look_at(KeyCache& cache) {
    require(!cache.explain().empty(), "a cache explains itself");
    for (std::size_t layer = 0; layer < model_->spec().layers.size(); ++layer) {
      std::vector<float> keys(cache.key_elements(layer));
      require(cache.try_keys(layer, keys).ok(), "keys can be read");
      for (const float key : keys) require(std::isfinite(key), "keys are finite");
    }
    Result<Sampler> sampler = Sampler::make({.temperature = 1, .top_k = 5, .repetition_penalty = 1.3});
    require(sampler.ok(), "a sampler can be made", sampler.status().message());
    Sample sample;
    if (const Status status = cache.try_sample(sampler.value(), sample); !status.ok())
      fuzz::require_words(status);
  }

  fuzz::Numbers numbers_;
  const Decoder* model_ = nullptr;
  CacheOptions options_;
  std::vector<Held> held_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Machine(data, size).run();
  return 0;
}
