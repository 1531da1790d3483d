#pragma once

// The parameters of a RoFormer by role: where in the buffer each layer finds its own.

#include <cstdint>
#include <vector>

#include "model/parameters/table.hpp"
#include "model/position_encoding/position_encoding.hpp"
#include "ropewalk/roformer.hpp"

namespace ropewalk::roformer {

/// Which heads stand on the encoder.
struct Heads {
  bool masked_lm = false;
  bool classification = false;
  // For inference only.
  bool token_classification = false;
  bool question_answering = false;
  bool multiple_choice = false;
};

/// The offset of a parameter that this model does without: no address belongs to it.
inline constexpr std::uint64_t absent = UINT64_MAX;

/// Offsets of weight and bias (or absent), and the shape of the weight: (outputs, inputs).
struct Linear {
  std::uint64_t weight = 0, bias = absent;
  std::size_t outputs = 0, inputs = 0;
};

/// Both absent in a norm without parameters.
struct Norm {
  std::uint64_t weight = absent, bias = absent;
};

struct Layer {
  Linear qkv;  // (3C,C): query, key and value are neighbours, so that one product makes all three
  Linear attention_output;
  Norm attention_norm;
  Linear intermediate;
  Linear output;
  Norm output_norm;
};

struct Layout {
  parameters::Table table;
  std::uint64_t words = 0, types = 0;  // (V,E), (types,E)
  Norm embedding_norm;
  bool projects = false;  // E != C
  Linear project;         // (C,E)
  std::vector<Layer> layers;
  bool transforms = false;  // whether the masked-language-model head begins with the next two
  Linear transform;         // (E,C)
  Norm transform_norm;
  Linear decoder;  // (V,E); its weight is `words` when tied
  Linear class_dense, class_output;
  Linear token_output;   // (labels,C)
  Linear span_output;    // (2,C), start and end
  Linear choice_output;  // (1,C)

  static Layout make(const RoFormerConfig& config, const Heads& heads,
                     position_encoding::PositionEncoding& positions);
};

}  // namespace ropewalk::roformer
