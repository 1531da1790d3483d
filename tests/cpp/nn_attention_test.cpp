// Attention against its specification, forward and backward, with every term that may be added to the scores.

#include "nn/attention.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "arch/select.hpp"
#include "each_architecture.hpp"
#include "nn_support.hpp"
#include "reference/attention.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace nn_attention_test {

using nn::AttentionShape;
using nn::AttentionTerms;
using nn_support::distance;
using nn_support::doubles;

class AttentionOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(AttentionOn);

struct Case {
  AttentionShape shape;
  bool bias = false, keys = false, pairs = false;
};

/// One sequence without any key left where there are several; and pairs as a causal mask.
struct Data {
  explicit Data(const Case& each) : shape(each.shape) {
    TestData sample(shape.tokens * 31 + shape.head_dim);
    // Room for every stride of the cases: what no head covers must stay as it is.
    inputs = shape.batch * shape.tokens *
             std::max({shape.token_stride, shape.query.token, shape.key.token, shape.value.token,
                       shape.heads * shape.head_dim});
    outputs = shape.batch * shape.tokens * shape.heads * shape.head_dim;
    squares = shape.batch * shape.heads * shape.tokens * shape.tokens;
    q = sample.floats(inputs), k = sample.floats(inputs), v = sample.floats(inputs);
    dout = sample.floats(outputs);
    if (each.bias) bias = sample.floats(shape.bias_per_batch ? squares : squares / shape.batch);
    if (each.keys) {
      for (std::size_t b = 0; b < shape.batch; ++b) {
        for (std::size_t t = 0; t < shape.tokens; ++t) keys.push_back(b > 0 && (t + b) % 3 != 0 ? 1 : 0);
      }
    }
    if (each.pairs) {
      for (std::size_t i = 0; i < shape.tokens; ++i) {
        for (std::size_t j = 0; j < shape.tokens; ++j) pairs.push_back(j <= i ? 1 : 0);
      }
    }
    terms.bias = bias.empty() ? nullptr : bias.data();
    terms.key_mask = keys.empty() ? nullptr : keys.data();
    terms.pair_mask = pairs.empty() ? nullptr : pairs.data();
  }
  AttentionShape shape;
  std::size_t inputs, outputs, squares;
  std::vector<float> q, k, v, dout, bias;
  std::vector<std::uint8_t> keys, pairs;
  AttentionTerms terms;
};

