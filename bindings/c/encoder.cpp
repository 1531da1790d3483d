// Encoders, and the modules that make sentence vectors.

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "model/facts.hpp"
#include "models.hpp"
#include "ropewalk/sentence.hpp"

using ropewalk::EncoderInput;
using ropewalk::EncoderLoader;
using ropewalk::ModelFile;
using ropewalk::NamedOutput;
using ropewalk::Precision;
using ropewalk::Result;
using ropewalk::SentenceModules;
using ropewalk::Status;
using ropewalk::c::check_choice;
using ropewalk::c::json_list;
using ropewalk::c::keep;
using ropewalk::c::null_pointer;
using ropewalk::c::read_struct;

struct ropewalk_encoder {
  std::shared_ptr<ropewalk::ThreadPool> pool;  // the encoder's, which it outlives
  ropewalk::Encoder encoder;
  /// The metadata of a GGUF file as JSON.
  std::string metadata;
  std::optional<SentenceModules> sentence = {};
  ropewalk::EncoderOutput output = {};
};

namespace {

static_assert(static_cast<int>(Precision::int8) == ROPEWALK_PRECISION_INT8);
// 0 stands for the model's own.
static_assert(static_cast<int>(ropewalk::Pooling::cls) + 1 == ROPEWALK_POOLING_CLS);
static_assert(static_cast<int>(ropewalk::Pooling::last) + 1 == ROPEWALK_POOLING_LAST);

constexpr std::uint32_t every_output = 2 * ROPEWALK_OUTPUT_SENTENCE - 1;

Status make(std::string_view function, const ropewalk::c::ModelCall& call, ropewalk_encoder** out) {
  std::shared_ptr<ropewalk::ThreadPool> pool = ropewalk::c::pool_of(call.threads);
  ROPEWALK_LET(
      loader, call.config ? EncoderLoader::make(*call.config, call.weights.size(), call.precision, pool.get())
                          : EncoderLoader::make_gguf(call.precision, pool.get()));
  std::string metadata = "null";
  auto encoder = ropewalk::c::load(loader, call.weights, [&](EncoderLoader& matched) {
    if (call.config) return Status();
    Result<std::string> text = matched.try_gguf_metadata();
    if (text.ok()) metadata = std::move(text).value();
    return text.status();
  });
  if (!encoder.ok()) return encoder.status();
  *out = new (std::nothrow) ropewalk_encoder{
      .pool = std::move(pool), .encoder = std::move(encoder).value(), .metadata = std::move(metadata)};
  return *out == nullptr ? Status::out_of_memory(std::string(function) + ": no memory for an encoder")
                         : Status();
}

/// The values of one argument of a batch; none for NULL.
std::span<const std::int32_t> values(const std::int32_t* first, std::size_t count) {
  return {first, first == nullptr ? 0 : count};
}

Status read_batch(std::string_view function, const ropewalk_batch* batch, EncoderInput& input) {
  ropewalk_batch given;
  ROPEWALK_TRY(read_struct(function, "batch", batch, given));
  if (given.input_ids == nullptr) return null_pointer(function, "input_ids", "an array of ids");
  if (given.batch != 0 && given.sequence > SIZE_MAX / sizeof(std::int32_t) / given.batch)
    return ropewalk::out_of_range(function, "sequence", given.sequence,
                                  "a number of tokens that fits into memory");
  const std::size_t count = given.batch * given.sequence;
  input = {.input_ids = values(given.input_ids, count),
           .batch = given.batch,
           .sequence = given.sequence,
           .token_type_ids = values(given.token_type_ids, count),
           .attention_mask = values(given.attention_mask, count)};
  return {};
}

Status read_sentence_options(std::string_view function, const ropewalk_sentence_options* options,
                             ropewalk::SentenceOptions& out) {
  if (options == nullptr) return {};
  ropewalk_sentence_options given;
  ROPEWALK_TRY(read_struct(function, "sentence", options, given));
  ROPEWALK_TRY(check_choice(function, "sentence.pooling", given.pooling, ROPEWALK_POOLING_LAST + 1));
  ROPEWALK_TRY(check_choice(function, "sentence.normalize", given.normalize, ROPEWALK_NORMALIZE_NO + 1));
  if (given.pooling != ROPEWALK_POOLING_OF_MODEL)
    out.pooling = static_cast<ropewalk::Pooling>(given.pooling - 1);
  if (given.normalize != ROPEWALK_NORMALIZE_OF_MODEL)
    out.normalize = given.normalize == ROPEWALK_NORMALIZE_YES;
  out.prompt_tokens = given.prompt_tokens;
  out.dimensions = given.dimensions;
  return {};
}

Status forward(ropewalk_encoder& model, const EncoderInput& input, std::uint32_t outputs,
               const ropewalk::SentenceOptions& options) {
  const auto asked = [&](std::uint32_t flag) { return (outputs & flag) != 0; };
  const Status status = model.encoder.try_forward(input,
                                                  {.logits = asked(ROPEWALK_OUTPUT_LOGITS),
                                                   .hidden_states = asked(ROPEWALK_OUTPUT_HIDDEN_STATES),
                                                   .attentions = asked(ROPEWALK_OUTPUT_ATTENTIONS),
                                                   .scores = asked(ROPEWALK_OUTPUT_SCORES),
                                                   .rotated_qk = asked(ROPEWALK_OUTPUT_ROTATED_QK),
                                                   .contacts = asked(ROPEWALK_OUTPUT_CONTACTS)},
                                                  model.output);
  if (!status.ok() || !asked(ROPEWALK_OUTPUT_SENTENCE)) return status;
  ropewalk::SentenceOutput sentence;
  const Status pooled = model.sentence->try_run({.hidden_states = model.output.last_hidden_state,
                                                 .batch = input.batch,
                                                 .sequence = input.sequence,
                                                 .attention_mask = input.attention_mask},
                                                options, sentence);
  if (!pooled.ok()) return pooled;
  model.output.all.push_back({"pooled", {}, sentence.pooled});
  model.output.all.push_back({"sentence_embedding", {}, sentence.embedding});
  return {};
}

}  // namespace

