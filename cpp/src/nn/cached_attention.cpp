#include "nn/cached_attention.hpp"

#include <algorithm>
#include <cstring>

#include "nn/attention_blocks.hpp"
#include "nn/scratch.hpp"
#include "nn/threads.hpp"

namespace ropewalk::nn {
namespace {

/// Elements of one head's keys or values in a block, of whatever architecture.
std::size_t head_size(const CacheShape& shape) {
  return std::max(packed_scratch(shape.head_dim, cache_block), packed_scratch(cache_block, shape.head_dim));
}

/// Index of element d of token `at` in a packed matrix (D,64).
std::size_t key_element(std::size_t panel, std::size_t head_dim, std::size_t at, std::size_t d) {
  return at / panel * panel * head_dim + d * panel + at % panel;
}
/// The same in a packed matrix (64,D).
std::size_t value_element(std::size_t panel, std::size_t at, std::size_t d) {
  return d / panel * panel * cache_block + at * panel + d % panel;
}

std::size_t token_stride(const CacheShape& shape, const HeadStrides& given) {
  return given.token == 0 ? shape.key_heads * shape.head_dim : given.token;
}
std::size_t head_stride(const CacheShape& shape, const HeadStrides& given) {
  return given.head == 0 ? shape.head_dim : given.head;
}

/// Rows of queries that are multiplied together: those of one head at several tokens, or, where there is one
/// new token, those of all heads that share a key head.
struct Rows {
  std::size_t first, stride;              // offset of the first row in the context, and from row to row
  std::size_t query_first, query_stride;  // the same in q
  std::size_t count;
  std::size_t token;       // the token of the cache at which the first row stands
  std::size_t token_step;  // from row to row: 1, or 0
};

class Pass {
 public:
  Pass(Compute compute, float* context, std::span<const CacheRun> runs,
       std::span<const CacheBlock* const> blocks, const CachedAttentionShape& shape)
      : kernels_(compute.dense()), context_(context), runs_(runs), blocks_(blocks), shape_(shape) {}

  void attend(const Rows& rows, std::size_t key_head, float* scores) const {
    const std::size_t before = std::min(shape_.window, shape_.tokens) - 1;
    const std::size_t from = rows.token < before ? 0 : rows.token - before;
    const std::size_t begin = from / cache_block * cache_block;
    const std::size_t end = rows.token + (rows.count - 1) * rows.token_step + 1;
    const auto keys = static_cast<std::ptrdiff_t>(end - begin);
    score(rows, key_head, begin, end, scores);
    const float scale = shape_.soft_cap == 0.0F ? shape_.scale : 1.0F;
    if (shape_.soft_cap != 0.0F)
      kernels_.soft_cap(scores, shape_.scale, shape_.soft_cap, rows.count * (end - begin));
    const std::size_t step = rows.token_step == 0 ? 1 : rows.count;
    for (std::size_t i = 0; i < rows.count; i += step) {
      float* const at = scores + static_cast<std::ptrdiff_t>(i) * keys;
      kernels_.softmax(
          {.x = at,
           .x_row = keys,
           .y = at,
           .y_row = keys,
           .rows = step,
           .columns = end - begin,
           .scale = scale,
           .bias = nullptr,
           .bias_row = 0,
           .mask = nullptr,
           .band = true,
           .first = static_cast<std::ptrdiff_t>(rows.token) - static_cast<std::ptrdiff_t>(before + begin),
           .last = static_cast<std::ptrdiff_t>(rows.token + 1 - begin)});
    }
    weigh(rows, key_head, begin, end, scores);
  }

