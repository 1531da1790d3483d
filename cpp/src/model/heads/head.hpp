#pragma once

// The outputs of a model. Each head is one file beside this one and one line in the list of heads.cpp.

#include <memory>
#include <string_view>

#include "model/blocks/linear.hpp"
#include "nn/loss.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// Labels that a head learns from: one of the two.
struct Labels {
  const std::int32_t* classes = nullptr;  // (B) or (B,T), nn::ignored_label where nothing is to be learnt
  const float* values = nullptr;          // (B)
  /// Share of the probability that a label gives to all classes alike (Szegedy et al., arXiv 1512.00567).
  float smoothing = 0;
};

/// Parameters that a head may share with the model.
struct Trunk {
  std::uint64_t words;  // the table of word vectors (V,E)
};

class Head {
 public:
  virtual ~Head() = default;

  virtual Status pack(const Packing& packing) = 0;
  virtual void plan(Plan& plan) const = 0;
  /// From the last hidden state (B,T,C).
  virtual void forward(const Pass& pass, const float* hidden) const = 0;
  /// The attention probabilities (B,H,T,T) of a layer as soon as it has run, in a pass that wants contacts.
  virtual void observe(const Pass&, std::size_t /*layer*/, const float* /*probabilities*/) const {}
  /// Adds what forward left.
  virtual void collect(const Pass& pass, Outputs& outputs) const = 0;

  /// The matrix whose product with a hidden state is the output; nullptr where there is more to it.
  virtual const nn::PackedWeight* output_matrix() const { return nullptr; }

  /// A head that learns from labels says how many classes they tell apart, and overrides the three below.
  virtual std::size_t classes() const { return 0; }
  virtual void plan_backward(Plan&) const {}
  /// The mean loss over the labels, by a forward pass of its own that may compute labelled rows alone.
  virtual nn::Loss loss(const Pass&, const float* /*hidden*/, const Labels&) const { return {}; }
  /// dhidden (B,T,C), the gradient of that loss as if its mean were over `counted` labels. Overwrites what
  /// loss left.
  virtual void backward(const Pass&, float* /*dhidden*/, const Labels&, std::size_t /*counted*/) const {}
};

struct HeadKind {
  /// As HeadSpec::kind has it, and as people read it.
  std::string_view name, title;
  /// How the name of Hugging Face's class of a model with it ends.
  std::string_view class_name, other_class_name;
  /// The head in a family that does not describe it.
  HeadSpec (*usual)(const Spec& spec);
  Result<std::unique_ptr<Head>> (*make)(Builder& builder, const Spec& spec, const HeadSpec& head,
                                        const Trunk& trunk);
};

/// In the order in which a model has them.
std::span<const HeadKind> head_kinds();
/// nullptr for a name that is not known.
const HeadKind* find_head_kind(std::string_view name);

}  // namespace ropewalk::model