std::vector<Case> cases() {
  const auto shape = [](std::size_t batch, std::size_t tokens, std::size_t heads, std::size_t head_dim) {
    return AttentionShape{batch, tokens, heads, head_dim, 1.0F / std::sqrt(static_cast<float>(head_dim))};
  };
  std::vector<Case> list = {{.shape = shape(1, 1, 1, 4)},
                            {.shape = shape(2, 5, 2, 4)},
                            {.shape = shape(2, 19, 3, 16), .bias = true},
                            {.shape = shape(3, 9, 2, 8), .keys = true},
                            {.shape = shape(2, 70, 1, 12), .keys = true, .pairs = true},
                            {.shape = shape(1, 131, 2, 6), .pairs = true},
                            {.shape = shape(2, 17, 2, 10), .bias = true, .keys = true, .pairs = true}};
  list.push_back({.shape = shape(2, 11, 2, 8), .bias = true});
  list.back().shape.bias_per_batch = true;
  list.push_back({.shape = shape(2, 70, 2, 8), .keys = true});
  list.back().shape.keep = 0.75F;
  list.back().shape.seed = 42;
  list.push_back({.shape = shape(2, 13, 2, 8)});
  list.back().shape.token_stride = 3 * 2 * 8 + 5;
  const auto with = [&](Case each, auto change) {
    change(each.shape);
    list.push_back(each);
  };
  // Key heads of groups, of which the last two are not of one size.
  with({.shape = shape(2, 9, 4, 6)}, [](AttentionShape& s) { s.key_heads = 2; });
  with({.shape = shape(1, 70, 3, 8), .keys = false}, [](AttentionShape& s) { s.key_heads = 1; });
  with({.shape = shape(2, 10, 5, 4), .bias = true}, [](AttentionShape& s) { s.key_heads = 3; });
  // Windows: shorter than a block, longer than one, with padding, causal.
  with({.shape = shape(2, 11, 2, 4)}, [](AttentionShape& s) { s.window = 2; });
  with({.shape = shape(1, 10, 2, 4)}, [](AttentionShape& s) { s.window = 0; });
  with({.shape = shape(2, 150, 2, 6), .keys = true}, [](AttentionShape& s) { s.window = 1; });
  with({.shape = shape(1, 197, 2, 8), .bias = true}, [](AttentionShape& s) { s.window = 70; });
  with({.shape = shape(2, 11, 2, 4)}, [](AttentionShape& s) { s.causal = true; });
  with({.shape = shape(2, 131, 2, 6), .keys = true}, [](AttentionShape& s) { s.causal = true; });
  with({.shape = shape(1, 11, 2, 4)}, [](AttentionShape& s) {
    s.causal = true;
    s.window = 3;
  });
  with({.shape = shape(2, 170, 4, 6), .keys = true}, [](AttentionShape& s) {
    s.causal = true;
    s.window = 40;
    s.key_heads = 2;
    s.keep = 0.75F;
    s.seed = 7;
  });
  with({.shape = shape(1, 140, 2, 6), .pairs = true}, [](AttentionShape& s) { s.window = 5; });
  // A cap that the scores feel, alone and with the rest.
  with({.shape = shape(2, 9, 2, 6)}, [](AttentionShape& s) { s.soft_cap = 0.7F; });
  with({.shape = shape(1, 90, 4, 6), .bias = true}, [](AttentionShape& s) {
    s.soft_cap = 1.5F;
    s.key_heads = 2;
    s.window = 9;
  });
  // Heads as q, k, v, q, k, v, ...: token stride 3 * H * D, head stride 3 * D.
  with({.shape = shape(2, 11, 2, 4)}, [](AttentionShape& s) {
    s.query = s.key = s.value = {.token = 24, .head = 12};
    s.window = 3;
  });
  return list;
}

TEST(AttentionReference, GradientsAreThoseOfDifferences) {
  for (Case each : cases()) {
    if (each.shape.tokens > 11) continue;
    if (each.shape.tokens == 11 && each.bias) each.shape.keep = 0.75F;
    const Data data(each);
    auto q = doubles(data.q), k = doubles(data.k), v = doubles(data.v), bias = doubles(data.bias);
    const auto dout = doubles(data.dout);
    std::vector<double> context(data.outputs), probs(data.squares);
    double* const biases = bias.empty() ? nullptr : bias.data();
    const auto loss = [&] {
      reference::attention_forward(context.data(), probs.data(), q.data(), k.data(), v.data(), data.shape,
                                   biases, data.terms);
      return nn_support::dot(context, dout);
    };
    loss();
    std::vector<double> dq(data.inputs, 0.0), dk = dq, dv = dq, dbias(bias.size(), 0.0);
    reference::attention_backward(dq.data(), dk.data(), dv.data(), bias.empty() ? nullptr : dbias.data(),
                                  dout.data(), probs.data(), q.data(), k.data(), v.data(), data.shape);
    nn_support::expect_gradient(v, dv, loss, "v");
    if (!data.keys.empty() && !data.shape.causal && data.shape.window == nn::no_window)
      continue;  // in the row without keys a score has no influence, yet Hugging Face's gradient
    nn_support::expect_gradient(q, dq, loss, "q");
    nn_support::expect_gradient(k, dk, loss, "k");
    if (!bias.empty()) nn_support::expect_gradient(bias, dbias, loss, "bias");
  }
}

