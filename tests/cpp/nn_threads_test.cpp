// Products and attention in parts have the bits of one thread, whoever does which part, and in whichever order.

#include "nn/threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "arch/same_bits.hpp"
#include "each_architecture.hpp"
#include "nn/attention.hpp"
#include "nn/cached_attention.hpp"
#include "nn/gated.hpp"
#include "nn/head_norm.hpp"
#include "nn/linear.hpp"
#include "nn/norm.hpp"
#include "nn/pool.hpp"
#include "nn_support.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace nn_threads_test {

constexpr std::size_t count = 3;
std::array<Buffer<float>, count> memory;
/// Jobs that were divided.
std::size_t jobs = 0;

/// The last part first.
class Backwards : public nn::Threads {
 public:
  Backwards() : Threads(nn_threads_test::count) {}
  void run(nn::Part part, const void* job, std::size_t parts) override {
    ++jobs;
    for (std::size_t index = parts; index-- > 0;) part(job, index, index % count());
  }
  bool reserve(std::size_t bytes) override {
    for (Buffer<float>& each : memory) {
      if (!each.reserve(bytes / sizeof(float) + 1, "test").ok()) return false;
    }
    return true;
  }
  void* scratch(std::size_t thread) override { return memory[thread].data(); }
} backwards;

#if !defined(__EMSCRIPTEN__)
/// All at the same time.
class AtOnce final : public Backwards {
 public:
  void run(nn::Part part, const void* job, std::size_t parts) override {
    ++jobs;
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < count(); ++thread) {
      threads.emplace_back([=, this] {
        // The table of kernels of this test is that of every thread.
        for (std::size_t index = thread; index < parts; index += count()) part(job, index, thread);
      });
    }
    for (std::thread& each : threads) each.join();
  }
} at_once;
#endif

/// Calls compute() with one thread and with several, and expects the same bits.
template <class Compute>
void expect_same(const char* what, Compute compute) {
  const std::vector<float> expected = compute();
  std::vector<nn::Threads*> all = {&backwards};
#if !defined(__EMSCRIPTEN__)
  all.push_back(&at_once);
#endif
  for (nn::Threads* threads : all) {
    const std::size_t before = jobs;
    nn::lend_threads(threads);
    const std::vector<float> found = compute();
    nn::lend_threads(nullptr);
    EXPECT_EQ(found, expected) << what;
    EXPECT_GT(jobs, before) << what << " was not divided";
  }
#if !defined(__EMSCRIPTEN__)
  static nn::Pool pool(count);
  const nn::Lent lent(&pool);
  EXPECT_EQ(compute(), expected) << what << " by a pool";
#endif
}

class ThreadsOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(ThreadsOn);

TEST_P(ThreadsOn, ProductsHaveTheSameBits) {
  for (const auto& [m, k, n] : {std::array<std::size_t, 3>{1, 700, 403}, {7, 330, 257}, {101, 96, 130}}) {
    TestData sample(m);
    const auto x = sample.floats(m * k), w = sample.floats(n * k), b = sample.floats(n);
    for (const nn::WeightForm form :
         {nn::WeightForm::float32, nn::WeightForm::int8_rows, nn::WeightForm::int8_blocks}) {
      nn::PackedWeight packed;
      ASSERT_TRUE(packed.reserve(n, k, form).ok());
      packed.set_rows(0, n, w.data());
      for (const float* bias : {b.data(), static_cast<const float*>(nullptr)}) {
        expect_same("a product", [&, m = m, n = n] {
          std::vector<float> y(m * n);
          nn::linear_forward(y.data(), x.data(), packed, bias, m);
          return y;
        });
      }
    }
  }
}

#if !defined(__EMSCRIPTEN__)
/// A model in 8 bits rounds twice in every thread, whatever architecture is in use.
TEST_P(ThreadsOn, APoolRoundsAsItsModelDoes) {
  const std::size_t m = 211, n = 330;
  TestData sample(12);
  const auto x = sample.floats(m * n), gamma = sample.floats(n), beta = sample.floats(n);
  const nn::Norm norm{NormKind::layer, gamma.data(), beta.data(), 1e-6F};
  const auto compute = [&] {
    const arch::SameBits scope(true);
    std::vector<float> all(m * n + 2 * m);
    nn::norm_forward(all.data(), all.data() + m * n, all.data() + m * n + m, x.data(), norm, m, n);
    return all;
  };
  const std::vector<float> expected = compute();
  nn::Pool pool(4);
  for (int i = 0; i < 50; ++i) {
    const nn::Lent lent(&pool);
    EXPECT_EQ(compute(), expected);
  }
}

