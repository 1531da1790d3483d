// Attention over cached keys: against its specification, against attention over all tokens at once, and what
// shifts of position cost in accuracy.

#include "nn/cached_attention.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "each_architecture.hpp"
#include "nn_support.hpp"
#include "reference/cached_attention.hpp"
#include "ropewalk/rope.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace nn_cached_attention_test {

using nn::CacheBlock;
using nn::CachedAttentionShape;
using nn::CacheRun;
using nn::CacheShape;
using nn_support::distance;
using nn_support::doubles;

class CachedAttentionOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(CachedAttentionOn);

/// Blocks as a decoder would hold them.
class Cache {
 public:
  explicit Cache(const CacheShape& shape) : shape_(shape) {}

  /// k and v (count,K,D), dense.
  void append(const float* k, const float* v, std::size_t count) {
    const std::size_t row = shape_.key_heads * shape_.head_dim;
    while (count > 0) {
      const std::size_t at = tokens_ % nn::cache_block, take = std::min(count, nn::cache_block - at);
      if (at == 0) {
        blocks_.push_back(std::make_unique<CacheBlock>());
        ASSERT_TRUE(blocks_.back()->allocate(shape_, "test").ok());
      }
      blocks_.back()->write(nn_support::compute(), shape_, at, take, k, {}, v, {});
      tokens_ += take;
      count -= take;
      k += take * row;
      v += take * row;
    }
  }
  std::size_t tokens() const { return tokens_; }
  std::vector<const CacheBlock*> blocks() const {
    std::vector<const CacheBlock*> list;
    for (const auto& each : blocks_) list.push_back(each.get());
    return list;
  }

 private:
  CacheShape shape_;
  std::vector<std::unique_ptr<CacheBlock>> blocks_;
  std::size_t tokens_ = 0;
};

struct Case {
  std::size_t tokens, heads, key_heads, head_dim, window;
  float soft_cap;
};
constexpr Case cases[] = {
    {1, 1, 1, 4, nn::no_window, 0},
    {30, 4, 2, 8, nn::no_window, 0},
    {150, 3, 1, 20, nn::no_window, 0},
    {200, 4, 4, 16, 70, 0},
    {70, 2, 1, 64, 1, 0},
    {131, 5, 3, 6, 40, 1.5F},
    {129, 9, 3, 64, nn::no_window, 0},
};

CachedAttentionShape shape_of(const Case& each, std::size_t queries, std::size_t tokens) {
  return {.queries = queries,
          .heads = each.heads,
          .cache = {each.key_heads, each.head_dim},
          .scale = 0.4F,
          .tokens = tokens,
          .window = each.window,
          .soft_cap = each.soft_cap};
}

TEST_P(CachedAttentionOn, InPiecesHasTheBitsOfAllAtOnce) {
  for (const Case& each : cases) {
    const std::size_t row = each.heads * each.head_dim, narrow = each.key_heads * each.head_dim;
    TestData sample(each.tokens);
    const auto q = sample.floats(each.tokens * row), k = sample.floats(each.tokens * narrow),
               v = sample.floats(each.tokens * narrow);
    nn::AttentionShape all{1, each.tokens, each.heads, each.head_dim, 0.4F};
    all.key_heads = each.key_heads;
    all.causal = true;
    all.window = each.window;
    all.soft_cap = each.soft_cap;
    std::vector<float> expected(each.tokens * row);
    auto whole = nn_support::scratch(nn::attention_forward_scratch(all, false));
    nn::attention_forward(nn_support::compute(), expected.data(), nullptr, q.data(), k.data(), v.data(), all,
                          {}, whole.data());
    for (std::size_t piece : {std::size_t{1}, std::size_t{7}, each.tokens}) {
      Cache cache({each.key_heads, each.head_dim});
      std::vector<float> context(each.tokens * row);
      for (std::size_t at = 0; at < each.tokens; at += piece) {
        const std::size_t count = std::min(piece, each.tokens - at);
        cache.append(k.data() + at * narrow, v.data() + at * narrow, count);
        const CachedAttentionShape shape = shape_of(each, count, at + count);
        const CacheRun run{at + count, q.data() + at * row};
        auto scratch = nn_support::scratch(nn::cached_attention_scratch(shape));
        nn::cached_attention(nn_support::compute(), context.data() + at * row, {&run, 1}, cache.blocks(),
                             shape, scratch.data());
      }
      EXPECT_EQ(context, expected) << each.tokens << " tokens by " << piece;
    }
  }
}

