#pragma once

// The contrastive objective. It couples all sequences of a batch, so it stands between the forward and the backward
// passes of the shards: they write pooled vectors, and read back the gradients of those.

#include <cstddef>
#include <cstdint>

#include "base/buffer.hpp"
#include "model/pass.hpp"
#include "nn/loss.hpp"
#include "ropewalk/trainer.hpp"

namespace ropewalk::trainer {

Status check_contrastive(const ContrastiveOptions& options);

/// Shapes: B sequences, N = B / 2 pairs, C hidden size.
class Contrastive {
 public:
  explicit Contrastive(const ContrastiveOptions& options) : options_(options) {}

  /// `longest`: T of the batch.
  Status reserve(std::size_t batch, std::size_t longest, std::size_t width);
  /// Pools hidden (b,T,C), the sequences of the batch from `first` on. Passes of different sequences may do so at once.
  void pool(const model::Pass& pass, const float* hidden, std::size_t first);
  /// The loss once all sequences are pooled, over 2N rows where both directions count, else N; with the gradients of the
  /// pooled vectors.
  nn::Loss loss(nn::Compute compute);
  /// dhidden (b,T,C), overwritten, of the sequences from `first` on. hidden as for pool.
  void unpool(const model::Pass& pass, float* dhidden, const float* hidden, std::size_t first) const;

 private:
  nn::Loss one_direction(nn::Compute compute, Buffer<float>& logits, Buffer<float>& gradient, float share);
  void set_gradient(std::size_t sequence);

  ContrastiveOptions options_;
  std::size_t pairs_ = 0, width_ = 0;
  Buffer<std::uint8_t> all_;                // (T), 1: the tokens that count in a pass without a mask
  Buffer<float> vectors_;                   // (B,C), pooled; after loss, their gradients
  Buffer<double> units_;                    // (B,C), at length 1: all anchors, then all positives
  Buffer<double> columns_;                  // (C,N), the positives' transposed
  Buffer<double> row_;                      // N or C sums
  Buffer<double> lengths_;                  // (B)
  Buffer<float> logits_, gradient_;         // (N,N), cosines over the temperature
  Buffer<float> turned_, turned_gradient_;  // (N,N), transposed
  Buffer<float> log_sum_exp_;               // (N)
  Buffer<std::int32_t> labels_;             // (N): 0, 1, ...
};

}  // namespace ropewalk::trainer