 private:
  /// scores (rows, end - begin) = q k^T. The last run comes first: each begins with a whole panel, of which
  /// the columns that belong to the run before are then written anew.
  void score(const Rows& rows, std::size_t key_head, std::size_t begin, std::size_t end,
             float* scores) const {
    const std::size_t columns = end - begin;
    for (std::size_t r = runs_.size(); r-- > 0;) {
      const std::size_t run_end = std::min(runs_[r].end, end);
      const std::size_t run_begin = r == 0 ? 0 : runs_[r - 1].end;
      std::size_t at = std::max(begin, run_begin / kernels_.panel * kernels_.panel);
      if (run_begin >= run_end) continue;
      while (at < run_end) {
        const std::size_t block = at / cache_block, inside = at % cache_block;
        const std::size_t count = std::min(cache_block - inside, run_end - at);
        kernels_.gemm({.a = runs_[r].q + rows.query_first,
                       .a_row = static_cast<std::ptrdiff_t>(rows.query_stride),
                       .a_k = 1,
                       .b = blocks_[block]->keys(shape_.cache, key_head) + inside * shape_.cache.head_dim,
                       .bias = nullptr,
                       .c = scores + (at - begin),
                       .c_row = static_cast<std::ptrdiff_t>(columns),
                       .m = rows.count,
                       .n = count,
                       .k = shape_.cache.head_dim,
                       .accumulate = false});
        at += count;
      }
    }
  }

  /// context = probabilities times values, block by block in the order of the tokens.
  void weigh(const Rows& rows, std::size_t key_head, std::size_t begin, std::size_t end,
             const float* scores) const {
    for (std::size_t at = begin; at < end; at += cache_block) {
      kernels_.gemm({.a = scores + (at - begin),
                     .a_row = static_cast<std::ptrdiff_t>(end - begin),
                     .a_k = 1,
                     .b = blocks_[at / cache_block]->values(shape_.cache, key_head),
                     .bias = nullptr,
                     .c = context_ + rows.first,
                     .c_row = static_cast<std::ptrdiff_t>(rows.stride),
                     .m = rows.count,
                     .n = shape_.cache.head_dim,
                     .k = std::min(cache_block, end - at),
                     .accumulate = at > begin,
                     .b_k = cache_block});
    }
  }

  const kernels::DenseKernels& kernels_;
  float* context_;
  std::span<const CacheRun> runs_;
  std::span<const CacheBlock* const> blocks_;
  const CachedAttentionShape& shape_;
};

}  // namespace

std::size_t CacheBlock::size(const CacheShape& shape) { return 2 * shape.key_heads * head_size(shape); }

const float* CacheBlock::keys(const CacheShape& shape, std::size_t head) const {
  return memory_.data() + 2 * head * head_size(shape);
}
const float* CacheBlock::values(const CacheShape& shape, std::size_t head) const {
  return keys(shape, head) + head_size(shape);
}

Status CacheBlock::allocate(const CacheShape& shape, const char* what) {
  if (Status status = memory_.allocate(size(shape), what); !status.ok()) return status;
  // Tokens that are not there yet are multiplied with the rest of their panel, and must be numbers.
  std::fill_n(memory_.data(), memory_.size(), 0.0F);
  return {};
}

Status CacheBlock::copy_from(const CacheBlock& other, const CacheShape& shape, const char* what) {
  if (Status status = memory_.allocate(size(shape), what); !status.ok()) return status;
  std::copy_n(other.memory_.data(), memory_.size(), memory_.data());
  return {};
}

void CacheBlock::write(Compute compute, const CacheShape& shape, std::size_t at, std::size_t count,
                       const float* k, const HeadStrides& k_strides, const float* v,
                       const HeadStrides& v_strides) {
  const std::size_t panel = compute.dense().panel, head_dim = shape.head_dim;
  for (std::size_t head = 0; head < shape.key_heads; ++head) {
    float* const keys = memory_.data() + 2 * head * head_size(shape);
    float* const values = keys + head_size(shape);
    for (std::size_t t = 0; t < count; ++t) {
      const float* const key = k + t * token_stride(shape, k_strides) + head * head_stride(shape, k_strides);
      for (std::size_t d = 0; d < head_dim; ++d) keys[key_element(panel, head_dim, at + t, d)] = key[d];
      if (v == nullptr) continue;
      const float* const value =
          v + t * token_stride(shape, v_strides) + head * head_stride(shape, v_strides);
      for (std::size_t d = 0; d < head_dim; ++d) values[value_element(panel, at + t, d)] = value[d];
    }
  }
}

void CacheBlock::copy(Compute compute, const CacheShape& shape, std::size_t at, std::size_t count,
                      const CacheBlock& other, std::size_t from) {
  const std::size_t panel = compute.dense().panel, head_dim = shape.head_dim;
  for (std::size_t head = 0; head < shape.key_heads; ++head) {
    float* const keys = memory_.data() + 2 * head * head_size(shape);
    float* const values = keys + head_size(shape);
    const float *const other_keys = other.keys(shape, head), *const other_values = other.values(shape, head);
    // The tokens of a panel are neighbours in a row of keys, the channels of a panel in a row of values.
    for (std::size_t t = 0; t < count;) {
      const std::size_t to = at + t, of = from + t;
      const std::size_t run = std::min({count - t, panel - to % panel, panel - of % panel});
      for (std::size_t d = 0; d < head_dim; ++d) {
        std::memmove(keys + key_element(panel, head_dim, to, d),
                     other_keys + key_element(panel, head_dim, of, d), run * sizeof(float));
      }
      t += run;
    }
    for (std::size_t d = 0; d < head_dim; d += panel) {
      std::memmove(values + value_element(panel, at, d), other_values + value_element(panel, from, d),
                   count * panel * sizeof(float));
    }
  }
}

void CacheBlock::read(Compute compute, const CacheShape& shape, std::size_t at, std::size_t count, float* k,
                      float* v) const {
  const std::size_t panel = compute.dense().panel, head_dim = shape.head_dim;
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t head = 0; head < shape.key_heads; ++head, k += head_dim, v += head_dim) {
      for (std::size_t d = 0; d < head_dim; ++d) {
        k[d] = keys(shape, head)[key_element(panel, head_dim, at + t, d)];
        v[d] = values(shape, head)[value_element(panel, at + t, d)];
      }
    }
  }
}

