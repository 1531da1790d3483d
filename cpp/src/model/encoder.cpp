// The public class: checks, one pass, views of what was asked for.

#include "ropewalk/encoder.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "formats/json/members.hpp"
#include "model/input.hpp"
#include "model/loading/encoder_loader.hpp"
#include "model/loading/file_loader.hpp"
#include "model/loading/loader.hpp"
#include "ropewalk/safetensors.hpp"

namespace ropewalk {
namespace {

struct OfModel {
  std::string_view name;
  std::span<const float> EncoderOutput::* member;
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
  std::vector<std::span<const float>> EncoderOutput::* member;
};
constexpr OfLayers of_layers[] = {
    {"hidden_states", &EncoderOutput::hidden_states},
    {"attentions", &EncoderOutput::attentions},
    {"scores", &EncoderOutput::scores},
    {"rotated_queries", &EncoderOutput::rotated_queries},
    {"rotated_keys", &EncoderOutput::rotated_keys},
};

/// The words whose logits are the score of a causal reranker: those of the module LogitScore.
Status read_logit_score(const json::Members& own, Spec& spec) {
  std::int64_t yes = -1, no = -1;
  for (const auto& [name, token] : {std::pair("true_token_id", &yes), std::pair("false_token_id", &no)}) {
    ROPEWALK_TRY(own.whole(name, 0, static_cast<std::int64_t>(spec.vocabulary) - 1, *token));
  }
  if (yes < 0) return {};
  const auto words = std::ranges::find(spec.heads, "causal_lm", &HeadSpec::kind);
  if (words == spec.heads.end())
    return unsupported(spec.family, "true_token_id", text_of(static_cast<double>(yes)), "a causal model");
  if (words->soft_cap != 0 || words->scale != 1)
    return unsupported(spec.family, "true_token_id", text_of(static_cast<double>(yes)),
                       "a model whose logits have no cap and no factor");
  words->kind = "logit_score";
  words->true_token = static_cast<std::size_t>(yes);
  if (no >= 0) words->false_token = static_cast<std::size_t>(no);
  return {};
}

/// An encoder of a causal model gives hidden states: it predicts no word, and multiplies the word vectors as classes of
/// sentence vectors do, by a factor that is not rounded.
Result<Spec> spec_of_encoder(std::string_view config) {
  ROPEWALK_LET(spec, spec_from_config(config));
  const Result<json::Value> parsed = json::parse(config, "encoder", "config");
  const json::Value* const own = parsed.value().find("sentence_transformers");
  if (own != nullptr && own->kind == json::Kind::object) {
    const json::Members members(*own, spec.family);
    ROPEWALK_TRY(read_logit_score(members, spec));
  }
  std::erase_if(spec.heads, [](const HeadSpec& head) { return head.kind == "causal_lm"; });
  spec.embedding.rounds_scale = false;
  return std::move(spec);
}

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
                              Precision precision, Threads* threads) {
  ROPEWALK_LET(spec, spec_of_encoder(config));
  return make(spec, weights, precision, threads);
}

Result<Encoder> Encoder::make(const Spec& spec, std::span<const std::byte> weights, Precision precision,
                              Threads* threads) {
  ROPEWALK_LET(checkpoint, Safetensors::open(weights));
  ROPEWALK_LET(loaded,
               model::Loader::load(spec, checkpoint.tensors(), {.precision = precision, .threads = threads}));
  return Encoder(std::make_unique<State>(std::move(loaded)));
}

struct EncoderLoader::FromFiles final : EncoderLoader::State {
  FromFiles(Spec spec, std::size_t files, Precision precision, Threads* threads)
      : loader(std::move(spec), files, {.precision = precision, .threads = threads}) {}

  Result<std::size_t> read_header(std::size_t file, std::span<const std::byte> bytes,
                                  std::optional<std::uint64_t> size) override {
    return loader.read_header(file, bytes, size);
  }
  bool has_header(std::size_t file) const override { return loader.has_header(file); }
  Result<ModelSize> match() override { return loader.match(); }
  Result<std::string> gguf_metadata() const override { return std::string("{}"); }
  std::vector<std::string> quantised_by_rows() const override { return loader.quantised_by_rows(); }
  Status reserve(std::optional<std::uint64_t> limit) override { return loader.reserve(limit); }
  Status read(std::size_t file, std::span<const std::byte> bytes) override {
    return loader.read(file, bytes);
  }
  Result<model::Model> finish() override { return loader.finish(); }

  model::FileLoader loader;
};

EncoderLoader::EncoderLoader(std::unique_ptr<State> state) : state_(std::move(state)) {}
EncoderLoader::EncoderLoader(EncoderLoader&&) noexcept = default;
EncoderLoader& EncoderLoader::operator=(EncoderLoader&&) noexcept = default;
EncoderLoader::~EncoderLoader() = default;

Result<EncoderLoader> EncoderLoader::make(std::string_view config, std::size_t files, Precision precision,
                                          Threads* threads) {
  ROPEWALK_LET(spec, spec_of_encoder(config));
  return EncoderLoader(std::make_unique<FromFiles>(std::move(spec), files, precision, threads));
}

Result<std::size_t> EncoderLoader::try_read_header(std::size_t file, std::span<const std::byte> bytes,
                                                   std::optional<std::uint64_t> size) {
  return state_->read_header(file, bytes, size);
}
bool EncoderLoader::has_header(std::size_t file) const { return state_->has_header(file); }
Result<ModelSize> EncoderLoader::try_match() { return state_->match(); }
Result<std::string> EncoderLoader::try_gguf_metadata() const { return state_->gguf_metadata(); }
std::vector<std::string> EncoderLoader::quantised_by_rows() const { return state_->quantised_by_rows(); }
Status EncoderLoader::try_reserve(std::optional<std::uint64_t> limit) { return state_->reserve(limit); }
Status EncoderLoader::try_read(std::size_t file, std::span<const std::byte> bytes) {
  return state_->read(file, bytes);
}
Result<Encoder> EncoderLoader::try_finish() {
  ROPEWALK_LET(loaded, state_->finish());
  return Encoder(std::make_unique<Encoder::State>(std::move(loaded)));
}

const Spec& Encoder::spec() const { return state_->model.spec(); }
Precision Encoder::precision() const { return state_->model.precision(); }
const std::vector<std::string>& Encoder::notes() const { return state_->model.notes(); }
std::size_t Encoder::parameter_count() const {
  return static_cast<std::size_t>(state_->model.table().size());
}

Status Encoder::try_forward(const EncoderInput& input, const EncoderWants& wants, EncoderOutput& output) {
  model::Model& model = state_->model;
  ROPEWALK_TRY(model::check_input(model.spec(), input, "forward"));
  const model::Keep keep{.gradients = false,
                         .logits = wants.logits,
                         .hidden_states = wants.hidden_states,
                         .attentions = wants.attentions,
                         .scores = wants.scores,
                         .rotated_qk = wants.rotated_qk,
                         .contacts = wants.contacts && model.head("contact") != nullptr};
  ROPEWALK_LET(pass, state_->workspace.prepare(model, input, keep));
  const float* const hidden = model.forward(pass);
  model.run_heads(pass, hidden);
  output = by_member(input, model.outputs(pass, hidden));
  return {};
}

}  // namespace ropewalk
