// Disentangled attention (He et al., arXiv 2006.03654) as DeBERTa v2 and v3 have it. The queries and keys of a distance are
// made of its row in a table, by the layers of the tokens' own or by two of the encoding's. With d = i - j and r(d) its row,
//   score(i,j) = scale (q_i . k_j + q_i . k_r(d) + k_j . q_r(d)).

#include "model/position_encoding/kinds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "nn/linear.hpp"
#include "nn/norm.hpp"
#include "nn/scratch.hpp"
#include "nn/threads.hpp"

namespace ropewalk::model::position_encoding {
namespace {

using nn::packed_scratch;
using nn::scratch_lines;

std::ptrdiff_t stride(std::size_t count) { return static_cast<std::ptrdiff_t>(count); }

class Disentangled final : public PositionEncoding {
 public:
  Disentangled(const Spec& spec, const positions::Disentangled& options)
      : options_(options),
        width_(spec.hidden),
        heads_(spec.attention.heads),
        head_dim_(spec.head_dim()),
        norm_(spec.norm) {}

  void add_parameters(Builder& builder) override {
    using parameters::Initial;
    table_ = builder.of_positions("positions.distances", ".weight", {2 * options_.rows, width_},
                                  Initial::normal, true);
    if (!options_.norm) return;
    gain_ = builder.of_positions("positions.norm", ".weight", {width_}, Initial::ones, false);
    bias_ = builder.of_positions("positions.norm", ".bias", {width_}, Initial::zeros, false);
  }

  void add_layer_parameters(Builder& builder) override {
    if (options_.shared) return;
    using parameters::Initial;
    Layer layer;
    const std::size_t outputs = heads_ * head_dim_;
    for (const auto& [used, role, projection] :
         {Part{options_.position_to_content, "attention.position_query", &layer.query},
          Part{options_.content_to_position, "attention.position_key", &layer.key}}) {
      if (!used) continue;
      projection->weight = builder.of_positions(role, ".weight", {outputs, width_}, Initial::normal, true);
      projection->bias = builder.of_positions(role, ".bias", {outputs}, Initial::zeros, false);
    }
    layers_.push_back(std::move(layer));
  }

  Status update(nn::Compute compute, const float* parameters) override {
    const std::size_t rows = 2 * options_.rows;
    ROPEWALK_TRY(rows_.reserve(rows * width_, "positions: distances"));
    std::copy_n(parameters + table_, rows * width_, rows_.data());
    if (options_.norm) {
      nn::norm_forward(
          compute, rows_.data(), nullptr, nullptr, rows_.data(),
          {NormKind::layer, parameters + gain_, parameters + bias_, static_cast<float>(norm_.eps)}, rows,
          width_);
    }
    for (Layer& layer : layers_) {
      for (Projection* each : {&layer.query, &layer.key}) {
        if (each->weight == absent) continue;
        ROPEWALK_TRY(each->packed.pack(compute, parameters + each->weight, heads_ * head_dim_, width_));
      }
    }
    return {};
  }

  Status prepare(nn::Compute, std::size_t tokens) override {
    if (tokens <= tokens_) return {};
    Buffer<std::uint32_t> rows;
    ROPEWALK_TRY(rows.allocate(2 * tokens - 1, "positions: distances"));
    const std::ptrdiff_t half = stride(options_.rows);
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const std::ptrdiff_t bucket = distance_bucket(stride(n) - stride(tokens - 1), options_);
      rows[n] = static_cast<std::uint32_t>(std::clamp(bucket + half, std::ptrdiff_t{0}, 2 * half - 1));
    }
    row_of_ = std::move(rows);
    tokens_ = tokens;
    return {};
  }

  Rows projected_rows(std::size_t tokens) const override {
    return options_.shared ? rows_within(tokens) : Rows();
  }