std::size_t cached_attention_scratch(const CachedAttentionShape& shape) {
  const std::size_t rows = shape.queries == 1 ? shape.heads : std::min(query_block, shape.queries);
  const std::size_t reach = shape.window == no_window ? shape.tokens : shape.window + rows + cache_block;
  return scratch_lines(rows * std::min(shape.tokens, reach));
}

void cached_attention(Compute compute, float* context, std::span<const CacheRun> runs,
                      std::span<const CacheBlock* const> blocks, const CachedAttentionShape& shape,
                      float* scratch) {
  const Pass pass(compute, context, runs, blocks, shape);
  const std::size_t heads = shape.heads, head_dim = shape.cache.head_dim, groups = shape.cache.key_heads;
  const std::size_t held = shape.tokens - shape.queries;
  const std::size_t row = heads * head_dim, query_row = shape.query_token == 0 ? row : shape.query_token;
  const auto first_head = [&](std::size_t group) { return (group * heads + groups - 1) / groups; };
  // A product needs several rows: one new token gives the heads that share a key head, several give those of a head.
  const auto attend_group = [&](std::size_t group, float* scores) {
    const std::size_t h = first_head(group), count = first_head(group + 1) - h;
    if (count > 0)
      pass.attend({h * head_dim, head_dim, h * head_dim, head_dim, count, held, 0}, group, scores);
  };
  const std::size_t query_blocks = (shape.queries + query_block - 1) / query_block;
  const auto attend_block = [&](std::size_t part, float* scores) {
    const std::size_t h = part / query_blocks, first = part % query_blocks * query_block;
    pass.attend({first * row + h * head_dim, row, first * query_row + h * head_dim, query_row,
                 std::min(query_block, shape.queries - first), held + first, 1},
                h * groups / heads, scores);
  };
  const bool single = shape.queries == 1;
  const std::size_t parts = single ? groups : heads * query_blocks;
  const auto attend = [&](std::size_t part, float* scores) {
    single ? attend_group(part, scores) : attend_block(part, scores);
  };
  Threads* const threads = threads_for(
      compute, std::uint64_t{2} * heads * shape.queries * std::min(shape.tokens, shape.window) * head_dim);
  if (threads == nullptr || !threads->reserve(cached_attention_scratch(shape) * sizeof(float))) {
    for (std::size_t part = 0; part < parts; ++part) attend(part, scratch);
    return;
  }
  in_parts(*threads, parts, [&](std::size_t part, std::size_t thread) {
    attend(part, static_cast<float*>(threads->scratch(thread)));
  });
}

}  // namespace ropewalk::nn