TEST_P(CachedAttentionOn, EqualsItsSpecificationWithRunsOfAnyLength) {
  for (const Case& each : cases) {
    const std::size_t row = each.heads * each.head_dim, narrow = each.key_heads * each.head_dim;
    for (std::size_t queries : {std::size_t{1}, std::size_t{5}, std::size_t{66}}) {
      if (queries > each.tokens) continue;
      TestData sample(each.tokens + queries);
      const auto k = sample.floats(each.tokens * narrow), v = sample.floats(each.tokens * narrow);
      Cache cache({each.key_heads, each.head_dim});
      cache.append(k.data(), v.data(), each.tokens);
      // Ends inside panels and blocks; the first run may be over before the window begins.
      std::vector<std::size_t> ends;
      for (std::size_t end : {3, 4, 63, 77, 128}) {
        if (end < each.tokens) ends.push_back(end);
      }
      ends.push_back(each.tokens);
      std::vector<std::vector<float>> q;
      std::vector<std::vector<double>> q64;
      std::vector<CacheRun> runs;
      std::vector<reference::CacheRun<double>> runs64;
      for (std::size_t end : ends) {
        q.push_back(sample.floats(queries * row));
        q64.push_back(doubles(q.back()));
        runs.push_back({end, q.back().data()});
        runs64.push_back({end, q64.back().data()});
      }
      const CachedAttentionShape shape = shape_of(each, queries, each.tokens);
      std::vector<float> context(queries * row);
      std::vector<double> expected(queries * row);
      auto scratch = nn_support::scratch(nn::cached_attention_scratch(shape));
      nn::cached_attention(nn_support::compute(), context.data(), runs, cache.blocks(), shape,
                           scratch.data());
      reference::cached_attention(expected.data(), runs64, doubles(k).data(), doubles(v).data(), shape);
      EXPECT_LE(distance(context, expected), 2e-6) << each.tokens << " tokens, " << queries << " queries";
    }
  }
}

TEST_P(CachedAttentionOn, ForgottenBlocksAreNotRead) {
  const Case each{300, 2, 1, 8, 40, 0};
  const std::size_t row = 16, narrow = 8;
  TestData sample(4);
  const auto q = sample.floats(row), k = sample.floats(300 * narrow), v = sample.floats(300 * narrow);
  Cache cache({1, 8});
  cache.append(k.data(), v.data(), 300);
  const CachedAttentionShape shape = shape_of(each, 1, 300);
  const CacheRun run{300, q.data()};
  std::vector<float> all(row), some(row);
  auto scratch = nn_support::scratch(nn::cached_attention_scratch(shape));
  auto blocks = cache.blocks();
  nn::cached_attention(nn_support::compute(), all.data(), {&run, 1}, blocks, shape, scratch.data());
  for (std::size_t b = 0; b < 260 / nn::cache_block; ++b) blocks[b] = nullptr;
  nn::cached_attention(nn_support::compute(), some.data(), {&run, 1}, blocks, shape, scratch.data());
  EXPECT_EQ(some, all);
}

TEST_P(CachedAttentionOn, BlocksGiveBackWhatTheyTook) {
  const CacheShape shape{3, 20};
  TestData sample(6);
  const auto k = sample.floats(64 * 60), v = sample.floats(64 * 60);
  CacheBlock block, copy;
  EXPECT_FALSE(block.allocated());
  ASSERT_TRUE(block.allocate(shape, "test").ok());
  block.write(nn_support::compute(), shape, 0, 30, k.data(), {}, v.data(), {});
  block.write(nn_support::compute(), shape, 30, 34, k.data() + 30 * 60, {}, v.data() + 30 * 60, {});
  ASSERT_TRUE(copy.copy_from(block, shape, "test").ok());
  block.write(nn_support::compute(), shape, 0, 1, v.data(), {}, k.data(), {});  // the copy is a copy
  std::vector<float> read_k(k.size()), read_v(v.size());
  copy.read(nn_support::compute(), shape, 0, 64, read_k.data(), read_v.data());
  EXPECT_EQ(read_k, k);
  EXPECT_EQ(read_v, v);
  // q, k, v side by side
  std::vector<float> packed(2 * 180);
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<float>(i);
  block.write(nn_support::compute(), shape, 62, 2, packed.data() + 60, {180, 20}, packed.data() + 120,
              {180, 20});
  block.read(nn_support::compute(), shape, 63, 1, read_k.data(), read_v.data());
  EXPECT_EQ(read_k[0], 240.0F);
  EXPECT_EQ(read_v[59], 359.0F);
}

