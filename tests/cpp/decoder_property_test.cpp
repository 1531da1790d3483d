// Random operations on a cache against a naive Llama in float64, which keeps unrotated keys and rotates all of
// them anew whenever it reads them; and what many moves do to a key.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "checkpoint.hpp"
#include "decoder_files.hpp"
#include "each_architecture.hpp"
#include "golden.hpp"
#include "ropewalk/decoder.hpp"

namespace decoder_property_test {

using namespace ropewalk;
using Ids = std::vector<std::int32_t>;
using Vector = std::vector<double>;

/// tests/golden/decoders/llama: 3 layers, 4 heads on 2 key heads of 8, tied.
class Naive {
 public:
  static constexpr std::size_t hidden = 32, heads = 4, groups = 2, dim = 8, wide = 48, layers = 3,
                               vocabulary = 61;
  struct Token {
    std::int32_t id;
    Vector keys[layers], values[layers];  // unrotated
    /// By how many positions its keys are rotated too far, after drops that do not rotate.
    double too_far = 0;
  };
  using Cache = std::vector<Token>;

  /// The parts that do not rotate.
  std::vector<RotationPart> still;

  explicit Naive(std::vector<RotationPart> parts = {}) : still(std::move(parts)) {
    const std::vector<std::byte> file = checkpoint::bytes("decoders/llama/model.safetensors");
    const Safetensors tensors = open_safetensors(file);
    for (const SafetensorsTensor& tensor : tensors.tensors()) {
      std::vector<float> values(tensor.elements);
      read_float32(tensor, values);
      weights_[tensor.name] = {values.begin(), values.end()};
    }
  }

  Vector feed(Cache& cache, const Ids& ids) const {
    Vector logits;
    for (const std::int32_t id : ids) logits = feed(cache, id);
    return logits;
  }

  Vector feed(Cache& cache, std::int32_t id) const {
    cache.push_back({id, {}, {}, 0});
    const std::size_t at = cache.size() - 1;
    const Vector& words = weights_.at("model.embed_tokens.weight");
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(id) * hidden;
    Vector x(begin, begin + hidden);
    for (std::size_t l = 0; l < layers; ++l) {
      const std::string name = "model.layers." + std::to_string(l) + ".";
      const Vector normed = norm(x, name + "input_layernorm");
      Vector q = product(normed, name + "self_attn.q_proj");
      cache[at].keys[l] = product(normed, name + "self_attn.k_proj");
      cache[at].values[l] = product(normed, name + "self_attn.v_proj");
      rotate(q, static_cast<double>(at), l);
      Vector context(heads * dim);
      std::vector<Vector> keys;
      for (std::size_t j = 0; j <= at; ++j) {
        keys.push_back(cache[j].keys[l]);
        rotate(keys.back(), static_cast<double>(j) + cache[j].too_far, l);
      }
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t g = h * groups / heads;
        Vector scores;
        for (std::size_t j = 0; j <= at; ++j) {
          double score = 0;
          for (std::size_t d = 0; d < dim; ++d) score += q[h * dim + d] * keys[j][g * dim + d];
          scores.push_back(score / std::sqrt(static_cast<double>(dim)));
        }
        const double most = *std::ranges::max_element(scores);
        double sum = 0;
        for (double& each : scores) sum += each = std::exp(each - most);
        for (std::size_t j = 0; j <= at; ++j) {
          for (std::size_t d = 0; d < dim; ++d)
            context[h * dim + d] += scores[j] / sum * cache[j].values[l][g * dim + d];
        }
      }
      add(x, product(context, name + "self_attn.o_proj"));
      const Vector second = norm(x, name + "post_attention_layernorm");
      Vector gate = product(second, name + "mlp.gate_proj");
      const Vector up = product(second, name + "mlp.up_proj");
      for (std::size_t i = 0; i < wide; ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
      add(x, product(gate, name + "mlp.down_proj"));
    }
    return product(norm(x, "model.norm"), "model.embed_tokens");
  }

  Vector keys(const Cache& cache, std::size_t layer) const {
    Vector all;
    for (std::size_t j = 0; j < cache.size(); ++j) {
      Vector key = cache[j].keys[layer];
      rotate(key, static_cast<double>(j) + cache[j].too_far, layer);
      all.insert(all.end(), key.begin(), key.end());
    }
    return all;
  }

