#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "model/pass.hpp"

namespace ropewalk::model {

class Model;

/// The memory of passes, in one block that is planned once per shape. One for each thread that runs passes at
/// a time.
class Workspace {
 public:
  /// Plans for checked input, prepares the model's positions, and copies the mask where it hides anything.
  /// Nothing is planned when shape and `keep` are those of the last call. On error the old plan stays.
  Result<Pass> prepare(const Model& model, const EncoderInput& input, const Keep& keep);

 private:
  /// Sets Pass::sequence_mask.
  Status mask_sequences(const Model& model, std::span<const std::int32_t> ids, Pass& pass);
  Status plan(const Model& model, std::size_t batch, std::size_t tokens, const Keep& keep);

  const Model* model_ = nullptr;
  std::size_t batch_ = 0, tokens_ = 0;
  Keep keep_;
  std::vector<float*> places_;
  float* scratch_ = nullptr;
  Buffer<float> arena_;
  Buffer<std::uint8_t> key_mask_;       // (B,T)
  Buffer<std::uint8_t> causal_mask_;    // (T,T), for the scores of a causal model
  Buffer<std::uint8_t> sequence_mask_;  // (B,T,T), where the input has several texts in a sequence
};

}  // namespace ropewalk::model
