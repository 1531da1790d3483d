#include "decoder/attend.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "rope/rotate_on.hpp"

namespace ropewalk::decoder {
namespace {

constexpr std::size_t block = nn::cache_block;

}  // namespace

Result<Feed> Feed::make(Cache& cache, Scratch& scratch, std::size_t heads, std::size_t piece,
                        std::size_t begin, std::size_t end) {
  Feed feed(cache, scratch);
  feed.runs_ = cache.runs().all();
  feed.shift_ = cache.stored() == StoredKeys::raw ? 0 : cache.runs().next_shift();
  if (feed.runs_.empty() || feed.runs_.back().shift != feed.shift_)
    feed.runs_.push_back({begin, feed.shift_});
  if (cache.stored() == StoredKeys::raw) feed.runs_ = {{begin, 0}};

  const Layout& layout = cache.layout();
  std::size_t all_heads = 0;  // H+K,D
  nn::CacheShape largest{.key_heads = 0, .head_dim = 0};
  for (std::size_t l = 0; l < layout.layers(); ++l) {
    const nn::CacheShape& each = layout.shape_of(l);
    all_heads = std::max(all_heads, heads * each.head_dim + layout.row(l));
    if (nn::CacheBlock::size(each) > nn::CacheBlock::size(largest)) largest = each;
  }
  const std::size_t row = layout.widest_row(), rows = std::max(piece, block);
  nn::CachedAttentionShape shape{
      .queries = piece, .heads = heads, .cache = largest, .scale = 1, .tokens = end};
  std::size_t scores = nn::cached_attention_scratch(shape);
  shape.queries = 1;
  scores = std::max(scores, nn::cached_attention_scratch(shape));
  constexpr const char* what = "decoder: feed";
  for (Status status : {scratch.rotated.reserve(feed.runs_.size() * piece * all_heads, what),
                        scratch.keys.reserve(rows * row, what), scratch.values.reserve(rows * row, what),
                        scratch.scores.reserve(scores, what)}) {
    if (!status.ok()) return status;
  }
  // The cache keeps its states until all passes are done.
  if (layout.has_states()) {
    if (scratch.states.use_count() != 1) scratch.states = std::make_shared<Buffer<float>>();
    ROPEWALK_TRY(scratch.states->reserve(layout.states.back(), what));
    if (cache.states() == nullptr) {
      std::ranges::fill(scratch.states->span(), 0.0F);
    } else {
      std::ranges::copy(cache.states()->span(), scratch.states->data());
    }
  }
  if (feed.expands()) {
    while (scratch.blocks.size() < (end + block - 1) / block) {
      nn::CacheBlock fresh;
      ROPEWALK_TRY(fresh.allocate(largest, what));
      scratch.blocks.push_back(std::move(fresh));
    }
  }
  return feed;
}

void Feed::rotate(std::size_t layer, const nn::AttentionShape& shape, const float* qkv, const float* gain) {
  const std::size_t all_heads = shape.heads + shape.key_heads, row = all_heads * shape.head_dim;
  float* out = scratch_->rotated.data();
  for (std::size_t t = 0; t < shape.tokens; ++t)
    std::memcpy(out + t * row, qkv + t * shape.token_stride, row * sizeof(float));
  for (std::size_t r = 1; r < runs_.size(); ++r)
    std::memcpy(out + r * shape.tokens * row, out, shape.tokens * row * sizeof(float));
  turn(layer, shape, out);
  for (std::size_t t = 0; t < runs_.size() * shape.tokens && gain != nullptr; ++t) {
    for (std::size_t i = 0; i < shape.heads * shape.head_dim; ++i)
      out[t * row + i] *= gain[i % shape.head_dim];
  }
}

void Feed::turn(std::size_t layer, const nn::AttentionShape& shape, float* out) {
  const std::size_t all_heads = shape.heads + shape.key_heads, row = all_heads * shape.head_dim;
  const Layout& layout = cache_->layout();
  const std::optional<std::size_t>& rope = layout.ropes[layer];
  if (!rope) return;
  scratch_->positions.clear();
  for (const Run& run : runs_) {
    for (std::size_t t = 0; t < shape.tokens; ++t)
      scratch_->positions.push_back(static_cast<double>(static_cast<std::int64_t>(at_ + t) + run.shift));
  }
  const std::size_t rows = runs_.size() * shape.tokens;
  const std::span<float> all(out, rows * row);
  const Rope& rotation = (*cache_->ropes())[*rope];
  keep(rotate_others(
      cache_->still(), {cache_->layout().keys_of[layer], rotation, all, shape.heads, shape.key_heads},
      rotation.magnitude(), [&] {
        return rotate_on(layout.compute.architecture(), rotation, std::span<const float>(all), all,
                         {.sequence = rows, .heads = all_heads, .positions = scratch_->positions}, Role::key);
      }));
  // The scale of a query is that of its place in the text, whichever run of keys it meets.
  for (std::size_t t = 0; t < rows; ++t) {
    const auto at = static_cast<double>(at_ + t % shape.tokens);
    double scale = 1;
    keep(rotation.try_query_scales(std::span(&at, 1), std::span(&scale, 1)));
    if (scale != 1) {
      float* const query = out + t * row;
      layout.compute.dense().scale(static_cast<float>(scale), query, query, shape.heads * shape.head_dim);
    }
  }
}

void Feed::expand(std::size_t layer, std::size_t first_block, std::size_t end) {
  const Layout& layout = cache_->layout();
  float *const k = scratch_->keys.data(), *const v = scratch_->values.data();
  for (std::size_t b = first_block; b * block < end; ++b) {
    const std::size_t count = std::min(block, end - b * block);
    cache_->read(layer, b * block, count, k, v);
    if (cache_->stored() == StoredKeys::raw && layout.ropes[layer]) {
      const std::span<float> keys(k, count * layout.row(layer));
      const Placement placement{.sequence = count,
                                .heads = layout.shape_of(layer).key_heads,
                                .positions = static_cast<double>(b * block)};
      const Rope& rope = (*cache_->ropes())[*layout.ropes[layer]];
      keep(rotate_others(cache_->still(), {layer, rope, keys, 0, placement.heads}, rope.magnitude(), [&] {
        return rotate_on(layout.compute.architecture(), rope, std::span<const float>(keys), keys, placement,
                         Role::key);
      }));
    }
    scratch_->blocks[b].write(layout.compute, layout.shape_of(layer), 0, count, k, {}, v, {});
  }
}

/// The cache holds a row of C channels as keys and values of C / 2 each.
void Feed::recall(std::size_t layer, std::size_t before, std::size_t tokens, float* x) {
  const Layout& layout = cache_->layout();
  const std::size_t channels = layout.channels, row = layout.row(layer), rest = channels - row;
  const std::size_t held = std::min(before, at_);
  float *const k = scratch_->keys.data(), *const v = scratch_->values.data();
  for (std::size_t t = 0; t < tokens; ++t) {
    const float* const input = x + (before + t) * channels;
    std::memcpy(k + t * row, input, row * sizeof(float));
    std::fill_n(v + t * row, row, 0.0F);
    std::memcpy(v + t * row, input + row, rest * sizeof(float));
  }
  cache_->write(layer, at_, tokens, k, v);
  std::fill_n(x, (before - held) * channels, 0.0F);
  // New inputs are read back where the cache rounds, so that a text in pieces has the inputs of one at once.
  const std::size_t end = cache_->type() == CacheType::float32 ? at_ : at_ + tokens;
  for (std::size_t at = at_ - held; at < end; ++at) {
    cache_->read(layer, at, 1, k, v);
    float* const input = x + (before + at - at_) * channels;
    std::memcpy(input, k, row * sizeof(float));
    std::memcpy(input + row, v, rest * sizeof(float));
  }
}

void Feed::attend(std::size_t layer, const nn::AttentionShape& shape, const float* qkv, const float* gain,
                  float* context) {
  const Layout& layout = cache_->layout();
  const std::size_t tokens = shape.tokens, head_dim = shape.head_dim, queries = shape.heads * head_dim;
  // A layer that attends to the keys of another brings none.
  const std::size_t source = layout.keys_of[layer], keys = shape.key_heads * head_dim;
  const std::size_t row = queries + keys, end = at_ + tokens;
  rotate(layer, shape, qkv, gain);

  float *const k = scratch_->keys.data(), *const v = scratch_->values.data();
  const float* const last = scratch_->rotated.data() + (runs_.size() - 1) * tokens * row;
  const bool raw = cache_->stored() == StoredKeys::raw;
  for (std::size_t t = 0; t < tokens && keys != 0; ++t) {
    const float* const projected = qkv + t * shape.token_stride;
    std::memcpy(k + t * keys, (raw ? projected : last + t * row) + queries, keys * sizeof(float));
    std::memcpy(v + t * keys, projected + row, keys * sizeof(float));
  }
  if (keys != 0) cache_->write(layer, at_, tokens, k, v);

  const std::size_t window = layout.windows[layer].value_or(nn::no_window);
  const std::size_t reach = window >= at_ ? 0 : at_ - window;
  if (expands()) expand(source, reach / block, end);
  std::vector<const nn::CacheBlock*> blocks;
  const auto own = cache_->blocks(source);
  for (std::size_t b = 0; b * block < end; ++b)
    blocks.push_back(expands() ? &scratch_->blocks[b] : &own[b]->packed());
  std::vector<nn::CacheRun> runs;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    const bool takes_new = r + 1 == runs_.size();
    runs.push_back({takes_new ? end : runs_[r].end, scratch_->rotated.data() + r * tokens * row});
  }
  nn::cached_attention(layout.compute, context, runs, blocks,
                       {.queries = tokens,
                        .heads = shape.heads,
                        .cache = layout.shape_of(source),
                        .scale = shape.scale,
                        .tokens = end,
                        .window = window,
                        .soft_cap = shape.soft_cap,
                        .query_token = row},
                       scratch_->scores.data());
}

}  // namespace ropewalk::decoder