/// x (count,heads,D) rotated at `position` and the positions after it, in float32.
std::vector<float> rotated(const Rope& rope, std::vector<float> x, std::size_t heads, std::int64_t position) {
  const std::size_t count = x.size() / (heads * rope.head_dim());
  Placement placement{.sequence = count, .heads = heads};
  placement.positions = static_cast<double>(position);
  EXPECT_TRUE(rope.try_rotate(ArrayRef(x), MutableArrayRef(x), placement).ok());
  return x;
}

TEST_P(CachedAttentionOn, AThousandShiftsCostNoAccuracy) {
  // 70 tokens; then a thousand times token 4 is dropped and a new one comes. Its key is rotated where the run
  // goes on, its query for each run at the position plus the run's shift.
  const std::size_t heads = 2, dim = 64, held = 70, sinks = 4, drops = 1000;
  const CacheShape cache_shape{1, dim};
  RopeOptions options;
  options.head_dim = dim;
  options.pairing = Pairing::interleaved;
  const Rope rope(options);
  TestData sample(21);
  auto k = sample.floats((held + drops) * dim), v = sample.floats((held + drops) * dim);
  const auto q = sample.floats(heads * dim);
  const auto keys = rotated(rope, k, 1, 0);
  // The sinks are left, and the last tokens in blocks of their own run.
  std::vector<float> left_k(keys.begin(), keys.begin() + sinks * dim);
  std::vector<float> left_v(v.begin(), v.begin() + sinks * dim);
  const auto from = static_cast<std::ptrdiff_t>((drops + sinks) * dim);
  left_k.insert(left_k.end(), keys.begin() + from, keys.end());
  left_v.insert(left_v.end(), v.begin() + from, v.end());
  Cache cache(cache_shape);
  cache.append(left_k.data(), left_v.data(), held);
  const CachedAttentionShape shape{
      .queries = 1, .heads = heads, .cache = cache_shape, .scale = 0.125F, .tokens = held};
  const auto near = rotated(rope, q, heads, held - 1), far = rotated(rope, q, heads, held - 1 + drops);
  const CacheRun runs[] = {{sinks, near.data()}, {held, far.data()}};
  std::vector<float> context(heads * dim);
  auto scratch = nn_support::scratch(nn::cached_attention_scratch(shape));
  nn::cached_attention(nn_support::compute(), context.data(), runs, cache.blocks(), shape, scratch.data());

  // In float64, each key rotated once at the position it has now.
  const auto turn = [&](const std::vector<float>& x, std::size_t first, double position) {
    std::vector<double> out(dim);
    for (std::size_t j = 0; j < dim / 2; ++j) {
      const double angle = position * std::pow(10000.0, -2.0 * static_cast<double>(j) / dim);
      const double a = x[first + 2 * j], b = x[first + 2 * j + 1];
      out[2 * j] = a * std::cos(angle) - b * std::sin(angle);
      out[2 * j + 1] = a * std::sin(angle) + b * std::cos(angle);
    }
    return out;
  };
  std::vector<double> k64, q64;
  for (std::size_t j = 0; j < held; ++j) {
    const auto each = turn(k, (j < sinks ? j : j + drops) * dim, static_cast<double>(j));
    k64.insert(k64.end(), each.begin(), each.end());
  }
  for (std::size_t h = 0; h < heads; ++h) {
    const auto each = turn(q, h * dim, static_cast<double>(held - 1));
    q64.insert(q64.end(), each.begin(), each.end());
  }
  std::vector<double> expected(heads * dim);
  reference::cached_attention<double>(expected.data(), {{held, q64.data()}}, k64.data(),
                                      doubles(left_v).data(), shape);
  EXPECT_LE(distance(context, expected), 1e-6);
}

}  // namespace nn_cached_attention_test
}  // namespace ropewalk
