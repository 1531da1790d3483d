#include "decoder/cache.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "rope/rotate_on.hpp"

namespace ropewalk::decoder {
namespace {

constexpr std::size_t block = nn::cache_block;
constexpr const char* what = "decoder: cache";

std::size_t blocks_of(std::size_t tokens) { return (tokens + block - 1) / block; }

/// The positions at which keys [begin, end) were rotated.
void stored_positions(const Runs& runs, std::size_t begin, std::size_t end, std::vector<double>& positions) {
  positions.clear();
  std::size_t at = begin;
  for (const Run& run : runs.all()) {
    for (; at < std::min(run.end, end); ++at)
      positions.push_back(static_cast<double>(static_cast<std::int64_t>(at) + run.shift));
  }
}

void present_positions(std::size_t begin, std::size_t end, std::int64_t shift,
                       std::vector<double>& positions) {
  positions.clear();
  for (std::size_t at = begin; at < end; ++at)
    positions.push_back(static_cast<double>(static_cast<std::int64_t>(at) + shift));
}

}  // namespace

std::size_t Cache::bytes() const {
  std::size_t bytes = states_ == nullptr ? 0 : states_->size() * sizeof(float);
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    for (const std::shared_ptr<Block>& each : blocks_[l]) bytes += each->bytes(layout_->shape_of(l));
  }
  return bytes;
}

Status Cache::own(std::size_t from, std::size_t to) {
  if (from >= to) return {};
  const std::size_t first = from / block, last = blocks_of(to);
  std::vector<Blocks> made(blocks_.size());
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    for (std::size_t b = first; b < last; ++b) {
      const bool exists = b < blocks_[l].size();
      if (exists && blocks_[l][b].use_count() == 1) {
        made[l].push_back(blocks_[l][b]);
        continue;
      }
      auto fresh = std::make_shared<Block>();
      const nn::CacheShape shape = layout_->shape_of(l);
      ROPEWALK_TRY(exists ? fresh->copy_from(layout_->compute, *blocks_[l][b], shape)
                          : fresh->allocate(shape, type_));
      made[l].push_back(std::move(fresh));
    }
  }
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    blocks_[l].resize(std::max(blocks_[l].size(), last));
    std::ranges::move(made[l], blocks_[l].begin() + static_cast<std::ptrdiff_t>(first));
  }
  return {};
}

void Cache::write(std::size_t layer, std::size_t at, std::size_t count, const float* k, const float* v) {
  const std::size_t row = layout_->row(layer);
  while (count > 0) {
    const std::size_t inside = at % block, take = std::min(count, block - inside);
    blocks_[layer][at / block]->write(layout_->compute, layout_->shape_of(layer), inside, take, k, v);
    at += take, count -= take, k += take * row, v += take * row;
  }
}

void Cache::read(std::size_t layer, std::size_t at, std::size_t count, float* k, float* v) const {
  const std::size_t row = layout_->row(layer);
  while (count > 0) {
    const std::size_t inside = at % block, take = std::min(count, block - inside);
    blocks_[layer][at / block]->read(layout_->compute, layout_->shape_of(layer), inside, take, k, v);
    at += take, count -= take, k += take * row, v += take * row;
  }
}

void Cache::extend(std::span<const std::int32_t> ids, std::int64_t shift) {
  runs_.extend(ids.size(), shift);
  tokens_.insert(tokens_.end(), ids.begin(), ids.end());
}

void Cache::trim(std::size_t length) {
  if (length == 0) states_.reset();
  tokens_.resize(length);
  runs_.trim(length);
  for (Blocks& layer : blocks_) layer.resize(std::min(layer.size(), blocks_of(length)));
}

void Cache::move(std::size_t layer, std::size_t at, std::size_t count, const Blocks& source,
                 std::size_t from) {
  while (count > 0) {
    const std::size_t take = std::min({count, block - at % block, block - from % block});
    blocks_[layer][at / block]->copy(layout_->compute, layout_->shape_of(layer), at % block, take,
                                     *source[from / block], from % block);
    at += take, from += take, count -= take;
  }
}

Status Cache::drop(std::size_t from, std::size_t to, bool rotate) {
  if (from == to) return {};
  if (to - from == length()) states_.reset();
  const std::size_t gone = to - from, left = length() - gone;
  if (gone % block == 0) {
    // Tokens keep their places in their blocks: after those of the first, whole blocks move.
    const std::size_t copied = std::min(left, blocks_of(from) * block) - from;
    ROPEWALK_TRY(own(from, from + copied));
    for (std::size_t l = 0; l < blocks_.size(); ++l) {
      move(l, from, copied, blocks_[l], to);
      const auto first = blocks_[l].begin() + static_cast<std::ptrdiff_t>(blocks_of(from));
      blocks_[l].erase(first, first + static_cast<std::ptrdiff_t>(gone / block));
    }
  } else {
    ROPEWALK_TRY(own(from, left));
    for (std::size_t l = 0; l < blocks_.size(); ++l) {
      move(l, from, left - from, blocks_[l], to);
      blocks_[l].resize(blocks_of(left));
    }
  }
  tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(from),
                tokens_.begin() + static_cast<std::ptrdiff_t>(to));
  runs_.drop(from, to, rotate);
  ++(rotate ? drops_ : unrotated_);
  return {};
}

