// Question answering: how much each token looks like the first and like the last of the answer.

#include "model/pass.hpp"
#include "nn/linear.hpp"

namespace ropewalk::roformer {

void question_answering_forward(const Model& model, Activations& a) {
  const std::size_t m = a.batch * a.tokens;
  nn::linear_forward(a.span_logits, a.output(), model.packed().span_output,
                     model.at(model.layout().span_output.bias), m);
  for (std::size_t i = 0; i < m; ++i) {
    a.start_logits[i] = a.span_logits[2 * i];
    a.end_logits[i] = a.span_logits[2 * i + 1];
  }
}

}  // namespace ropewalk::roformer
