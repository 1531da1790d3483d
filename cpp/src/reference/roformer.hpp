#pragma once

// The whole model in plain float64 loops, parameters looked up by their names in the checkpoint: rotation by
// theta_j = 10000^(-2j/D), no dropout. Whatever the parameters are missing is left out: LayerNorm's, and the
// norm is RoFormer-v2's; a bias, and nothing is added.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reference/activation.hpp"
#include "reference/attention.hpp"
#include "reference/linear.hpp"
#include "reference/norm.hpp"
#include "reference/rotate.hpp"
#include "ropewalk/encoder.hpp"

namespace ropewalk::reference {

class RoFormer {
 public:
  using Values = std::vector<double>;

  RoFormer(Spec spec, std::map<std::string, Values> parameters)
      : spec_(std::move(spec)),
        parameters_(std::move(parameters)),
        activation_(spec_.feed_forward.activation) {}

  /// (B,T,C)
  Values hidden(const EncoderInput& input) const {
    const std::size_t m = input.batch * input.sequence, e = spec_.embedding_width();
    const Values& words = at("roformer.embeddings.word_embeddings.weight");
    const Values& types = at("roformer.embeddings.token_type_embeddings.weight");
    Values x(m * e);
    for (std::size_t i = 0; i < m; ++i) {
      const auto id = static_cast<std::size_t>(input.input_ids[i]);
      const auto type =
          input.token_type_ids.empty() ? std::size_t{0} : static_cast<std::size_t>(input.token_type_ids[i]);
      for (std::size_t c = 0; c < e; ++c) x[i * e + c] = words[id * e + c] + types[type * e + c];
    }
    x = norm("roformer.embeddings.LayerNorm", x, e);
    if (e != spec_.hidden) x = linear("roformer.embeddings_project", x, e);
    for (std::size_t l = 0; l < spec_.layers.size(); ++l) x = layer(l, x, input);
    return x;
  }

  /// From hidden (B,T,C): (B,T,V).
  Values masked_lm(Values x) const {
    const std::size_t e = spec_.embedding_width();
    if (has("cls.predictions.transform.dense.weight")) {
      x = activate(linear("cls.predictions.transform.dense", x, spec_.hidden));
      x = norm("cls.predictions.transform.LayerNorm", x, e);
    }
    const Values& decoder = has("cls.predictions.decoder.weight")
                                ? at("cls.predictions.decoder.weight")
                                : at("roformer.embeddings.word_embeddings.weight");
    Values logits(x.size() / e * spec_.vocabulary);
    const double* bias = has("cls.predictions.bias") ? at("cls.predictions.bias").data() : nullptr;
    linear_forward(logits.data(), x.data(), decoder.data(), bias, x.size() / e, e, spec_.vocabulary);
    return logits;
  }

  /// From hidden (B,T,C): (B,labels), of the first token.
  Values classification(const Values& x, std::size_t tokens) const {
    const Values first = rows(x, tokens, 0);
    return linear("classifier.out_proj", activate(linear("classifier.dense", first, spec_.hidden)),
                  spec_.hidden);
  }
  /// (B,T,labels)
  Values token_classification(const Values& x) const { return linear("classifier", x, spec_.hidden); }
  /// (B,T,2): start and end
  Values question_answering(const Values& x) const { return linear("qa_outputs", x, spec_.hidden); }
  /// (B), of the last token
  Values multiple_choice(const Values& x, std::size_t tokens) const {
    return linear("classifier", rows(x, tokens, tokens - 1), spec_.hidden);
  }

 private:
  bool has(const std::string& name) const { return parameters_.count(name) > 0; }
  const Values& at(const std::string& name) const { return parameters_.at(name); }

  /// Row `place` of every sequence.
  Values rows(const Values& x, std::size_t tokens, std::size_t place) const {
    const std::size_t c = spec_.hidden;
    Values result;
    for (std::size_t b = 0; b < x.size() / (tokens * c); ++b) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>((b * tokens + place) * c);
      result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(c));
    }
    return result;
  }
  Values activate(Values x) const {
    for (double& value : x) value = activation(activation_, value);
    return x;
  }
  Values linear(const std::string& name, const Values& x, std::size_t k) const {
    const Values& weight = at(name + ".weight");
    const std::size_t m = x.size() / k, n = weight.size() / k;
    Values y(m * n);
    linear_forward(y.data(), x.data(), weight.data(),
                   has(name + ".bias") ? at(name + ".bias").data() : nullptr, m, k, n);
    return y;
  }
  Values norm(const std::string& name, const Values& x, std::size_t n) const {
    const std::size_t m = x.size() / n;
    Values y(x.size()), mean(m), rstd(m);
    const bool layer = has(name + ".weight");
    const Norm<double> norm{layer ? NormKind::layer : NormKind::rms,
                            layer ? at(name + ".weight").data() : nullptr,
                            layer ? at(name + ".bias").data() : nullptr, spec_.norm.eps};
    norm_forward(y.data(), mean.data(), rstd.data(), x.data(), norm, m, n);
    return y;
  }
  void rotate(Values& x, std::size_t tokens) const {
    const std::size_t d = spec_.head_dim(), heads = spec_.attention.heads;
    Values theta(d / 2);
    for (std::size_t j = 0; j < d / 2; ++j)
      theta[j] = std::pow(10000.0, -2.0 * static_cast<double>(j) / static_cast<double>(d));
    for (std::size_t row = 0; row < x.size() / d; ++row) {
      const auto position = static_cast<double>(row / heads % tokens);
      Values head(x.begin() + static_cast<std::ptrdiff_t>(row * d),
                  x.begin() + static_cast<std::ptrdiff_t>((row + 1) * d));
      rotate_head(head.data(), x.data() + row * d, position, theta.data(), 1.0, d / 2, Pairing::interleaved);
    }
  }
  Values layer(std::size_t l, const Values& x, const EncoderInput& input) const {
    const std::string prefix = "roformer.encoder.layer." + std::to_string(l) + ".";
    const std::size_t c = spec_.hidden;
    Values q = linear(prefix + "attention.self.query", x, c), k = linear(prefix + "attention.self.key", x, c),
           v = linear(prefix + "attention.self.value", x, c);
    rotate(q, input.sequence);
    rotate(k, input.sequence);
    if (std::get<positions::Rope>(spec_.positions).values) rotate(v, input.sequence);
    nn::AttentionShape shape{};
    shape.batch = input.batch;
    shape.tokens = input.sequence;
    shape.heads = spec_.attention.heads;
    shape.head_dim = spec_.head_dim();
    shape.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.head_dim)));
    const std::vector<std::uint8_t> mask(input.attention_mask.begin(), input.attention_mask.end());
    nn::AttentionTerms terms;
    if (!mask.empty()) terms.key_mask = mask.data();
    Values context(x.size()), probs(input.batch * shape.heads * shape.tokens * shape.tokens);
    attention_forward<double>(context.data(), probs.data(), q.data(), k.data(), v.data(), shape, nullptr,
                              terms);
    const Values attended = added(x, linear(prefix + "attention.output.dense", context, c),
                                  prefix + "attention.output.LayerNorm");
    const Values wide = activate(linear(prefix + "intermediate.dense", attended, c));
    return added(attended, linear(prefix + "output.dense", wide, spec_.feed_forward.width),
                 prefix + "output.LayerNorm");
  }
  Values added(Values x, const Values& branch, const std::string& name) const {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += branch[i];
    return norm(name, x, spec_.hidden);
  }

  Spec spec_;
  std::map<std::string, Values> parameters_;
  nn::Activation activation_;
};

}  // namespace ropewalk::reference