Status Cache::append(const Cache& chunk, std::size_t from, std::size_t to) {
  const std::size_t begin = length(), end = begin + (to - from);
  if (from == to) return {};
  const bool turns = stored_ == StoredKeys::rotated && !ropes_->equals(*chunk.ropes_);
  // The shifts from which the keys of the chunk are turned, by places of this cache.
  Runs own_runs = runs_;
  own_runs.append(chunk.runs_, from, to);
  if (begin % block == 0 && from % block == 0 && !turns) {
    for (std::size_t l = 0; l < blocks_.size(); ++l) {
      const auto first = chunk.blocks_[l].begin() + static_cast<std::ptrdiff_t>(from / block);
      blocks_[l].resize(begin / block);
      blocks_[l].insert(blocks_[l].end(), first, first + static_cast<std::ptrdiff_t>(blocks_of(to - from)));
    }
    runs_ = std::move(own_runs);
  } else {
    ROPEWALK_TRY(own(begin, end));
    for (std::size_t l = 0; l < blocks_.size(); ++l) move(l, begin, to - from, chunk.blocks_[l], from);
    if (turns) {
      const std::int64_t shift = runs_.next_shift();
      ROPEWALK_TRY(turn(begin, end, *chunk.ropes_, own_runs, *ropes_, shift));
      runs_.extend(to - from, shift);
    } else {
      runs_ = std::move(own_runs);
    }
  }
  if (begin == 0) states_ = chunk.states_;
  tokens_.insert(tokens_.end(), chunk.tokens_.begin() + static_cast<std::ptrdiff_t>(from),
                 chunk.tokens_.begin() + static_cast<std::ptrdiff_t>(to));
  ++appended_;
  return {};
}

Status Cache::turn(std::size_t begin, std::size_t end, const Ropes& from, const Runs& runs, const Ropes& to,
                   std::int64_t shift) {
  const std::size_t widest = layout_->widest_row();
  Buffer<float> memory;
  ROPEWALK_TRY(memory.allocate(2 * block * widest, what));
  float *const k = memory.data(), *const v = k + block * widest;
  std::vector<double> before, after;
  for (std::size_t at = begin; at < end;) {
    const std::size_t take = std::min(end - at, block - at % block);
    stored_positions(runs, at, at + take, before);
    present_positions(at, at + take, shift, after);
    for (std::size_t l = 0; l < layout_->layers(); ++l) {
      if (!layout_->ropes[l] || layout_->keys_of[l] != l) continue;
      const nn::CacheShape& shape = layout_->shape_of(l);
      Block& stored = *blocks_[l][at / block];
      stored.read(layout_->compute, shape, at % block, take, k, v);
      const std::span<float> keys(k, take * layout_->row(l));
      const Rope &old = from[*layout_->ropes[l]], &next = to[*layout_->ropes[l]];
      const double scale = next.magnitude() / old.magnitude();
      Status status = rotate_others(still_, {l, old, keys, 0, shape.key_heads}, scale, [&] {
        return rerotate_on(layout_->compute.architecture(), old, std::span<const float>(keys), keys,
                           {.sequence = take, .heads = shape.key_heads, .positions = before},
                           {.positions = after, .rope = &next});
      });
      if (!status.ok()) return status;
      stored.write_keys(layout_->compute, shape, at % block, take, k);
    }
    at += take;
  }
  return {};
}

Status Cache::turn_to(RopesPtr ropes) {
  if (stored_ == StoredKeys::rotated && length() > 0 && !ropes_->equals(*ropes)) {
    // On a copy, so that an error leaves this as it is.
    Cache turned = *this;
    ROPEWALK_TRY(turned.own(0, length()));
    ROPEWALK_TRY(turned.turn(0, length(), *ropes_, runs_, *ropes, 0));
    turned.runs_.reset(length());
    ++turned.turns_;
    *this = std::move(turned);
  }
  ropes_ = std::move(ropes);
  return {};
}

Status Cache::keys(std::size_t layer, float* out) const {
  layer = layout_->keys_of[layer];
  const std::size_t row = layout_->row(layer);
  Buffer<float> values;
  ROPEWALK_TRY(values.allocate(std::min(length(), block) * row, what));
  std::vector<double> before, after;
  for (std::size_t at = 0; at < length(); at += block) {
    const std::size_t take = std::min(block, length() - at);
    const std::span<float> keys(out + at * row, take * row);
    read(layer, at, take, keys.data(), values.data());
    if (!layout_->ropes[layer]) continue;
    const Rope& rope = (*ropes_)[*layout_->ropes[layer]];
    present_positions(at, at + take, 0, after);
    Placement placement{.sequence = take, .heads = layout_->shape_of(layer).key_heads};
    const bool raw = stored_ == StoredKeys::raw;
    if (!raw) stored_positions(runs_, at, at + take, before);
    if (before == after) continue;
    placement.positions = Positions(raw ? after : before);
    const double scale = raw ? rope.magnitude() : 1;
    const auto& architecture = layout_->compute.architecture();
    Status status = rotate_others(still_, {layer, rope, keys, 0, placement.heads}, scale, [&] {
      const std::span<const float> held(keys);
      return raw ? rotate_on(architecture, rope, held, keys, placement, Role::key)
                 : rerotate_on(architecture, rope, held, keys, placement, {.positions = after});
    });
    if (!status.ok()) return status;
  }
  return {};
}

void Cache::set_history(Runs runs, std::vector<std::int32_t> tokens, std::size_t turns, std::size_t drops,
                        std::size_t unrotated, std::size_t appended) {
  runs_ = std::move(runs);
  tokens_ = std::move(tokens);
  turns_ = turns;
  drops_ = drops;
  unrotated_ = unrotated;
  appended_ = appended;
}

}  // namespace ropewalk::decoder