  /// Channels j and j + dim / 2 are a pair, theta_j = 100000^(-2j/dim). x has the heads of queries or those of keys.
  void rotate(Vector& x, double position, std::size_t layer) const {
    for (std::size_t h = 0; h < x.size(); h += dim) {
      const std::size_t group = h / dim * groups / (x.size() / dim);
      for (std::size_t j = 0; j < dim / 2; ++j) {
        const bool stands = std::ranges::any_of(still, [&](const RotationPart& part) {
          return part.layer.value_or(layer) == layer && part.key_head.value_or(group) == group &&
                 part.pair.value_or(j) == j;
        });
        if (stands) continue;
        const double angle = position * std::pow(100000.0, -2.0 * static_cast<double>(j) / dim);
        const double a = x[h + j], b = x[h + j + dim / 2];
        x[h + j] = a * std::cos(angle) - b * std::sin(angle);
        x[h + j + dim / 2] = a * std::sin(angle) + b * std::cos(angle);
      }
    }
  }

 private:
  Vector norm(const Vector& x, const std::string& name) const {
    double squares = 0;
    for (const double each : x) squares += each * each;
    const double factor = 1 / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
    Vector y = x;
    const Vector& gain = weights_.at(name + ".weight");
    for (std::size_t i = 0; i < y.size(); ++i) y[i] *= factor * gain[i];
    return y;
  }
  Vector product(const Vector& x, const std::string& name) const {
    const Vector& weight = weights_.at(name + ".weight");
    Vector y(weight.size() / x.size());
    for (std::size_t n = 0; n < y.size(); ++n) {
      for (std::size_t k = 0; k < x.size(); ++k) y[n] += weight[n * x.size() + k] * x[k];
    }
    return y;
  }
  static void add(Vector& x, const Vector& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }

