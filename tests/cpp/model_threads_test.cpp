// A model computes by what it was opened with: several threads give the bits of one, and an architecture that is chosen
// later changes nothing.

#include <gtest/gtest.h>

#include <vector>

#include "each_architecture.hpp"
#include "made_up_model.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/threads.hpp"

namespace ropewalk {
namespace model_threads_test {

constexpr std::size_t count = 3;

/// Does the last part first, each with another thread's memory, and counts the jobs.
class Backwards final : public Threads {
 public:
  Backwards() : Threads(model_threads_test::count) {}
  void run(Part part, const void* job, std::size_t parts) override {
    ++jobs;
    for (std::size_t index = parts; index-- > 0;) part(job, index, index % count());
  }
  bool reserve(std::size_t bytes) override {
    for (Buffer<float>& each : memory_) {
      if (!each.reserve(bytes / sizeof(float) + 1, "test").ok()) return false;
    }
    return true;
  }
  void* scratch(std::size_t thread) override { return memory_[thread].data(); }

  std::size_t jobs = 0;

 private:
  Buffer<float> memory_[model_threads_test::count];
};

std::vector<std::int32_t> ids_of(std::size_t tokens) {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < tokens; ++i) ids.push_back(static_cast<std::int32_t>(7 * i % 31));
  return ids;
}

struct EncoderCase {
  nlohmann::json config = made_up::config(
      R"({"hidden_size": 128, "num_attention_heads": 4, "intermediate_size": 384, "rotary_value": true})");
  std::vector<std::byte> weights = made_up::file(made_up::tensors(config, {"masked_lm"}));

  Encoder open(Precision precision, Threads* threads = nullptr) const {
    return Encoder(config.dump(), weights, precision, threads);
  }
  static std::vector<float> run(Encoder encoder) { return run_again(encoder); }
  static std::vector<float> run_again(Encoder& encoder) {
    const std::vector<std::int32_t> ids = ids_of(2 * 48);
    const EncoderOutput output = encoder.forward({.input_ids = ids, .batch = 2, .sequence = 48});
    std::vector<float> all(output.last_hidden_state.begin(), output.last_hidden_state.end());
    all.insert(all.end(), output.logits.begin(), output.logits.end());
    return all;
  }
};

struct DecoderCase {
  nlohmann::json config = {{"model_type", "llama"},      {"vocab_size", 31},
                           {"hidden_size", 128},         {"num_hidden_layers", 2},
                           {"num_attention_heads", 4},   {"num_key_value_heads", 2},
                           {"intermediate_size", 384},   {"max_position_embeddings", 128},
                           {"rms_norm_eps", 1e-5},       {"rope_theta", 10000.0},
                           {"tie_word_embeddings", true}};
  std::vector<std::byte> weights = made_up::file(made_up::tensors(config, {"causal_lm"}));

  Decoder open(Precision precision, Threads* threads = nullptr) const {
    return Decoder(config.dump(), weights, {.precision = precision, .threads = threads});
  }
  static std::vector<float> run(const Decoder& decoder) {
    const std::vector<std::int32_t> ids = ids_of(100);
    KeyCache cache = decoder.cache();
    const std::span<const float> many = cache.feed(std::span(ids).first(99), {.all = true});
    std::vector<float> all(many.begin(), many.end());
    cache.drop(10, 20);
    const std::span<const float> one = cache.feed(std::span(ids).last(1));
    all.insert(all.end(), one.begin(), one.end());
    return all;
  }
};

class ModelsOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(ModelsOn);

template <class Case>
void expect_same_on_threads(const Case& model, Precision precision) {
  const std::vector<float> expected = model.run(model.open(precision));
  Backwards backwards;
  EXPECT_EQ(model.run(model.open(precision, &backwards)), expected);
#if !defined(__EMSCRIPTEN__)  // where threads are the module's
  EXPECT_GT(backwards.jobs, 0U) << "nothing was divided";
#endif
  ThreadPool pool(count);
  EXPECT_EQ(model.run(model.open(precision, &pool)), expected);
}

TEST_P(ModelsOn, HaveTheSameBitsWithSeveralThreads) {
  const EncoderCase encoder;
  const DecoderCase decoder;
  for (const Precision precision : {Precision::float32, Precision::int8}) {
    expect_same_on_threads(encoder, precision);
    expect_same_on_threads(decoder, precision);
  }
}

TEST_P(ModelsOn, KeepTheArchitectureThatTheyWereOpenedWith) {
  const EncoderCase encoder;
  const DecoderCase decoder;
  Encoder encodes = encoder.open(Precision::float32);
  const Decoder decodes = decoder.open(Precision::float32);
  const std::vector<float> hidden = encoder.run_again(encodes), logits = decoder.run(decodes);
  const std::string before(architecture());
  for (const std::string_view other : architectures()) {
    use_architecture(other);
    EXPECT_EQ(encoder.run_again(encodes), hidden) << other;
    EXPECT_EQ(decoder.run(decodes), logits) << other;
  }
  use_architecture(before);
}

TEST(Models, TakeAnotherNumberOfThreadsBetweenCalls) {
  const EncoderCase encoder;
  ThreadPool pool(1);
  Encoder model = encoder.open(Precision::float32, &pool);
  const std::vector<float> expected = encoder.run_again(model);
  for (const std::size_t threads : {4U, 2U, 1U, 3U}) {
    pool.resize(threads);
    EXPECT_EQ(encoder.run_again(model), expected) << threads;
  }
}

}  // namespace model_threads_test
}  // namespace ropewalk
