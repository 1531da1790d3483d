#pragma once

// A model in memory: its spec, its blocks and heads, and their parameters in one buffer.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "model/blocks/embedding.hpp"
#include "model/blocks/layer.hpp"
#include "model/blocks/layer_inputs.hpp"
#include "model/heads/head.hpp"
#include "model/parameters/table.hpp"
#include "model/position_encoding/position_encoding.hpp"
#include "model/workspace.hpp"
#include "ropewalk/safetensors.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// The parts of a model that its spec does not describe.
struct Parts {
  const Names* names;
  LayerParts layer = {};
};

class Model {
 public:
  /// With the heads of the spec and uninitialised parameters: fill them, then repack. It computes in float32 and one thread.
  static Result<Model> make(const Spec& spec);
  /// The same without memory for parameters, for a look at their table.
  static Result<Model> lay_out(const Spec& spec, nn::Compute compute);
  /// As make, of a model that is of no family.
  static Result<Model> make(const Spec& spec, const Parts& parts);
  /// From a checkpoint in memory, with the heads that it holds; all parameters are kept, to be trained. A head of kind
  /// `added` that the checkpoint holds nothing of is added: fill its parameters, which are those of fresh(), then repack.
  /// Loader makes models that do not learn.
  static Result<Model> load(const Spec& spec, const Safetensors& checkpoint, std::string_view added = {});

  const Spec& spec() const { return spec_; }
  /// Chosen when the model was opened; all that it computes, it computes by this.
  nn::Compute compute() const { return compute_; }
  Precision precision() const { return precision_; }
  const parameters::Table& table() const { return table_; }
  position_encoding::PositionEncoding& positions() const { return *positions_; }
  /// nullptr when there is no head of that kind.
  const Head* head(std::string_view kind) const;
  /// In the order of table(); of a model that does not learn, those that are not packed alone. After a change, call
  /// repack.
  std::span<float> parameters() { return parameters_.span(); }
  const float* parameters() const { return parameters_.data(); }
  const std::vector<std::string>& notes() const { return notes_; }
  /// Parameters that load added, by their place in table().
  std::span<const std::size_t> fresh() const { return fresh_; }

  /// Packs the weights anew; allocates the first time only.
  Status repack();
  /// A number that all weights come to, as products read them.
  std::uint64_t hash();
  /// The file of the parameters, with the family's names. The layout views this model.
  Result<SafetensorsLayout> safetensors(SafetensorsType type = SafetensorsType::F32) const;

  std::uint32_t slots() const { return slots_; }
  void plan(Plan& plan) const;
  /// The last hidden state (B,T,C).
  const float* forward(const Pass& pass) const;
  void run_heads(const Pass& pass, const float* hidden) const;
  /// From the gradient of the last hidden state, which is in gradient_of_hidden(pass), those of the
  /// parameters. Consumes what forward kept.
  void backward(const Pass& pass) const;
  float* gradient_of_hidden(const Pass& pass) const { return pass.at(dhidden_); }
  /// Everything that the pass kept, by name.
  std::vector<NamedOutput> outputs(const Pass& pass, const float* hidden) const;

 private:
  friend class Loader;

  explicit Model(nn::Compute compute) : compute_(compute) {}
  static Result<Model> allocated(Result<Model> laid_out);
  static Result<Model> lay_out(const Spec& spec, nn::Compute compute, const Parts& parts);
  Status build(const Spec& spec, const Parts& parts);
  Status pack(const Packing& packing);

  Spec spec_;
  nn::Compute compute_;
  Precision precision_ = Precision::float32;
  bool arrived_ = false;  // as Packing has it
  parameters::Table table_;
  std::uint32_t slots_ = 0;
  std::unique_ptr<position_encoding::PositionEncoding> positions_;
  std::optional<Embedding> embedding_;
  std::optional<LayerInputs> inputs_;
  std::vector<Layer> layers_;
  std::optional<Norm> final_norm_;
  struct NamedHead {
    const HeadKind* kind;
    std::unique_ptr<Head> head;
  };
  std::vector<NamedHead> heads_;
  std::vector<Slot> hidden_;  // (B,T,C), the output of each layer; one for all where nothing is kept
  Slot normed_;               // (B,T,C), after the final norm
  Slot dhidden_;              // (B,T,C)
  Buffer<float> parameters_;
  std::vector<std::string> notes_;
  std::vector<std::size_t> fresh_;
};

}  // namespace ropewalk::model