TEST(Threads, PoolsOfTwoThreadsDoNotMeet) {
  TestData sample(13);
  const std::size_t m = 64, k = 128, n = 256;
  const auto x = sample.floats(m * k), w = sample.floats(n * k);
  nn::PackedWeight packed;
  ASSERT_TRUE(packed.pack(w.data(), n, k).ok());
  const auto compute = [&](nn::Pool* pool) {
    const nn::Lent lent(pool);
    std::vector<float> y(m * n);
    nn::linear_forward(y.data(), x.data(), packed, nullptr, m);
    return y;
  };
  const std::vector<float> expected = compute(nullptr);
  std::vector<std::thread> callers;
  std::array<bool, 3> same{};
  for (bool& each : same) {
    callers.emplace_back([&] {
      nn::Pool pool(2);
      each = true;
      for (int i = 0; i < 100; ++i) each = each && compute(&pool) == expected;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(same, (std::array<bool, 3>{true, true, true}));
}
#endif

TEST_P(ThreadsOn, NormsHaveTheSameBits) {
  const std::size_t m = 211, n = 330;
  TestData sample(11);
  const auto x = sample.floats(m * n), residual = sample.floats(m * n), gamma = sample.floats(n),
             beta = sample.floats(n);
  for (const NormKind kind : {NormKind::layer, NormKind::rms, NormKind::rms_plus_one}) {
    const nn::Norm norm{kind, gamma.data(), beta.data(), 1e-6F};
    expect_same("a norm of a sum", [&] {
      std::vector<float> all(2 * m * n + 2 * m);
      float *const y = all.data(), *const sum = y + m * n, *const mean = sum + m * n;
      nn::add_norm_forward(y, sum, mean, mean + m, x.data(), residual.data(), norm, m, n);
      return all;
    });
    expect_same("a norm in place", [&] {
      std::vector<float> y = x;
      nn::norm_forward(y.data(), nullptr, nullptr, y.data(), norm, m, n);
      return y;
    });
  }
}

TEST_P(ThreadsOn, NormsOfHeadsHaveTheSameBits) {
  const std::size_t tokens = 93, heads = 5, head_dim = 96, token = 7 * 96;
  TestData sample(12);
  const auto x = sample.floats(tokens * token), gamma = sample.floats(head_dim);
  const nn::Norm norm{NormKind::rms, gamma.data(), nullptr, 1e-6F};
  for (const std::size_t stride : {token, heads * head_dim}) {
    const nn::HeadStrides strides{.token = stride, .head = head_dim};
    expect_same("a norm of heads", [&] {
      std::vector<float> y = x, rstd(tokens * heads);
      nn::head_norm_forward(y.data(), nullptr, rstd.data(), y.data(), norm,
                            {tokens, heads, head_dim, strides, strides});
      y.insert(y.end(), rstd.begin(), rstd.end());
      return y;
    });
  }
}

TEST_P(ThreadsOn, ActivationsHaveTheSameBits) {
  TestData sample(13);
  const auto x = sample.floats(54321);
  for (const nn::Activation activation :
       {nn::Activation::gelu, nn::Activation::gelu_tanh, nn::Activation::silu}) {
    expect_same("an activation", [&] {
      std::vector<float> y = x;
      nn::activation_forward(activation, y.data(), y.data(), y.size());
      return y;
    });
  }
}

TEST_P(ThreadsOn, GatesHaveTheSameBits) {
  // In place each row of the result is written over rows of the product that have been read before.
  for (const std::size_t m : {1U, 3U, 100U, 257U}) {
    const std::size_t f = m < 100 ? 20000 : 501;
    TestData sample(m);
    const auto product = sample.floats(m * 2 * f);
    std::vector<float> apart(m * f);
    nn::gated_forward(nn::Activation::silu, apart.data(), product.data() + f, product.data(), 2 * f, m, f);
    const auto in_place = [&] {
      std::vector<float> all = product;
      nn::gated_forward(nn::Activation::silu, all.data(), all.data() + f, all.data(), 2 * f, m, f);
      all.resize(m * f);
      return all;
    };
    EXPECT_EQ(in_place(), apart);
    if (m > 1) expect_same("a gate in place", in_place);
  }
}

TEST_P(ThreadsOn, AttentionHasTheSameBits) {
  nn::AttentionShape shape{2, 90, 6, 32, 0.4F};
  for (const std::size_t key_heads : {6U, 2U}) {
    for (const std::size_t window : {nn::no_window, std::size_t{20}}) {
      shape.key_heads = key_heads;
      shape.window = window;
      TestData sample(key_heads);
      const auto q = sample.floats(2 * 90 * 6 * 32), k = sample.floats(2 * 90 * key_heads * 32),
                 v = sample.floats(2 * 90 * key_heads * 32);
      for (const bool with_probs : {false, true}) {
        expect_same("attention", [&] {
          std::vector<float> context(q.size()), probs(with_probs ? 2 * 6 * 90 * 90 : 0);
          auto own = nn_support::scratch(nn::attention_forward_scratch(shape, with_probs));
          nn::attention_forward(context.data(), with_probs ? probs.data() : nullptr, q.data(), k.data(),
                                v.data(), shape, {}, own.data());
          context.insert(context.end(), probs.begin(), probs.end());
          return context;
        });
      }
    }
  }
}

TEST_P(ThreadsOn, CachedAttentionHasTheSameBits) {
  const nn::CacheShape cache{2, 32};
  const std::size_t tokens = 1500, heads = 6;
  TestData sample(3);
  std::vector<nn::CacheBlock> held((tokens + nn::cache_block - 1) / nn::cache_block);
  std::vector<const nn::CacheBlock*> blocks;
  for (nn::CacheBlock& block : held) {
    ASSERT_TRUE(block.allocate(cache, "test").ok());
    const auto k = sample.floats(nn::cache_block * 64), v = sample.floats(nn::cache_block * 64);
    block.write(cache, 0, nn::cache_block, k.data(), {}, v.data(), {});
    blocks.push_back(&block);
  }
  for (const std::size_t queries : {std::size_t{2}, std::size_t{70}}) {
    const auto q = sample.floats(queries * heads * 32);
    const nn::CachedAttentionShape shape{
        .queries = queries, .heads = heads, .cache = cache, .scale = 0.4F, .tokens = tokens};
    expect_same("attention to a cache", [&] {
      std::vector<float> context(q.size());
      auto own = nn_support::scratch(nn::cached_attention_scratch(shape));
      const nn::CacheRun run{tokens, q.data()};
      nn::cached_attention(context.data(), {&run, 1}, blocks, shape, own.data());
      return context;
    });
  }
}

TEST(Threads, SmallJobsAreNotDivided) {
  nn::lend_threads(&backwards);
  EXPECT_EQ(nn::threads_for(1000), nullptr);
  EXPECT_EQ(nn::threads_for(std::uint64_t{1} << 40), &backwards);
  nn::lend_threads(nullptr);
  EXPECT_EQ(nn::threads_for(std::uint64_t{1} << 40), nullptr);
}

TEST(Threads, PartsAreAsManyForEachThread) {
  EXPECT_EQ(nn::parts_of(100, 2), 8U);
  EXPECT_EQ(nn::parts_of(100, 2, 20), 4U);
  EXPECT_EQ(nn::parts_of(100, 2, 60), 2U);
  EXPECT_EQ(nn::parts_of(7, 2), 6U);
  EXPECT_EQ(nn::parts_of(1, 2), 1U);
}

TEST(Threads, EveryStepIsInOnePart) {
  for (const std::size_t steps : {1U, 7U, 8U, 9U, 100U}) {
    const std::size_t parts = nn::parts_of(steps, count);
    EXPECT_EQ(nn::first_step(steps, 0, parts), 0U);
    EXPECT_EQ(nn::first_step(steps, parts, parts), steps);
    for (std::size_t part = 0; part < parts; ++part)
      EXPECT_LT(nn::first_step(steps, part, parts), nn::first_step(steps, part + 1, parts));
  }
}

TEST(Pool, DoesEveryItemOnce) {
  for (const std::size_t threads : {1u, 2u, 5u}) {
    nn::Pool pool(threads);
    for (const std::size_t items : {0u, 1u, 3u, 100u}) {
      std::vector<int> times(items, 0);
      for (int round = 0; round < 20; ++round)
        nn::in_parts(pool, items, [&](std::size_t i, std::size_t) { ++times[i]; });
      EXPECT_EQ(times, std::vector<int>(items, 20));
    }
  }
}

}  // namespace nn_threads_test
}  // namespace ropewalk
