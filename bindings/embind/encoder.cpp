// Encoder and the modules behind it: forward, and where its outputs are. encoder_loader.cpp makes it.

#include <emscripten/bind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "answer.hpp"
#include "encoder_input.hpp"
#include "encoder_model.hpp"
#include "lines.hpp"
#include "memory.hpp"
#include "model/facts.hpp"
#include "threads.hpp"

namespace {

using ropewalk::NamedOutput;
using ropewalk::Precision;
using ropewalk::Result;
using ropewalk::SentenceModules;
using ropewalk::Status;
using ropewalk::embind::guarded;
using ropewalk::embind::have_memory;
using ropewalk::embind::keep;
using ropewalk::embind::text_at;

using Model = ropewalk::embind::EncoderModel;

/// Bits of `outputs`, as bindings/ts/model/encoder-forward.ts numbers them.
enum Output : unsigned {
  logits = 1,
  hidden_states = 2,
  attentions = 4,
  rotated_qk = 8,
  scores = 16,
  contacts = 32,
  pooled = 64
};

/// A file as TypeScript places it: addresses and sizes as float64 values, which hold those of any memory.
struct FileAt {
  double name;
  double name_size;
  double bytes;
  double size;

  ropewalk::ModelFile get() const {
    const std::string_view content = text(bytes, size);
    return {text(name, name_size), std::as_bytes(std::span(content))};
  }

 private:
  static std::string_view text(double address, double size) {
    return text_at(static_cast<std::uintptr_t>(address), static_cast<std::size_t>(size));
  }
};

/// `files` are `count` blocks FileAt.
int make_sentence(Model& model, std::uintptr_t files, std::size_t count) {
  return guarded([&]() -> Status {
    std::vector<ropewalk::ModelFile> all;
    for (const FileAt& file : std::span(reinterpret_cast<const FileAt*>(files), count))
      all.push_back(file.get());
    Result<SentenceModules> made = SentenceModules::make(
        all, model.encoder.spec().hidden, model.encoder.precision(), ropewalk::embind::threads());
    if (!made.ok()) return made.status();
    model.sentence.emplace(std::move(made).value());
    return {};
  });
}

std::size_t parameter_count(const Model& model) { return model.encoder.parameter_count(); }
void notes(const Model& model) { ropewalk::embind::answer(ropewalk::embind::lines(model.encoder.notes())); }
void facts(const Model& model) {
  ropewalk::embind::answer(ropewalk::model::facts_json(model.encoder.spec()));
}
void sentence_notes(const Model& model) {
  ropewalk::embind::answer(ropewalk::embind::lines(model.sentence->notes()));
}
void sentence_facts(const Model& model) {
  ropewalk::embind::answer(ropewalk::model::facts_json(*model.sentence));
}

void families() { ropewalk::embind::answer(ropewalk::model::families_json()); }

/// The options of the steps behind pooling; -1: not given.
struct Vectors {
  int pooling;
  std::size_t prompt_tokens;
  int normalize;
  std::size_t dimensions;
};

Status run_sentence(Model& model, const ropewalk::EncoderInput& input, const Vectors& vectors) {
  ropewalk::SentenceOptions options{.prompt_tokens = vectors.prompt_tokens, .dimensions = vectors.dimensions};
  if (vectors.pooling >= 0) options.pooling = static_cast<ropewalk::Pooling>(vectors.pooling);
  if (vectors.normalize >= 0) options.normalize = vectors.normalize != 0;
  ropewalk::SentenceOutput output;
  const Status status = model.sentence->try_run({.hidden_states = model.output.last_hidden_state,
                                                 .batch = input.batch,
                                                 .sequence = input.sequence,
                                                 .attention_mask = input.attention_mask},
                                                options, output);
  if (!status.ok()) return status;
  model.output.all.push_back({"pooled", {}, output.pooled});
  model.output.all.push_back({"sentence_embedding", {}, output.embedding});
  return {};
}

int forward(Model& model, std::uintptr_t ids, std::size_t id_count, std::uintptr_t types,
            std::size_t type_count, std::uintptr_t mask, std::size_t mask_count, std::size_t batch,
            std::size_t sequence, std::uintptr_t sequences, std::size_t sequence_count, unsigned outputs,
            int pooling, std::size_t prompt_tokens, int normalize, std::size_t dimensions) {
  ropewalk::EncoderInput input =
      ropewalk::embind::encoder_input(ids, id_count, types, type_count, mask, mask_count, batch, sequence);
  input.sequence_ids = ropewalk::embind::integers(sequences, sequence_count);
  const ropewalk::EncoderWants wanted{.logits = (outputs & Output::logits) != 0,
                                      .hidden_states = (outputs & Output::hidden_states) != 0,
                                      .attentions = (outputs & Output::attentions) != 0,
                                      .scores = (outputs & Output::scores) != 0,
                                      .rotated_qk = (outputs & Output::rotated_qk) != 0,
                                      .contacts = (outputs & Output::contacts) != 0};
  return guarded([&]() -> Status {
    const Status status = model.encoder.try_forward(input, wanted, model.output);
    if (!status.ok() || (outputs & Output::pooled) == 0) return status;
    return run_sentence(model, input, {pooling, prompt_tokens, normalize, dimensions});
  });
}

// The outputs of the last forward, one after the other.
std::size_t output_count(const Model& model) { return model.output.all.size(); }
void output_name(const Model& model, std::size_t i) { ropewalk::embind::show(model.output.all[i].name); }
/// The layer of an output that each layer has; -1 for other outputs.
int output_layer(const Model& model, std::size_t i) {
  const std::optional<std::size_t>& layer = model.output.all[i].layer;
  return layer ? static_cast<int>(*layer) : -1;
}
std::uintptr_t output_address(const Model& model, std::size_t i) {
  return reinterpret_cast<std::uintptr_t>(model.output.all[i].values.data());
}
std::size_t output_size(const Model& model, std::size_t i) { return model.output.all[i].values.size(); }

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_encoder) {
  using namespace emscripten;
  class_<Model>("Encoder")
      .function("parameterCount", &parameter_count)
      .function("notes", &notes)
      .function("facts", &facts)
      .function("makeSentence", &make_sentence)
      .function("sentenceNotes", &sentence_notes)
      .function("sentenceFacts", &sentence_facts)
      .function("forward", &forward)
      .function("outputCount", &output_count)
      .function("outputName", &output_name)
      .function("outputLayer", &output_layer)
      .function("outputAddress", &output_address)
      .function("outputSize", &output_size);
  function("families", &families);
}
