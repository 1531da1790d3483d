// Attention against its specification, forward and backward, with every term that may be added to the scores.

#include "nn/attention.hpp"

#include <gtest/gtest.h>

#include "each_architecture.hpp"
#include "nn_support.hpp"
#include "reference/attention.hpp"
#include "sample.hpp"

namespace ropewalk {
namespace {

using nn::AttentionShape;
using nn::AttentionTerms;
using testing::distance;
using testing::doubles;

class AttentionOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(AttentionOn);

struct Case {
  AttentionShape shape;
  bool bias = false, keys = false, pairs = false;
};

/// One sequence without any key left where there are several; and pairs as a causal mask.
struct Data {
  explicit Data(const Case& each) : shape(each.shape) {
    Sample sample(shape.tokens * 31 + shape.head_dim);
    stride = shape.token_stride == 0 ? shape.heads * shape.head_dim : shape.token_stride;
    inputs = shape.batch * shape.tokens * stride;
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
  std::size_t stride, inputs, outputs, squares;
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
  return list;
}

TEST(AttentionReference, GradientsAreThoseOfDifferences) {
  for (Case each : cases()) {
    if (each.shape.tokens > 11) continue;
    if (each.shape.tokens == 11) each.shape.keep = 0.75F;
    const Data data(each);
    auto q = doubles(data.q), k = doubles(data.k), v = doubles(data.v), bias = doubles(data.bias);
    const auto dout = doubles(data.dout);
    std::vector<double> context(data.outputs), probs(data.squares);
    double* const biases = bias.empty() ? nullptr : bias.data();
    const auto loss = [&] {
      reference::attention_forward(context.data(), probs.data(), q.data(), k.data(), v.data(), data.shape,
                                   biases, data.terms);
      return testing::dot(context, dout);
    };
    loss();
    std::vector<double> dq(data.inputs, 0.0), dk = dq, dv = dq, dbias(bias.size(), 0.0);
    reference::attention_backward(dq.data(), dk.data(), dv.data(), bias.empty() ? nullptr : dbias.data(),
                                  dout.data(), probs.data(), q.data(), k.data(), v.data(), data.shape);
    testing::expect_gradient(v, dv, loss, "v");
    if (!data.keys.empty())
      continue;  // in the row without keys a score has no influence, yet Hugging Face's gradient
    testing::expect_gradient(q, dq, loss, "q");
    testing::expect_gradient(k, dk, loss, "k");
    if (!bias.empty()) testing::expect_gradient(bias, dbias, loss, "bias");
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
    auto scratch = testing::scratch(nn::attention_forward_scratch(shape, true));
    nn::attention_forward(fcontext.data(), fprobs.data(), data.q.data(), data.k.data(), data.v.data(), shape,
                          data.terms, scratch.data());
    EXPECT_LE(distance(fprobs, probs), 2e-6) << what;
    EXPECT_LE(distance(fcontext, context), 2e-6) << what;
    for (std::size_t i = 0; i < probs.size(); ++i) {
      if (probs[i] == 0.0) {
        ASSERT_EQ(fprobs[i], 0.0F) << what;
      }
    }
    auto small = testing::scratch(nn::attention_forward_scratch(shape, false));
    nn::attention_forward(alone.data(), nullptr, data.q.data(), data.k.data(), data.v.data(), shape,
                          data.terms, small.data());
    EXPECT_EQ(alone, fcontext) << what;

    std::vector<float> fdq(data.inputs, 0.0F), fdk = fdq, fdv = fdq, fdbias(bias.size(), 0.0F);
    auto back = testing::scratch(nn::attention_backward_scratch(shape));
    nn::attention_backward(fdq.data(), fdk.data(), fdv.data(), bias.empty() ? nullptr : fdbias.data(),
                           data.dout.data(), fprobs.data(), data.q.data(), data.k.data(), data.v.data(),
                           shape, back.data());
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
  Sample sample(5);
  const auto q = sample.floats(28), k = sample.floats(28), v = sample.floats(28);
  const std::vector<std::uint8_t> keys(7, 0);
  AttentionTerms terms;
  terms.key_mask = keys.data();
  std::vector<float> context(28), probs(49);
  auto scratch = testing::scratch(nn::attention_forward_scratch(shape, true));
  nn::attention_forward(context.data(), probs.data(), q.data(), k.data(), v.data(), shape, terms,
                        scratch.data());
  for (float each : probs) EXPECT_EQ(each, 1.0F / 7.0F);
}

}  // namespace
}  // namespace ropewalk