  void attend(const Attention& pass) const override {
    const std::size_t tokens = pass.shape.tokens, each = tokens * tokens;
    const KeysAndValues at(pass.shape);
    Distances distances = this->distances(pass);
    float* const bias = distances.end;  // (H,T,T)
    float* const rest = bias + scratch_lines(heads_ * each);
    const std::size_t own = head_scratch(tokens);
    for (std::size_t b = 0; b < pass.shape.batch; ++b) {
      float* const qkv = pass.qkv + b * tokens * pass.shape.token_stride;
      const auto fill = [&](std::size_t h, float* scratch) {
        fill_bias(pass.compute, bias + h * each, qkv + h * head_dim_, qkv + at.key + h * head_dim_,
                  pass.shape, distances.of_head(h * head_dim_), scratch);
      };
      Threads* const threads =
          nn::threads_for(pass.compute, std::uint64_t{2} * heads_ * tokens * distances.count * head_dim_);
      if (threads != nullptr && threads->reserve(own * sizeof(float))) {
        nn::in_parts(*threads, heads_, [&](std::size_t h, std::size_t thread) {
          fill(h, static_cast<float*>(threads->scratch(thread)));
        });
      } else {
        for (std::size_t h = 0; h < heads_; ++h) fill(h, rest);
      }
      nn::AttentionShape shape = pass.shape;
      shape.batch = 1;
      nn::AttentionTerms terms = pass.terms;
      terms.bias = bias;
      if (terms.key_mask != nullptr) terms.key_mask += b * tokens;
      if (terms.pair_mask != nullptr && terms.mask_per_batch) terms.pair_mask += b * each;
      if (terms.scores != nullptr) terms.scores += b * heads_ * each;
      nn::attention_forward(pass.compute, pass.context + b * tokens * heads_ * head_dim_,
                            pass.probs == nullptr ? nullptr : pass.probs + b * heads_ * each, qkv,
                            qkv + at.key, qkv + at.value, shape, terms, rest);
    }
  }

  std::size_t forward_scratch(const nn::AttentionShape& shape, bool with_probs) const override {
    const std::size_t rows = options_.shared ? 0 : rows_within(shape.tokens).count;
    return 2 * scratch_lines(rows * heads_ * head_dim_) +
           scratch_lines(heads_ * shape.tokens * shape.tokens) +
           std::max(head_scratch(shape.tokens), PositionEncoding::forward_scratch(shape, with_probs));
  }

 private:
  struct Projection {
    std::uint64_t weight = absent, bias = absent;  // (H D, C) and (H D)
    nn::PackedWeight packed;
  };
  struct Layer {
    Projection query, key;
  };
  struct Part {
    bool used;
    std::string_view role;
    Projection* projection;
  };
  /// Queries and keys of the distances of a pass, (count) rows with `row` elements from one to the next; nullptr: none.
  struct Distances {
    const float *query, *key;
    std::size_t count, row;
    float* end;  // of the scratch that they take

    Distances of_head(std::size_t offset) const {
      Distances own = *this;
      for (const float** each : {&own.query, &own.key}) {
        if (*each != nullptr) *each += offset;
      }
      return own;
    }
  };

  /// The row of distance 0, between those of shorter and longer ones. Distances of a text are below T.
  const std::uint32_t* rows_of_distances() const { return row_of_.data() + tokens_ - 1; }
  /// Rows of all distances in a text: neighbours in the table.
  Rows rows_within(std::size_t tokens) const {
    const std::uint32_t* const zero = rows_of_distances();
    const std::size_t first = *(zero - (tokens - 1)), last = zero[tokens - 1];
    return {rows_.data() + first * width_, last - first + 1};
  }

  Distances distances(const Attention& pass) const {
    const std::size_t outputs = heads_ * head_dim_, tokens = pass.shape.tokens;
    const Rows rows = rows_within(tokens);
    if (options_.shared) {
      return {.query = options_.position_to_content ? pass.projected : nullptr,
              .key = options_.content_to_position ? pass.projected + outputs : nullptr,
              .count = rows.count,
              .row = 2 * outputs,
              .end = pass.scratch};
    }
    const Layer& layer = layers_[pass.layer];
    float* const queries = pass.scratch;
    float* const keys = queries + scratch_lines(rows.count * outputs);
    for (const auto& [projection, out] : {std::pair(&layer.query, queries), std::pair(&layer.key, keys)}) {
      if (projection->weight == absent) continue;
      nn::linear_forward(pass.compute, out, rows.values, projection->packed,
                         pass.parameters + projection->bias, rows.count);
    }
    return {.query = layer.query.weight == absent ? nullptr : queries,
            .key = layer.key.weight == absent ? nullptr : keys,
            .count = rows.count,
            .row = outputs,
            .end = keys + scratch_lines(rows.count * outputs)};
  }

  /// Scratch of fill_bias.
  std::size_t head_scratch(std::size_t tokens) const {
    const std::size_t count = rows_within(tokens).count;
    return packed_scratch(head_dim_, std::max(tokens, count)) + 2 * scratch_lines(tokens * count);
  }

