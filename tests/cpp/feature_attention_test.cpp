// Causal attention over feature maps, token by token in float64 from its definition: more tokens than a block holds, and
// a last block that is not full.

#include <gtest/gtest.h>

#include <vector>

#include "each_architecture.hpp"
#include "model/position_encoding/feature_attention.hpp"
#include "nn_support.hpp"
#include "test_data.hpp"

namespace ropewalk {
namespace feature_attention_test {

using namespace model::position_encoding;
using nn_support::scratch;

class FeatureAttentionOn : public EachArchitecture {};
ON_EACH_ARCHITECTURE(FeatureAttentionOn);

constexpr std::size_t features = 6, head_dim = 5;

struct Inputs {
  std::size_t tokens;
  std::vector<float> q, k, v, denominator, dcontext;
  explicit Inputs(std::size_t t) : tokens(t) {
    TestData sample(5);
    q = sample.floats(t * features), k = sample.floats(t * features), v = sample.floats(t * head_dim);
    denominator = sample.floats(t), dcontext = sample.floats(t * head_dim);
    for (float& each : denominator) each = each * each + 0.5F;
    denominator[0] = 0;                  // nothing seen yet
    if (t > 5) denominator[5] = 1e-39F;  // nothing that float32 can tell
  }
  FeatureAttention head() const {
    return {.compute = nn_support::compute(),
            .tokens = tokens,
            .features = features,
            .head_dim = head_dim,
            .q = q.data(),
            .k = k.data(),
            .q_stride = features,
            .k_stride = features,
            .v = v.data(),
            .v_stride = head_dim,
            .denominator = denominator.data(),
            .denominator_stride = 1,
            .causal = true};
  }
  double weight(std::size_t i, std::size_t j) const {
    double sum = 0;
    for (std::size_t f = 0; f < features; ++f) sum += double{q[i * features + f]} * k[j * features + f];
    return denominator[i] < least_denominator ? 0 : sum / denominator[i];
  }
};

void expect_near(const std::vector<float>& found, const std::vector<double>& expected, const char* what) {
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], 2e-4) << what << i;
}

TEST_P(FeatureAttentionOn, IsTheSumOverTheTokensSoFar) {
  for (const std::size_t tokens : {1, 3, 32, 33, 70}) {
    const Inputs in(tokens);
    std::vector<double> expected(tokens * head_dim), weights(tokens * tokens);
    for (std::size_t i = 0; i < tokens; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        weights[i * tokens + j] = in.weight(i, j);
        for (std::size_t d = 0; d < head_dim; ++d)
          expected[i * head_dim + d] += in.weight(i, j) * in.v[j * head_dim + d];
      }
    }
    const FeatureAttention head = in.head();
    std::vector<float> context(tokens * head_dim), found(tokens * tokens);
    feature_attention_forward(context.data(), head_dim, head,
                              scratch(feature_attention_forward_scratch(tokens, features, head_dim)).data());
    expect_near(context, expected, "context ");
    feature_attention_weights(found.data(), head,
                              scratch(feature_attention_weights_scratch(tokens, features)).data());
    expect_near(found, weights, "weight ");
  }
}

TEST_P(FeatureAttentionOn, HasTheGradientsOfItsDefinition) {
  for (const std::size_t tokens : {1, 32, 70}) {
    const Inputs in(tokens);
    std::vector<double> dq(tokens * features), dk(dq), dv(tokens * head_dim), dden(tokens);
    for (std::size_t i = 0; i < tokens; ++i) {
      if (in.denominator[i] < least_denominator) continue;
      for (std::size_t j = 0; j <= i; ++j) {
        double dot = 0;  // the gradient of a weight
        for (std::size_t d = 0; d < head_dim; ++d) {
          dot += double{in.dcontext[i * head_dim + d]} * in.v[j * head_dim + d];
          dv[j * head_dim + d] += in.weight(i, j) * in.dcontext[i * head_dim + d];
        }
        for (std::size_t f = 0; f < features; ++f) {
          dq[i * features + f] += dot * in.k[j * features + f] / in.denominator[i];
          dk[j * features + f] += dot * in.q[i * features + f] / in.denominator[i];
        }
        dden[i] -= dot * in.weight(i, j) / in.denominator[i];
      }
    }
    std::vector<float> q(dq.size()), k(dk.size()), v(dv.size()), den(tokens);
    feature_attention_backward(
        {.dcontext = in.dcontext.data(),
         .dcontext_stride = head_dim,
         .dq = q.data(),
         .dk = k.data(),
         .dv = v.data(),
         .dq_stride = features,
         .dk_stride = features,
         .dv_stride = head_dim,
         .ddenominator = den.data()},
        in.head(), scratch(feature_attention_backward_scratch(tokens, features, head_dim)).data());
    expect_near(q, dq, "dq ");
    expect_near(k, dk, "dk ");
    expect_near(v, dv, "dv ");
    expect_near(den, dden, "ddenominator ");
  }
}

}  // namespace feature_attention_test
}  // namespace ropewalk