TEST_P(AttentionOn, EqualsItsSpecification) {
  for (const Case& each : cases()) {
    const Data data(each);
    const AttentionShape& shape = data.shape;
    const auto q = doubles(data.q), k = doubles(data.k), v = doubles(data.v), bias = doubles(data.bias);
    std::vector<double> context(data.outputs), probs(data.squares);
    reference::attention_forward(context.data(), probs.data(), q.data(), k.data(), v.data(), shape,
                                 bias.empty() ? nullptr : bias.data(), data.terms);
    std::vector<double> dq(data.inputs, 0.0), dk = dq, dv = dq, dbias(bias.size(), 0.0);
    reference::attention_backward(dq.data(), dk.data(), dv.data(), bias.empty() ? nullptr : dbias.data(),
                                  doubles(data.dout).data(), probs.data(), q.data(), k.data(), v.data(),
                                  shape);

    const std::string what = std::to_string(shape.tokens) + " tokens";
    std::vector<float> fcontext(data.outputs), alone(data.outputs), fprobs(data.squares);
    auto scratch = nn_support::scratch(nn::attention_forward_scratch(shape, true));
    nn::attention_forward(nn_support::compute(), fcontext.data(), fprobs.data(), data.q.data(), data.k.data(),
                          data.v.data(), shape, data.terms, scratch.data());
    EXPECT_LE(distance(fprobs, probs), 2e-6) << what;
    EXPECT_LE(distance(fcontext, context), 2e-6) << what;
    for (std::size_t i = 0; i < probs.size(); ++i) {
      if (probs[i] == 0.0) {
        ASSERT_EQ(fprobs[i], 0.0F) << what;
      }
    }
    auto small = nn_support::scratch(nn::attention_forward_scratch(shape, false));
    nn::attention_forward(nn_support::compute(), alone.data(), nullptr, data.q.data(), data.k.data(),
                          data.v.data(), shape, data.terms, small.data());
    EXPECT_EQ(alone, fcontext) << what;

    std::vector<float> fdq(data.inputs, 0.0F), fdk = fdq, fdv = fdq, fdbias(bias.size(), 0.0F);
    auto back = nn_support::scratch(nn::attention_backward_scratch(shape));
    nn::attention_backward(nn_support::compute(), fdq.data(), fdk.data(), fdv.data(),
                           bias.empty() ? nullptr : fdbias.data(), data.dout.data(), fprobs.data(),
                           data.q.data(), data.k.data(), data.v.data(), shape, back.data());
    EXPECT_LE(distance(fdq, dq), 3e-6) << what;
    EXPECT_LE(distance(fdk, dk), 3e-6) << what;
    EXPECT_LE(distance(fdv, dv), 3e-6) << what;
    if (!bias.empty()) {
      EXPECT_LE(distance(fdbias, dbias), 3e-6) << what;
    }
  }
}

TEST_P(AttentionOn, ASequenceWithoutKeysAttendsUniformly) {
  const AttentionShape shape{1, 7, 1, 4, 100.0F};
  TestData sample(5);
  const auto q = sample.floats(28), k = sample.floats(28), v = sample.floats(28);
  const std::vector<std::uint8_t> keys(7, 0);
  AttentionTerms terms;
  terms.key_mask = keys.data();
  std::vector<float> context(28), probs(49);
  auto scratch = nn_support::scratch(nn::attention_forward_scratch(shape, true));
  nn::attention_forward(nn_support::compute(), context.data(), probs.data(), q.data(), k.data(), v.data(),
                        shape, terms, scratch.data());
  for (float each : probs) EXPECT_EQ(each, 1.0F / 7.0F);
}

/// Results of attention_forward and attention_backward for one choice of shape and inputs.
struct Results {
  std::vector<float> context, probs, dq, dk, dv;
  bool operator==(const Results&) const = default;
};