  /// bias (T,T) of one head of one text, from its queries and keys (T,D) and those of distances (N,D).
  void fill_bias(nn::Compute compute, float* bias, const float* query, const float* key,
                 const nn::AttentionShape& shape, const Distances& distances, float* scratch) const {
    const auto& dense = compute.dense();
    const std::size_t tokens = shape.tokens, count = distances.count;
    float* const packed = scratch;
    float* const by_query = packed + packed_scratch(head_dim_, std::max(tokens, count));  // (T,N)
    float* const by_key = by_query + scratch_lines(tokens * count);                       // (N,T)
    if (distances.key != nullptr) {
      dense.pack({distances.key, 1, stride(distances.row), packed, head_dim_, count});
      product(compute, by_query, query, shape.token_stride, packed, tokens, count);
      dense.scale(shape.scale, by_query, by_query, tokens * count);
    } else {
      std::fill_n(by_query, tokens * count, 0.0F);
    }
    if (distances.query != nullptr) {
      dense.pack({key, 1, stride(shape.token_stride), packed, head_dim_, tokens});
      product(compute, by_key, distances.query, distances.row, packed, count, tokens);
      dense.scale(shape.scale, by_key, by_key, tokens * count);
    } else {
      std::fill_n(by_key, tokens * count, 0.0F);
    }
    const std::uint32_t* const zero = rows_of_distances();
    const std::uint32_t first = *(zero - (tokens - 1));
    for (std::size_t i = 0; i < tokens; ++i) {
      const std::uint32_t* const rows = zero + i;
      for (std::size_t j = 0; j < tokens; ++j) {
        const std::size_t row = *(rows - j) - first;
        bias[i * tokens + j] = by_query[i * count + row] + by_key[row * tokens + j];
      }
    }
  }

  /// c (M,N) = a (M,D) b (D,N), with b packed.
  void product(nn::Compute compute, float* c, const float* a, std::size_t a_row, const float* b,
               std::size_t m, std::size_t n) const {
    compute.dense().gemm({.a = a,
                          .a_row = stride(a_row),
                          .a_k = 1,
                          .b = b,
                          .bias = nullptr,
                          .c = c,
                          .c_row = stride(n),
                          .m = m,
                          .n = n,
                          .k = head_dim_,
                          .accumulate = false});
  }

  positions::Disentangled options_;
  std::size_t width_, heads_, head_dim_;
  NormSpec norm_;
  std::uint64_t table_ = 0, gain_ = absent, bias_ = absent;  // (2 rows, C), (C), (C)
  std::vector<Layer> layers_;                                // empty where the layers' own are shared
  Buffer<float> rows_;                                       // (2 rows, C), after the norm
  std::size_t tokens_ = 0;                                   // of the longest text so far
  Buffer<std::uint32_t> row_of_;  // the row of each distance in it, from the most negative one on
};

}  // namespace

std::ptrdiff_t distance_bucket(std::ptrdiff_t distance, const positions::Disentangled& options) {
  const std::ptrdiff_t middle = stride(options.buckets / 2), size = distance < 0 ? -distance : distance;
  if (options.buckets == 0 || size <= middle) return distance;
  const double ratio = std::log(static_cast<double>(size) / static_cast<double>(middle)) /
                       std::log(static_cast<double>(options.furthest - 1) / static_cast<double>(middle));
  const double steps = std::ceil(ratio * static_cast<double>(middle - 1));
  const std::ptrdiff_t bucket = middle + static_cast<std::ptrdiff_t>(steps);
  return distance < 0 ? -bucket : bucket;
}

Made make_disentangled(const Spec& spec, const positions::Disentangled& options) {
  const auto refuse = [&](std::string_view field, std::size_t value, std::string_view allowed) {
    return out_of_range(spec.family, field, value, allowed);
  };
  if (options.rows < 1 || options.rows > 1 << 20)
    return refuse("positions.rows", options.rows, "a whole number from 1 to 1048576");
  if (options.buckets != 0 && (options.buckets < 2 || options.furthest < options.buckets / 2 + 2))
    return refuse("positions.furthest", options.furthest,
                  "more than `buckets` / 2 + 1, with at least 2 buckets");
  return std::unique_ptr<PositionEncoding>(std::make_unique<Disentangled>(spec, options));
}

}  // namespace ropewalk::model::position_encoding
