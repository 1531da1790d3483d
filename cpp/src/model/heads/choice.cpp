// Multiple choice: a score for each sequence from its last token, as Hugging Face's summary has it. Padding
// counts as a token there, so choices of different lengths belong into passes of their own.

#include <cstring>

#include "model/pass.hpp"
#include "nn/linear.hpp"

namespace ropewalk::roformer {

void multiple_choice_forward(const Model& model, Activations& a) {
  const std::size_t c = model.config().hidden_size;
  for (std::size_t i = 0; i < a.batch; ++i)
    std::memcpy(a.choice_input + i * c, a.output() + ((i + 1) * a.tokens - 1) * c, c * sizeof(float));
  nn::linear_forward(a.choice_logits, a.choice_input, model.packed().choice_output,
                     model.at(model.layout().choice_output.bias), a.batch);
}

}  // namespace ropewalk::roformer
