// AdamW over the parameters of a model: clipping by the length of the whole gradient, moments, and their
// place in a checkpoint.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "model/parameters/table.hpp"
#include "nn/compute.hpp"
#include "ropewalk/trainer.hpp"

namespace ropewalk::trainer {

// Names the first option that is out of range.
Status check_optimizer(const OptimizerOptions& options);

class Optimizer {
 public:
  static Result<Optimizer> make(const OptimizerOptions& options, const model::parameters::Table& table);

  std::uint64_t step() const { return step_; }
  // Rate of the step that comes next.
  double next_rate() const;
  // One step. `gradients` and `values` have the layout of `table`; norm is the length of the gradient.
  void apply(nn::Compute compute, const model::parameters::Table& table, std::span<const float> gradients,
             double norm, std::span<float> values, Threads& threads);

  // The moments and the step as tensors of a checkpoint; the sources view this object.
  void add_sources(const model::parameters::Table& table, std::vector<SafetensorsSource>& sources) const;
  // Takes them from a checkpoint, where it has them: all or none.
  Status restore(const model::parameters::Table& table, const Safetensors& checkpoint);

 private:
  OptimizerOptions options_;
  std::uint64_t step_ = 0;
  Buffer<float> first_, second_;  // moments
  // Names and shapes that add_sources hands out views of: two per parameter.
  std::vector<std::string> names_;
  // The step in parts of 16 bits, each exact in float32.
  mutable float step_parts_[4] = {};
};

}  // namespace ropewalk::trainer