Results run(const AttentionShape& shape, const AttentionTerms& terms, const float* q, const float* k,
            const float* v, std::size_t inputs, const std::vector<float>& dout,
            const std::size_t (&first)[3]) {
  const std::size_t outputs = shape.batch * shape.tokens * shape.heads * shape.head_dim;
  Results out{std::vector<float>(outputs),
              std::vector<float>(shape.batch * shape.heads * shape.tokens * shape.tokens, 9.0F),
              std::vector<float>(inputs, 0.0F), std::vector<float>(inputs, 0.0F),
              std::vector<float>(inputs, 0.0F)};
  auto scratch = nn_support::scratch(nn::attention_forward_scratch(shape, true));
  nn::attention_forward(nn_support::compute(), out.context.data(), out.probs.data(), q, k, v, shape, terms,
                        scratch.data());
  auto back = nn_support::scratch(nn::attention_backward_scratch(shape));
  nn::attention_backward(nn_support::compute(), out.dq.data() + first[0], out.dk.data() + first[1],
                         out.dv.data() + first[2], nullptr, dout.data(), out.probs.data(), q, k, v, shape,
                         back.data());
  return out;
}
Results run(const Data& data, const AttentionShape& shape, const AttentionTerms& terms) {
  return run(shape, terms, data.q.data(), data.k.data(), data.v.data(), data.inputs, data.dout, {0, 0, 0});
}

TEST_P(AttentionOn, AWindowThatHidesNothingIsFullAttentionBitForBit) {
  for (std::size_t tokens : {1, 2, 19, 64, 150}) {
    const Data data({.shape = {2, tokens, 2, 8, 0.35F}});
    const Results full = run(data, data.shape, {});
    AttentionShape shape = data.shape;
    for (std::size_t window : {tokens - 1, tokens, 3 * tokens}) {
      shape.window = window;
      EXPECT_EQ(run(data, shape, {}), full) << tokens << " tokens, window " << window;
    }
    shape.causal = true;
    shape.window = nn::no_window;
    const Results causal = run(data, shape, {});
    for (std::size_t window : {tokens, tokens + 1, 3 * tokens}) {
      shape.window = window;
      EXPECT_EQ(run(data, shape, {}), causal) << tokens << " tokens, causal window " << window;
    }
  }
}

TEST_P(AttentionOn, AWindowIsAMaskBitForBit) {
  for (std::size_t tokens : {5, 64, 70, 197}) {
    for (std::size_t window : {0, 1, 7, 33, 64, 100}) {
      for (bool causal : {false, true}) {
        if (causal && window == 0) continue;
        const Data data({.shape = {2, tokens, 2, 8, 0.35F}});
        std::vector<std::uint8_t> pairs;
        for (std::size_t i = 0; i < tokens; ++i) {
          for (std::size_t j = 0; j < tokens; ++j) {
            pairs.push_back(causal ? j <= i && i - j < window : (i < j ? j - i : i - j) <= window);
          }
        }
        AttentionShape shape = data.shape;
        AttentionTerms terms;
        terms.pair_mask = pairs.data();
        const Results masked = run(data, shape, terms);
        shape.causal = causal;
        shape.window = window;
        EXPECT_EQ(run(data, shape, {}), masked) << tokens << " tokens, window " << window << " " << causal;
      }
    }
  }
}

TEST_P(AttentionOn, EveryPackingGivesTheSameBits) {
  const std::size_t batch = 2, tokens = 75, heads = 4, groups = 2, dim = 6;
  const std::size_t rows = batch * tokens, wide = heads * dim, narrow = groups * dim;
  TestData sample(11);
  const auto q = sample.floats(rows * wide), k = sample.floats(rows * narrow),
             v = sample.floats(rows * narrow), dout = sample.floats(rows * wide);
  AttentionShape separate{batch, tokens, heads, dim, 0.4F};
  separate.key_heads = groups;
  separate.window = 20;
  const Results expected = run(separate, {}, q.data(), k.data(), v.data(), rows * wide, dout, {0, 0, 0});

  // Blocks: (q, k, v) of a token are neighbours, as one product of the three weights makes them.
  const std::size_t row = wide + 2 * narrow;
  std::vector<float> all(rows * row);
  for (std::size_t m = 0; m < rows; ++m) {
    std::copy_n(q.data() + m * wide, wide, all.data() + m * row);
    std::copy_n(k.data() + m * narrow, narrow, all.data() + m * row + wide);
    std::copy_n(v.data() + m * narrow, narrow, all.data() + m * row + wide + narrow);
  }
  AttentionShape blocks = separate;
  blocks.token_stride = row;
  const Results packed = run(blocks, {}, all.data(), all.data() + wide, all.data() + wide + narrow,
                             rows * row, dout, {0, wide, wide + narrow});
  EXPECT_EQ(packed.context, expected.context);
  EXPECT_EQ(packed.probs, expected.probs);
  for (std::size_t m = 0; m < rows; ++m) {
    for (std::size_t i = 0; i < wide; ++i) ASSERT_EQ(packed.dq[m * row + i], expected.dq[m * wide + i]);
    for (std::size_t i = 0; i < narrow; ++i) {
      ASSERT_EQ(packed.dk[m * row + wide + i], expected.dk[m * narrow + i]);
      ASSERT_EQ(packed.dv[m * row + wide + narrow + i], expected.dv[m * narrow + i]);
    }
  }
}