  std::map<std::string, Vector> weights_;
};

double distance(std::span<const float> actual, const Vector& expected) {
  EXPECT_EQ(actual.size(), expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
    const double difference = std::fabs(double{actual[i]} - expected[i]);
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

Decoder llama(std::size_t context) {
  return Decoder(checkpoint::text("decoders/llama/config.json"), decoder_files::weights("llama"),
                 {.context = context});
}

class CacheProperties : public EachArchitecture {};
ON_EACH_ARCHITECTURE(CacheProperties);

/// Random feeds, trims, drops, appended chunks and forks of caches, each beside its copy in the naive model.
void compare(const std::vector<RotationPart>& parts) {
  const Naive naive(parts);
  const Decoder model = llama(300);
  for (const StoredKeys stored : {StoredKeys::rotated, StoredKeys::raw}) {
    const CacheOptions options{.keys = stored, .without_rotation = parts};
    Random random(stored == StoredKeys::raw ? 5 : 3);
    std::vector<std::pair<KeyCache, Naive::Cache>> both;
    both.emplace_back(model.cache(options), Naive::Cache());
    const auto ids = [&](std::size_t most) {
      Ids made(1 + random.below(most));
      for (std::int32_t& id : made) id = static_cast<std::int32_t>(random.below(Naive::vocabulary));
      return made;
    };
    for (std::size_t step = 0; step < 150; ++step) {
      auto& [cache, expected] = both[random.below(both.size())];
      const std::size_t length = cache.length();
      ASSERT_EQ(length, expected.size());
      switch (random.below(6)) {
        case 0:
        case 1: {
          const Ids fed = ids(random.chance(0.1) ? 80 : 12);
          if (length + fed.size() > 300) break;
          ASSERT_LE(distance(cache.feed(fed), naive.feed(expected, fed)), 2e-5) << step;
          break;
        }
        case 2: {
          const std::size_t kept =
              random.chance(0.7) ? length - random.below(length / 4 + 1) : random.below(length + 1);
          cache.trim(kept);
          expected.resize(kept);
          break;
        }
        case 3: {
          std::size_t from = random.below(length + 1), to = from + random.below(length - from + 1);
          if (random.chance(0.3) && from + 64 <= length) to = from + 64;
          const bool rotate = stored == StoredKeys::raw || random.chance(0.8);
          cache.drop(from, to, {.rotate = rotate});
          for (std::size_t at = to; at < length && !rotate; ++at)
            expected[at].too_far += static_cast<double>(to - from);
          expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(from),
                         expected.begin() + static_cast<std::ptrdiff_t>(to));
          break;
        }
        case 4: {
          const Ids text = ids(random.chance(0.2) ? 130 : 20);
          const std::size_t from = random.below(text.size()),
                            to = from + random.below(text.size() - from + 1);
          if (length + (to - from) > 300) break;
          cache.append(model.chunk(text, options), from, to);
          Naive::Cache chunk;
          naive.feed(chunk, text);
          expected.insert(expected.end(), chunk.begin() + static_cast<std::ptrdiff_t>(from),
                          chunk.begin() + static_cast<std::ptrdiff_t>(to));
          break;
        }
        default:
          if (both.size() < 4) {
            both.emplace_back(cache.fork(), expected);
          } else {
            both.erase(both.begin());
          }
      }
    }
    for (auto& [cache, expected] : both) {
      for (std::size_t l = 0; l < Naive::layers; ++l)
        EXPECT_LE(distance(cache.keys(l), naive.keys(expected, l)), 1e-5);
      std::size_t at = 0;
      for (const std::int32_t id : cache.tokens()) EXPECT_EQ(id, expected[at++].id);
    }
  }
}

TEST_P(CacheProperties, RandomOperationsEqualANaiveModel) { compare({}); }

TEST_P(CacheProperties, RandomOperationsWithoutPartsOfTheRotationEqualANaiveModel) {
  compare({{.layer = 1, .key_head = 0}, {.key_head = 1, .pair = 1}, {.layer = 2, .pair = 0}});
}

TEST_P(CacheProperties, AThousandDropsCostAKeyNothing) {
  const Naive naive;
  const Decoder model = llama(200);
  KeyCache cache = model.cache();
  Naive::Cache expected;
  Random random(11);
  Ids ids(150);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.below(Naive::vocabulary));
  cache.feed(ids);
  // Checks layer 0 alone, whose keys do not depend on dropped tokens.
  const auto check = [&] {
    const std::vector<float> keys = cache.keys(0);
    double worst = 0;
    for (std::size_t t = 0; t < cache.length(); ++t) {
      Naive::Cache alone;
      naive.feed(alone, cache.tokens()[t]);
      Vector key = alone[0].keys[0];
      naive.rotate(key, static_cast<double>(t), 0);
      for (std::size_t h = 0; h < Naive::groups; ++h) {
        for (std::size_t j = 0; j < Naive::dim / 2; ++j) {
          const std::size_t a = h * Naive::dim + j, b = a + Naive::dim / 2, row = t * key.size();
          const double length = std::hypot(key[a], key[b]);
          worst = std::max(worst, std::hypot(keys[row + a] - key[a], keys[row + b] - key[b]) / length);
        }
      }
    }
    return worst;
  };
  const double before = check();
  for (std::size_t step = 0; step < 1000; ++step) {
    const std::size_t count = 1 + random.below(3);
    cache.drop(4, 4 + count);
    Ids more(count);
    for (std::int32_t& id : more) id = static_cast<std::int32_t>(random.below(Naive::vocabulary));
    cache.feed(more);
  }
  EXPECT_NE(cache.explain().find("in 2 runs"), std::string::npos) << cache.explain();
  // The raw key itself is a float32 product, whose own error is not the rotation's.
  EXPECT_LE(check(), before + 3e-7);
}

/// `keys` on a key that was rotated at `start` and stands at `end` now, with a float32 rope.
TEST_P(CacheProperties, TheTotalShiftKeepsAKeyWithinItsBound) {
  std::size_t checked = 0;
  const nlohmann::json file = golden::read("decoders/shifts.json");
  for (const auto& each : file["cases"]) {
    ++checked;
    SCOPED_TRACE(each["name"].get<std::string>());
    const std::size_t dim = each["head_dim"], rotary = each["rotary_dim"];
    const Rope rope({.head_dim = dim,
                     .rotary_dim = rotary,
                     .pairing = Pairing::half,
                     .frequencies = frequencies::Default{each["base"]}});
    std::vector<float> x = each["raw"];
    const double start = each["start"], end = each["end"];
    double position = start;
    for (const double move : each["moves"]) position += move;
    ASSERT_EQ(position, end);
    const Vector expected = each["key"];
    const Placement placement{.sequence = 1, .heads = x.size() / dim, .positions = start};
    rope.rotate(x, x, placement, Role::key);
    rope.rerotate(x, x, placement, {.positions = end});
    double worst = 0;
    for (std::size_t h = 0; h < x.size(); h += dim) {
      for (std::size_t j = 0; j < rotary / 2; ++j) {
        const std::size_t a = h + j, b = a + rotary / 2;
        worst = std::max(
            worst, std::hypot(x[a] - expected[a], x[b] - expected[b]) / std::hypot(expected[a], expected[b]));
      }
    }
    EXPECT_LE(worst, 3e-7);
    std::printf("  %s %s: %.1e of the pair's length\n", GetParam().c_str(),
                each["name"].get<std::string>().c_str(), worst);
  }
  EXPECT_EQ(checked, 5u);
}

}  // namespace decoder_property_test
