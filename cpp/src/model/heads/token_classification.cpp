// Token classification: a class for every token, by one linear layer.

#include "model/pass.hpp"
#include "nn/linear.hpp"

namespace ropewalk::roformer {

void token_classification_forward(const Model& model, Activations& a) {
  nn::linear_forward(a.token_logits, a.output(), model.packed().token_output,
                     model.at(model.layout().token_output.bias), a.batch * a.tokens);
}

}  // namespace ropewalk::roformer