TEST_P(AttentionOn, HeadsThatHoldTheirOwnQueryKeyAndValueGiveTheSameBits) {
  const std::size_t tokens = 13, heads = 3, dim = 4, row = 3 * heads * dim;
  TestData sample(12);
  const auto q = sample.floats(tokens * heads * dim), k = sample.floats(tokens * heads * dim),
             v = sample.floats(tokens * heads * dim), dout = sample.floats(tokens * heads * dim);
  const AttentionShape separate{1, tokens, heads, dim, 0.5F};
  const Results expected = run(separate, {}, q.data(), k.data(), v.data(), q.size(), dout, {0, 0, 0});
  std::vector<float> all(tokens * row);
  const auto at = [&](std::size_t t, std::size_t h, std::size_t part) {
    return t * row + (3 * h + part) * dim;
  };
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t from = (t * heads + h) * dim;
      std::copy_n(q.data() + from, dim, all.data() + at(t, h, 0));
      std::copy_n(k.data() + from, dim, all.data() + at(t, h, 1));
      std::copy_n(v.data() + from, dim, all.data() + at(t, h, 2));
    }
  }
  AttentionShape shape = separate;
  shape.query = shape.key = shape.value = {.token = row, .head = 3 * dim};
  const Results packed =
      run(shape, {}, all.data(), all.data() + dim, all.data() + 2 * dim, all.size(), dout, {0, dim, 2 * dim});
  EXPECT_EQ(packed.context, expected.context);
  EXPECT_EQ(packed.probs, expected.probs);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t d = 0; d < dim; ++d) {
        const std::size_t from = (t * heads + h) * dim + d;
        ASSERT_EQ(packed.dq[at(t, h, 0) + d], expected.dq[from]);
        ASSERT_EQ(packed.dk[at(t, h, 1) + d], expected.dk[from]);
        ASSERT_EQ(packed.dv[at(t, h, 2) + d], expected.dv[from]);
      }
    }
  }
}

TEST_P(AttentionOn, GroupsReadTheirKeyHeadBitForBit) {
  // floor(h K / H): 5 heads with 3 key heads are 0, 0, 1, 1, 2.
  const std::size_t tokens = 21, heads = 5, groups = 3, dim = 4;
  const std::size_t of[] = {0, 0, 1, 1, 2};
  TestData sample(13);
  const auto q = sample.floats(tokens * heads * dim), k = sample.floats(tokens * groups * dim),
             v = sample.floats(tokens * groups * dim), dout = sample.floats(tokens * heads * dim);
  std::vector<float> repeated_k, repeated_v;
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t h = 0; h < heads; ++h) {
      const std::size_t from = (t * groups + of[h]) * dim;
      repeated_k.insert(repeated_k.end(), k.begin() + static_cast<std::ptrdiff_t>(from),
                        k.begin() + static_cast<std::ptrdiff_t>(from + dim));
      repeated_v.insert(repeated_v.end(), v.begin() + static_cast<std::ptrdiff_t>(from),
                        v.begin() + static_cast<std::ptrdiff_t>(from + dim));
    }
  }
  AttentionShape shape{1, tokens, heads, dim, 0.5F};
  const Results expected =
      run(shape, {}, q.data(), repeated_k.data(), repeated_v.data(), q.size(), dout, {0, 0, 0});
  shape.key_heads = groups;
  const Results grouped = run(shape, {}, q.data(), k.data(), v.data(), q.size(), dout, {0, 0, 0});
  EXPECT_EQ(grouped.context, expected.context);
  EXPECT_EQ(grouped.probs, expected.probs);
  EXPECT_EQ(grouped.dq, expected.dq);
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t g = 0; g < groups; ++g) {
      for (std::size_t d = 0; d < dim; ++d) {
        double dk = 0, dv = 0;
        for (std::size_t h = 0; h < heads; ++h) {
          if (of[h] != g) continue;
          dk += expected.dk[(t * heads + h) * dim + d];
          dv += expected.dv[(t * heads + h) * dim + d];
        }
        ASSERT_NEAR(grouped.dk[(t * groups + g) * dim + d], dk, 2e-6);
        ASSERT_NEAR(grouped.dv[(t * groups + g) * dim + d], dv, 2e-6);
      }
    }
  }
}

