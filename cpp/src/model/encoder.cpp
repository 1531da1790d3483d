// The public class: checks, one pass, views of what was asked for.

#include "ropewalk/encoder.hpp"

#include "model/input.hpp"
#include "model/model.hpp"
#include "ropewalk/safetensors.hpp"

namespace ropewalk {
namespace {

struct OfModel {
  std::string_view name;
  std::span<const float> EncoderOutput::*member;
};
constexpr OfModel of_model[] = {
    {"last_hidden_state", &EncoderOutput::last_hidden_state},
    {"logits", &EncoderOutput::logits},
    {"class_logits", &EncoderOutput::class_logits},
    {"contacts", &EncoderOutput::contacts},
    {"relevance", &EncoderOutput::relevance},
    {"token_logits", &EncoderOutput::token_logits},
    {"start_logits", &EncoderOutput::start_logits},
    {"end_logits", &EncoderOutput::end_logits},
    {"choice_logits", &EncoderOutput::choice_logits},
};

struct OfLayers {
  std::string_view name;
  std::vector<std::span<const float>> EncoderOutput::*member;
};
constexpr OfLayers of_layers[] = {
    {"hidden_states", &EncoderOutput::hidden_states},
    {"attentions", &EncoderOutput::attentions},
    {"scores", &EncoderOutput::scores},
    {"rotated_queries", &EncoderOutput::rotated_queries},
    {"rotated_keys", &EncoderOutput::rotated_keys},
};

EncoderOutput by_member(const EncoderInput& input, std::vector<NamedOutput> all) {
  EncoderOutput output{.batch = input.batch, .sequence = input.sequence};
  for (const NamedOutput& each : all) {
    for (const OfModel& one : of_model) {
      if (one.name == each.name) output.*one.member = each.values;
    }
    for (const OfLayers& one : of_layers) {
      if (one.name == each.name) (output.*one.member).push_back(each.values);
    }
  }
  output.all = std::move(all);
  return output;
}

}  // namespace

struct Encoder::State {
  explicit State(model::Model loaded) : model(std::move(loaded)) {}
  model::Model model;
  model::Workspace workspace;
};

Encoder::Encoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;
Encoder::~Encoder() = default;

Result<Encoder> Encoder::make(std::string_view config, std::span<const std::byte> weights,
                              Precision precision) {
  Result<Spec> spec = spec_from_config(config);
  if (!spec.ok()) return spec.status();
  return make(spec.value(), weights, precision);
}

Result<Encoder> Encoder::make(const Spec& spec, std::span<const std::byte> weights, Precision precision) {
  Result<Safetensors> checkpoint = Safetensors::open(weights);
  if (!checkpoint.ok()) return checkpoint.status();
  Result<model::Model> loaded = model::Model::load(spec, checkpoint.value(), precision);
  if (!loaded.ok()) return loaded.status();
  return Encoder(std::make_unique<State>(std::move(loaded).value()));
}

const Spec& Encoder::spec() const { return state_->model.spec(); }
const std::vector<std::string>& Encoder::notes() const { return state_->model.notes(); }
std::size_t Encoder::parameter_count() const {
  return static_cast<std::size_t>(state_->model.table().size());
}

Status Encoder::try_forward(const EncoderInput& input, const EncoderWants& wants, EncoderOutput& output) {
  model::Model& model = state_->model;
  if (Status status = model::check_input(model.spec(), input, "forward"); !status.ok()) return status;
  const model::Keep keep{.gradients = false,
                         .logits = wants.logits,
                         .hidden_states = wants.hidden_states,
                         .attentions = wants.attentions,
                         .scores = wants.scores,
                         .rotated_qk = wants.rotated_qk,
                         .contacts = wants.contacts && model.head("contact") != nullptr};
  const Result<model::Pass> pass = state_->workspace.prepare(model, input, keep);
  if (!pass.ok()) return pass.status();
  const float* const hidden = model.forward(pass.value());
  model.run_heads(pass.value(), hidden);
  output = by_member(input, model.outputs(pass.value(), hidden));
  return {};
}

}  // namespace ropewalk