ropewalk_status ropewalk_encoder_create(const char* config, size_t config_size, const ropewalk_file* weights,
                                        size_t weight_count, const ropewalk_model_options* options,
                                        ropewalk_encoder** encoder) {
  constexpr std::string_view function = "encoder_create";
  if (encoder == nullptr) return keep(null_pointer(function, "encoder", "where the encoder goes"));
  ropewalk::c::ModelCall call;
  if (Status s =
          ropewalk::c::read_model_call(function, config, config_size, weights, weight_count, options, call);
      !s.ok())
    return keep(s);
  return keep(make(function, call, encoder));
}

void ropewalk_encoder_destroy(ropewalk_encoder* encoder) { delete encoder; }

ropewalk_status ropewalk_encoder_facts(const ropewalk_encoder* encoder, char** json) {
  constexpr std::string_view function = "encoder_facts";
  if (encoder == nullptr) return keep(null_pointer(function, "encoder", "an encoder"));
  if (json == nullptr) return keep(null_pointer(function, "json", "where the text goes"));
  std::vector<std::string> notes = encoder->encoder.notes();
  if (encoder->sentence) {
    const std::vector<std::string>& more = encoder->sentence->notes();
    notes.insert(notes.end(), more.begin(), more.end());
  }
  const bool is_int8 = encoder->encoder.precision() == Precision::int8;
  const std::string text =
      "{\"model\":" + ropewalk::model::facts_json(encoder->encoder.spec()) +
      ",\"sentence\":" + (encoder->sentence ? ropewalk::model::facts_json(*encoder->sentence) : "null") +
      ",\"parameters\":" + std::to_string(encoder->encoder.parameter_count()) +
      ",\"precision\":" + (is_int8 ? "\"int8\"" : "\"float32\"") + ",\"notes\":" + json_list(notes) + "}";
  return ropewalk::c::give_text(function, text, json);
}

ropewalk_status ropewalk_encoder_metadata(const ropewalk_encoder* encoder, char** json) {
  constexpr std::string_view function = "encoder_metadata";
  if (encoder == nullptr) return keep(null_pointer(function, "encoder", "an encoder"));
  if (json == nullptr) return keep(null_pointer(function, "json", "where the text goes"));
  return ropewalk::c::give_text(function, encoder->metadata, json);
}

ropewalk_status ropewalk_sentence_files(const char* modules, size_t modules_size, char** json) {
  constexpr std::string_view function = "sentence_files";
  if (json == nullptr) return keep(null_pointer(function, "json", "where the text goes"));
  std::optional<std::string_view> text;
  if (modules != nullptr) text = std::string_view(modules, modules_size);
  const Result<ropewalk::SentenceFileNames> names = ropewalk::sentence_file_names(text);
  if (!names.ok()) return keep(names.status());
  return ropewalk::c::give_text(function,
                                "{\"needed\":" + json_list(names.value().needed) +
                                    ",\"optional\":" + json_list(names.value().optional) + "}",
                                json);
}