/// The active kernels with a matrix product that counts what it multiplies.
class CountedProducts {
 public:
  CountedProducts() : before_(*arch::active()) {
    table_ = before_;
    product_ = before_.dense.gemm;
    count_ = 0;
    table_.dense.gemm = [](const kernels::GemmJob& job) noexcept {
      count_ += static_cast<double>(job.m) * static_cast<double>(job.n) * static_cast<double>(job.k);
      product_(job);
    };
    arch::use(table_);
  }
  ~CountedProducts() { arch::use(before_); }
  CountedProducts(const CountedProducts&) = delete;
  bool in_use() const { return &*arch::active() == &table_; }
  double take() {
    const double count = count_;
    count_ = 0;
    return count;
  }

 private:
  const kernels::Kernels& before_;
  static inline kernels::Kernels table_{};
  static inline void (*product_)(const kernels::GemmJob&) noexcept = nullptr;
  static inline double count_ = 0;
};

TEST_P(AttentionOn, AWindowReadsOnlyTheKeysInReach) {
  const std::size_t tokens = 1000, heads = 2, dim = 4, block = 64, panel = kernels::widest_panel;
  TestData sample(14);
  const auto q = sample.floats(tokens * heads * dim), k = sample.floats(tokens * heads * dim),
             v = sample.floats(tokens * heads * dim), dout = sample.floats(tokens * heads * dim);
  AttentionShape shape{1, tokens, heads, dim, 0.5F};
  std::vector<float> context(q.size()), probs(heads * tokens * tokens), dq(q.size()), dk(q.size()),
      dv(q.size());
  CountedProducts products;
  if (!products.in_use()) GTEST_SKIP() << "a build with one architecture has no table to replace";
  const auto count = [&] {
    auto scratch = nn_support::scratch(nn::attention_forward_scratch(shape, true));
    nn::attention_forward(nn_support::compute(), context.data(), probs.data(), q.data(), k.data(), v.data(),
                          shape, {}, scratch.data());
    const double forward = products.take();
    auto back = nn_support::scratch(nn::attention_backward_scratch(shape));
    nn::attention_backward(nn_support::compute(), dq.data(), dk.data(), dv.data(), nullptr, dout.data(),
                           probs.data(), q.data(), k.data(), v.data(), shape, back.data());
    EXPECT_EQ(products.take(), 2 * forward);  // four products where the forward pass has two
    return forward;
  };
  const double of_pair = 2.0 * heads * dim;  // multiply-adds for one query and one key: score, context
  EXPECT_EQ(count(), of_pair * tokens * tokens);
  for (std::size_t window : {1, 16, 64}) {
    shape.window = window;
    EXPECT_LE(count(), of_pair * static_cast<double>(tokens * (2 * window + block + panel))) << window;
  }
  shape.window = 64;  // a multiple of the panels: nothing is read in vain
  EXPECT_LE(count(), of_pair * static_cast<double>(tokens * (2 * 64 + block)));
  shape.causal = true;
  EXPECT_LE(count(), of_pair * static_cast<double>(tokens * (64 + block)));
  shape.window = nn::no_window;
  EXPECT_LE(count(), of_pair * static_cast<double>(tokens * (tokens + block) / 2));
}

