// Products and attention in parts have the bits of one thread, whoever does which part, and in whichever order.

#include "nn/threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "each_architecture.hpp"
#include "nn/attention.hpp"
#include "nn/cached_attention.hpp"
#include "nn/gated.hpp"
#include "nn/head_norm.hpp"
#include "nn/linear.hpp"
#include "nn/norm.hpp"
#include "nn_support.hpp"
#include "ropewalk/encoder.hpp"
#include "test_data.hpp"

namespace ropewalk {

#if defined(__EMSCRIPTEN__)
Threads* nn::module_threads() { return nn_support::threads_of_module; }
#endif

namespace nn_threads_test {

constexpr std::size_t count = 3;
std::array<Buffer<float>, count> memory;
/// Jobs that were divided.
std::size_t jobs = 0;

/// The last part first.
class Backwards : public Threads {
 public:
  Backwards() : Threads(nn_threads_test::count) {}
  void run(Part part, const void* job, std::size_t parts) override {
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
  void run(Part part, const void* job, std::size_t parts) override {
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

/// Calls run(compute) with one thread and with several, and expects the same bits.
template <class Run>
void expect_same(const char* what, Run run) {
  const std::vector<float> expected = run(nn_support::compute());
  std::vector<Threads*> all = {&backwards};
#if !defined(__EMSCRIPTEN__)
  all.push_back(&at_once);
#endif
  for (Threads* threads : all) {
    const std::size_t before = jobs;
    EXPECT_EQ(run(nn_support::compute(threads)), expected) << what;
    EXPECT_GT(jobs, before) << what << " was not divided";
  }
#if !defined(__EMSCRIPTEN__)
  static ThreadPool pool(count);
  EXPECT_EQ(run(nn_support::compute(&pool)), expected) << what << " by a pool";
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
      ASSERT_TRUE(packed.reserve(nn_support::compute(), n, k, form).ok());
      packed.set_rows(0, n, w.data());
      for (const float* bias : {b.data(), static_cast<const float*>(nullptr)}) {
        expect_same("a product", [&, m = m, n = n](nn::Compute compute) {
          std::vector<float> y(m * n);
          nn::linear_forward(compute, y.data(), x.data(), packed, bias, m);
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
  const auto run = [&](Threads* threads) {
    const nn::Compute compute = nn::Compute::in(Precision::int8, threads);
    std::vector<float> all(m * n + 2 * m);
    nn::norm_forward(compute, all.data(), all.data() + m * n, all.data() + m * n + m, x.data(), norm, m, n);
    return all;
  };
  const std::vector<float> expected = run(nullptr);
  ThreadPool pool(4);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(run(&pool), expected);
}

TEST(Threads, PoolsOfTwoThreadsDoNotMeet) {
  TestData sample(13);
  const std::size_t m = 64, k = 128, n = 256;
  const auto x = sample.floats(m * k), w = sample.floats(n * k);
  nn::PackedWeight packed;
  ASSERT_TRUE(packed.pack(nn_support::compute(), w.data(), n, k).ok());
  const auto compute = [&](ThreadPool* pool) {
    std::vector<float> y(m * n);
    nn::linear_forward(nn_support::compute(pool), y.data(), x.data(), packed, nullptr, m);
    return y;
  };
  const std::vector<float> expected = compute(nullptr);
  std::vector<std::thread> callers;
  std::array<bool, 3> same{};
  for (bool& each : same) {
    callers.emplace_back([&] {
      ThreadPool pool(2);
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
    expect_same("a norm of a sum", [&](nn::Compute compute) {
      std::vector<float> all(2 * m * n + 2 * m);
      float *const y = all.data(), *const sum = y + m * n, *const mean = sum + m * n;
      nn::add_norm_forward(compute, y, sum, mean, mean + m, x.data(), residual.data(), norm, m, n);
      return all;
    });
    expect_same("a norm in place", [&](nn::Compute compute) {
      std::vector<float> y = x;
      nn::norm_forward(compute, y.data(), nullptr, nullptr, y.data(), norm, m, n);
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
    expect_same("a norm of heads", [&](nn::Compute compute) {
      std::vector<float> y = x, rstd(tokens * heads);
      nn::head_norm_forward(compute, y.data(), nullptr, rstd.data(), y.data(), norm,
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
    expect_same("an activation", [&](nn::Compute compute) {
      std::vector<float> y = x;
      nn::activation_forward(compute, activation, y.data(), y.data(), y.size());
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
    nn::gated_forward(nn_support::compute(), nn::Activation::silu, apart.data(), product.data() + f,
                      product.data(), 2 * f, m, f);
    const auto in_place = [&](nn::Compute compute) {
      std::vector<float> all = product;
      nn::gated_forward(compute, nn::Activation::silu, all.data(), all.data() + f, all.data(), 2 * f, m, f);
      all.resize(m * f);
      return all;
    };
    EXPECT_EQ(in_place(nn_support::compute()), apart);
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
        expect_same("attention", [&](nn::Compute compute) {
          std::vector<float> context(q.size()), probs(with_probs ? 2 * 6 * 90 * 90 : 0);
          auto own = nn_support::scratch(nn::attention_forward_scratch(shape, with_probs));
          nn::attention_forward(compute, context.data(), with_probs ? probs.data() : nullptr, q.data(),
                                k.data(), v.data(), shape, {}, own.data());
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
    block.write(nn_support::compute(), cache, 0, nn::cache_block, k.data(), {}, v.data(), {});
    blocks.push_back(&block);
  }
  for (const std::size_t queries : {std::size_t{2}, std::size_t{70}}) {
    const auto q = sample.floats(queries * heads * 32);
    const nn::CachedAttentionShape shape{
        .queries = queries, .heads = heads, .cache = cache, .scale = 0.4F, .tokens = tokens};
    expect_same("attention to a cache", [&](nn::Compute compute) {
      std::vector<float> context(q.size());
      auto own = nn_support::scratch(nn::cached_attention_scratch(shape));
      const nn::CacheRun run{tokens, q.data()};
      nn::cached_attention(compute, context.data(), {&run, 1}, blocks, shape, own.data());
      return context;
    });
  }
}

TEST(Threads, SmallJobsAreNotDivided) {
  const nn::Compute compute = nn_support::compute(&backwards);
  EXPECT_EQ(nn::threads_for(compute, 1000), nullptr);
  EXPECT_EQ(nn::threads_for(compute, std::uint64_t{1} << 40), &backwards);
  EXPECT_EQ(nn::threads_for(nn_support::compute(), std::uint64_t{1} << 40), nullptr);
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

TEST(ThreadPool, DoesEveryItemOnce) {
  for (const std::size_t threads : {1u, 2u, 5u}) {
    ThreadPool pool(threads);
    for (const std::size_t items : {0u, 1u, 3u, 100u}) {
      std::vector<int> times(items, 0);
      for (int round = 0; round < 20; ++round)
        nn::in_parts(pool, items, [&](std::size_t i, std::size_t) { ++times[i]; });
      EXPECT_EQ(times, std::vector<int>(items, 20));
    }
  }
}

TEST(ThreadPool, HasAnotherNumberOfThreadsAfterResize) {
  ThreadPool pool(1);
  for (const std::size_t threads : {3U, 3U, 1U, 2U}) {
    pool.resize(threads);
#if !defined(__EMSCRIPTEN__)
    EXPECT_EQ(pool.count(), threads);
    ASSERT_TRUE(pool.reserve(100));
    for (std::size_t i = 0; i < threads; ++i) EXPECT_NE(pool.scratch(i), nullptr);
#endif
    std::vector<int> times(100, 0);
    for (int round = 0; round < 20; ++round)
      nn::in_parts(pool, times.size(), [&](std::size_t i, std::size_t thread) {
        if (thread < pool.count()) ++times[i];
      });
    EXPECT_EQ(times, std::vector<int>(100, 20));
  }
}

}  // namespace nn_threads_test
}  // namespace ropewalk
