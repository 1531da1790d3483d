// The public class: checks, one pass, views of what was asked for.

#include "ropewalk/roformer.hpp"

#include "model/pass.hpp"

namespace ropewalk {

struct RoFormer::State {
  explicit State(roformer::Model loaded) : model(std::move(loaded)) {}
  roformer::Model model;
  roformer::Activations activations;
};

RoFormer::RoFormer(std::unique_ptr<State> state) : state_(std::move(state)) {}
RoFormer::RoFormer(RoFormer&&) noexcept = default;
RoFormer& RoFormer::operator=(RoFormer&&) noexcept = default;
RoFormer::~RoFormer() = default;

Result<RoFormer> RoFormer::make(std::string_view config, std::span<const std::byte> weights,
                                Precision precision) {
  Result<RoFormerConfig> parsed = RoFormerConfig::parse(config);
  if (!parsed.ok()) return parsed.status();
  Result<Safetensors> checkpoint = Safetensors::open(weights);
  if (!checkpoint.ok()) return checkpoint.status();
  Result<roformer::Model> model = roformer::Model::load(parsed.value(), checkpoint.value(), precision);
  if (!model.ok()) return model.status();
  return RoFormer(std::make_unique<State>(std::move(model).value()));
}

const RoFormerConfig& RoFormer::config() const { return state_->model.config(); }
const std::vector<std::string>& RoFormer::notes() const { return state_->model.notes(); }
std::size_t RoFormer::parameter_count() const {
  return static_cast<std::size_t>(state_->model.layout().table.size());
}

Status RoFormer::try_forward(const RoFormerInput& input, const RoFormerWants& wants, RoFormerOutput& output) {
  roformer::Model& model = state_->model;
  roformer::Activations& a = state_->activations;
  const RoFormerConfig& config = model.config();
  if (Status status = roformer::check_input(config, input, "forward"); !status.ok()) return status;
  const bool logits = wants.logits && model.heads().masked_lm;
  const roformer::Keep keep{.gradients = false,
                            .logits = logits,
                            .hidden_states = wants.hidden_states,
                            .attentions = wants.attentions,
                            .scores = wants.scores,
                            .rotated_qk = wants.rotated_qk};
  Result<roformer::Batch> batch = roformer::prepare(model, input, keep, a);
  if (!batch.ok()) return batch.status();
  roformer::encode(model, batch.value(), {}, a);

  const std::size_t m = input.batch * input.sequence, hidden = m * config.hidden_size;
  RoFormerOutput out;
  out.batch = input.batch;
  out.sequence = input.sequence;
  out.last_hidden_state = {a.output(), hidden};
  if (logits) {
    roformer::masked_lm_forward(model, a);
    out.logits = {a.logits, m * config.vocab_size};
  }
  if (model.heads().classification) {
    roformer::classification_forward(model, {}, a);
    out.class_logits = {a.class_logits, input.batch * config.num_labels};
  }
  if (model.heads().token_classification) {
    roformer::token_classification_forward(model, a);
    out.token_logits = {a.token_logits, m * config.num_labels};
  }
  if (model.heads().question_answering) {
    roformer::question_answering_forward(model, a);
    out.start_logits = {a.start_logits, m};
    out.end_logits = {a.end_logits, m};
  }
  if (model.heads().multiple_choice) {
    roformer::multiple_choice_forward(model, a);
    out.choice_logits = {a.choice_logits, input.batch};
  }
  if (wants.hidden_states) out.hidden_states.emplace_back(a.input, hidden);
  for (const roformer::LayerActivations& layer : a.layers) {
    if (wants.hidden_states) out.hidden_states.emplace_back(layer.output, hidden);
    if (wants.attentions) {
      out.attentions.emplace_back(layer.probs, m * config.num_attention_heads * input.sequence);
    }
    if (layer.scores != nullptr) {
      out.scores.emplace_back(layer.scores, m * config.num_attention_heads * input.sequence);
    }
    if (wants.rotated_qk) {
      out.rotated_queries.emplace_back(layer.query, hidden);
      out.rotated_keys.emplace_back(layer.key, hidden);
    }
  }
  output = std::move(out);
  return {};
}

}  // namespace ropewalk