ropewalk_status ropewalk_encoder_set_sentence(ropewalk_encoder* encoder, const ropewalk_file* files,
                                              size_t count) {
  constexpr std::string_view function = "encoder_set_sentence";
  if (encoder == nullptr) return keep(null_pointer(function, "encoder", "an encoder"));
  std::span<const ropewalk_file> given;
  if (Status s = ropewalk::c::read_files(function, "files", files, "count", count, given); !s.ok())
    return keep(s);
  std::vector<ModelFile> all;
  for (const ropewalk_file& file : given) all.push_back({file.name, ropewalk::c::bytes_of(file)});
  Result<SentenceModules> made = SentenceModules::make(all, encoder->encoder.spec().hidden,
                                                       encoder->encoder.precision(), encoder->pool.get());
  if (!made.ok()) return keep(made.status());
  encoder->sentence.emplace(std::move(made).value());
  // Views of the old ones would dangle.
  encoder->output = {};
  return ROPEWALK_OK;
}

ropewalk_status ropewalk_encoder_forward(ropewalk_encoder* encoder, const ropewalk_batch* batch,
                                         uint32_t outputs, const ropewalk_sentence_options* sentence) {
  constexpr std::string_view function = "encoder_forward";
  if (encoder == nullptr) return keep(null_pointer(function, "encoder", "an encoder"));
  EncoderInput input;
  if (Status s = read_batch(function, batch, input); !s.ok()) return keep(s);
  if (outputs > every_output)
    return keep(
        ropewalk::out_of_range(function, "outputs", std::size_t{outputs}, "a sum of ROPEWALK_OUTPUT_ flags"));
  if ((outputs & ROPEWALK_OUTPUT_SENTENCE) != 0 && !encoder->sentence) {
    return keep(ropewalk::out_of_range(function, "outputs", std::size_t{outputs},
                                       "ROPEWALK_OUTPUT_SENTENCE only after encoder_set_sentence"));
  }
  ropewalk::SentenceOptions options;
  if (Status s = read_sentence_options(function, sentence, options); !s.ok()) return keep(s);
  return keep(forward(*encoder, input, outputs, options));
}

ropewalk_status ropewalk_encoder_outputs(const ropewalk_encoder* encoder, char** json) {
  constexpr std::string_view function = "encoder_outputs";
  if (encoder == nullptr) return keep(null_pointer(function, "encoder", "an encoder"));
  if (json == nullptr) return keep(null_pointer(function, "json", "where the text goes"));
  std::string list;
  for (const NamedOutput& each : encoder->output.all) {
    list += (list.empty() ? "[" : ",[") + ropewalk::json::quoted(each.name) + "," +
            (each.layer ? std::to_string(*each.layer) : "-1") + "]";
  }
  return ropewalk::c::give_text(function, "[" + list + "]", json);
}

ropewalk_status ropewalk_encoder_output(const ropewalk_encoder* encoder, const char* name, int32_t layer,
                                        const float** values, size_t* size) {
  constexpr std::string_view function = "encoder_output";
  if (encoder == nullptr) return keep(null_pointer(function, "encoder", "an encoder"));
  if (name == nullptr) return keep(null_pointer(function, "name", "a text"));
  if (values == nullptr) return keep(null_pointer(function, "values", "where the address goes"));
  if (size == nullptr) return keep(null_pointer(function, "size", "where the number goes"));
  const std::vector<NamedOutput>& all = encoder->output.all;
  const auto found = std::ranges::find_if(all, [&](const NamedOutput& each) {
    return each.name == name && (each.layer ? static_cast<std::int64_t>(*each.layer) : -1) == layer;
  });
  if (found != all.end()) {
    *values = found->values.data();
    *size = found->values.size();
    return ROPEWALK_OK;
  }
  std::string allowed;
  for (const NamedOutput& each : all) {
    if (allowed.find(each.name) == allowed.npos)
      allowed += (allowed.empty() ? "" : ", ") + std::string(each.name);
  }
  const std::string given =
      layer < 0 ? std::string(name) : ropewalk::sentence({name, " of layer ", std::ptrdiff_t{layer}});
  return keep(ropewalk::wrong_type(
      function, "name", given,
      allowed.empty() ? "none before the first forward" : "of the last forward: " + allowed));
}