TEST_P(AttentionOn, PaddingFarFromTheTextStaysByItself) {
  // Text at 0..9, then padding beyond every window; keys and values there are not even numbers.
  const std::size_t tokens = 300, dim = 4, text = 10;
  TestData sample(15);
  auto q = sample.floats(tokens * dim), k = sample.floats(tokens * dim), v = sample.floats(tokens * dim);
  std::fill(k.begin() + 250 * dim, k.end(), std::nanf(""));
  std::fill(v.begin() + 250 * dim, v.end(), std::nanf(""));
  std::vector<std::uint8_t> keys(tokens, 0);
  std::fill_n(keys.begin(), text, std::uint8_t{1});
  AttentionTerms terms;
  terms.key_mask = keys.data();
  for (bool causal : {false, true}) {
    AttentionShape shape{1, tokens, 1, dim, 0.5F};
    shape.window = 5;
    shape.causal = causal;
    std::vector<float> context(tokens * dim), probs(tokens * tokens);
    auto scratch = nn_support::scratch(nn::attention_forward_scratch(shape, true));
    nn::attention_forward(nn_support::compute(), context.data(), probs.data(), q.data(), k.data(), v.data(),
                          shape, terms, scratch.data());
    for (std::size_t i = 0; i < 128; ++i) {
      float sum = 0;
      for (std::size_t j = 0; j < tokens; ++j) {
        const bool seen = j < text && (j <= i ? i - j < (causal ? 5U : 6U) : !causal && j - i <= 5);
        if (!seen) {
          ASSERT_EQ(probs[i * tokens + j], 0.0F) << i << " " << j;
        }
        sum += probs[i * tokens + j];
      }
      const bool any = i < text + (causal ? 4 : 5);
      ASSERT_NEAR(sum, any ? 1.0F : 0.0F, 1e-6F) << i;
      for (std::size_t d = 0; d < dim; ++d) ASSERT_TRUE(std::isfinite(context[i * dim + d])) << i;
    }
    shape.tokens = text;  // the text alone
    std::vector<float> alone(text * dim), square(text * text);
    nn::attention_forward(nn_support::compute(), alone.data(), square.data(), q.data(), k.data(), v.data(),
                          shape, {}, scratch.data());
    context.resize(text * dim);
    EXPECT_EQ(context, alone);
  }
}

TEST_P(AttentionOn, ScoresBeyondTheWindowAreMinusInfinity) {
  AttentionShape shape{1, 100, 2, 4, 0.5F};
  shape.window = 3;
  shape.soft_cap = 2.0F;
  const Data data({.shape = shape, .bias = true});
  std::vector<float> context(data.outputs), scores(data.squares, 9.0F);
  AttentionTerms terms = data.terms;
  terms.scores = scores.data();
  auto scratch = nn_support::scratch(nn::attention_forward_scratch(shape, false));
  nn::attention_forward(nn_support::compute(), context.data(), nullptr, data.q.data(), data.k.data(),
                        data.v.data(), shape, terms, scratch.data());
  for (std::size_t h = 0; h < 2; ++h) {
    for (std::size_t i = 0; i < 100; ++i) {
      for (std::size_t j = 0; j < 100; ++j) {
        const std::size_t at = (h * 100 + i) * 100 + j;
        if ((i < j ? j - i : i - j) > 3) {
          ASSERT_EQ(scores[at], -std::numeric_limits<float>::infinity());
          continue;
        }
        double product = 0;
        for (std::size_t d = 0; d < 4; ++d)
          product += static_cast<double>(data.q[(i * 2 + h) * 4 + d]) * data.k[(j * 2 + h) * 4 + d];
        ASSERT_NEAR(scores[at], 2 * std::tanh(0.5 * product / 2) + data.bias[at], 1e-6);
      }
    }
  }
}

}  // namespace nn_attention_test
}  // namespace ropewalk
