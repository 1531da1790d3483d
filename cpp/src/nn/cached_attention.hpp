#pragma once

// Attention of new queries over cached keys and values: what a decoder does for a prompt and for each token
// after it. Keys and values are kept in blocks of 64 tokens, in the order in which the matrix product reads
// them, so that nothing is packed when a token is read again; a block can be shared, or replaced by its copy.
//
// A key stays as it was rotated when it came. When tokens before it are dropped, its position becomes lower
// by some shift, and instead of rotating the key again the queries are rotated for it: with R the rotation,
// (R(i) q) . (R(j - s) k) = (R(i + s) q) . (R(j) k). So the keys fall into runs of one shift, and for each
// run the caller gives the queries rotated at their positions plus that shift. However often tokens are
// dropped, every score has the error of one rotation of its query and one of its key.

#include <cstddef>
#include <span>

#include "base/buffer.hpp"
#include "nn/attention.hpp"
#include "nn/compute.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk::nn {

/// Tokens of a block.
inline constexpr std::size_t cache_block = 64;

/// K heads of D elements.
struct CacheShape {
  std::size_t key_heads, head_dim;
};

/// The keys and values of up to 64 neighbouring tokens of one layer. The architecture that writes a block has
/// to be the one that reads it.
class CacheBlock {
 public:
  /// Memory for 64 tokens; `what` begins the message of a failure.
  Status allocate(const CacheShape& shape, const char* what);
  bool allocated() const { return memory_.size() != 0; }
  /// The same contents in memory of its own.
  Status copy_from(const CacheBlock& other, const CacheShape& shape, const char* what);

  /// Takes the keys and values of tokens [at, at + count), count <= 64 - at. k and v (count,K,D) with the
  /// strides given; 0 means dense. Where v is nullptr the values stay.
  void write(Compute compute, const CacheShape& shape, std::size_t at, std::size_t count, const float* k,
             const HeadStrides& k_strides, const float* v, const HeadStrides& v_strides);
  /// Takes tokens [from, from + count) of `other`, which may be this where `from` is not below `at`.
  void copy(Compute compute, const CacheShape& shape, std::size_t at, std::size_t count,
            const CacheBlock& other, std::size_t from);
  /// Gives keys and values of tokens [at, at + count) back, (count,K,D), dense.
  void read(Compute compute, const CacheShape& shape, std::size_t at, std::size_t count, float* k,
            float* v) const;

  /// Elements that a block takes.
  static std::size_t size(const CacheShape& shape);
  /// Keys (D,64) and values (64,D) of one head, packed.
  const float* keys(const CacheShape& shape, std::size_t head) const;
  const float* values(const CacheShape& shape, std::size_t head) const;

 private:
  Buffer<float> memory_;
};

/// Neighbouring tokens of the cache whose keys have one shift.
struct CacheRun {
  std::size_t end;  // one after its last token; it begins where the run before it ends
  const float* q;   // (T,H,D): the queries, rotated at their positions plus the shift
};

/// T new queries at the last T tokens of the cache, which already holds their keys and values.
struct CachedAttentionShape {
  std::size_t queries, heads;
  CacheShape cache;
  float scale;
  std::size_t tokens;  // held, the new ones included: the end of the last run
  /// As in AttentionShape: a query at token i sees the tokens i - window + 1 to i.
  std::size_t window = no_window;
  float soft_cap = 0.0F;
  /// Elements from a token of the queries to the next; 0 means H * D. The heads of a token are dense.
  std::size_t query_token = 0;
};

/// Elements of scratch for cached_attention.
std::size_t cached_attention_scratch(const CachedAttentionShape& shape);

/// context (T,H,D) = softmax of the scores of each query with the tokens up to its own, times the values.
/// Block b holds tokens 64 b to 64 b + 63; blocks that no window reaches may be nullptr. With one run the
/// bits are those of attention_forward with causal set, however many queries there are at a time. `scratch`
/// is 64-byte aligned.
void cached_attention(Compute compute, float* context, std::span<const CacheRun> runs,
                      std::span<const CacheBlock* const> blocks, const CachedAttentionShape& shape,
                      float* scratch);

}  // namespace ropewalk::nn
