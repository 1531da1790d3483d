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
#include "blocks.hpp"
#include "encoder_model.hpp"
#include "lines.hpp"
#include "memory.hpp"
#include "model/facts.hpp"
#include "threads.hpp"

namespace {

using ropewalk::NamedOutput;
using ropewalk::Result;
using ropewalk::SentenceModules;
using ropewalk::Status;
using ropewalk::embind::array_at;
using ropewalk::embind::FileBlock;
using ropewalk::embind::ForwardBlock;
using ropewalk::embind::guarded;
using ropewalk::embind::Output;

using Model = ropewalk::embind::EncoderModel;

/// `files` is the address of `count` blocks. Status code.
int make_sentence(Model& model, std::uintptr_t files, std::size_t count) {
  return guarded([&]() -> Status {
    std::vector<ropewalk::ModelFile> all;
    for (const FileBlock& file : std::span(reinterpret_cast<const FileBlock*>(files), count)) {
      const std::span<const char> name = array_at<char>(file.name, file.name_size);
      all.push_back({{name.data(), name.size()}, array_at<std::byte>(file.bytes, file.size)});
    }
    Result<SentenceModules> made = SentenceModules::make(
        all, model.encoder.spec().hidden, model.encoder.precision(), ropewalk::embind::threads());
    if (!made.ok()) return made.status();
    model.sentence.emplace(std::move(made).value());
    return {};
  });
}

std::size_t parameter_count(const Model& model) { return model.encoder.parameter_count(); }
std::size_t vocabulary(const Model& model) { return model.encoder.spec().vocabulary; }
void notes(const Model& model) { ropewalk::embind::answer(ropewalk::embind::lines(model.encoder.notes())); }
void facts(const Model& model) {
  ropewalk::embind::answer(ropewalk::model::facts_json(model.encoder.spec()));
}
/// These two only after make_sentence().
void sentence_notes(const Model& model) {
  ropewalk::embind::answer(ropewalk::embind::lines(model.sentence->notes()));
}
void sentence_facts(const Model& model) {
  ropewalk::embind::answer(ropewalk::model::facts_json(*model.sentence));
}

/// The build puts them into the entries of the package.
void families() { ropewalk::embind::answer(ropewalk::model::families_json()); }

Status run_sentence(Model& model, const ropewalk::EncoderInput& input, const ForwardBlock& block) {
  ropewalk::SentenceOptions options{.prompt_tokens = static_cast<std::size_t>(block.prompt_tokens),
                                    .dimensions = static_cast<std::size_t>(block.dimensions)};
  if (block.pooling >= 0) options.pooling = static_cast<ropewalk::Pooling>(static_cast<int>(block.pooling));
  if (block.normalize >= 0) options.normalize = block.normalize != 0;
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

/// `block` is the address of a ForwardBlock. Status code.
int forward(Model& model, std::uintptr_t block_at) {
  const ForwardBlock& block = *reinterpret_cast<const ForwardBlock*>(block_at);
  ropewalk::EncoderInput input = ropewalk::embind::encoder_input(block);
  input.sequence_ids = array_at<std::int32_t>(block.sequence_ids, block.sequence_id_count);
  const auto is_wanted = [outputs = static_cast<unsigned>(block.outputs)](Output output) {
    return (outputs >> static_cast<int>(output) & 1) != 0;
  };
  const ropewalk::EncoderWants wanted{.logits = is_wanted(Output::logits),
                                      .hidden_states = is_wanted(Output::hidden_states),
                                      .attentions = is_wanted(Output::attentions),
                                      .scores = is_wanted(Output::scores),
                                      .rotated_qk = is_wanted(Output::rotated_q_k),
                                      .contacts = is_wanted(Output::contacts)};
  return guarded([&]() -> Status {
    const Status status = model.encoder.try_forward(input, wanted, model.output);
    if (!status.ok() || !is_wanted(Output::pooled)) return status;
    return run_sentence(model, input, block);
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
      .function("vocabulary", &vocabulary)
      .function("notes", &notes)
      .function("facts", &facts)
      .function("makeSentence(files, count)", &make_sentence)
      .function("sentenceNotes", &sentence_notes)
      .function("sentenceFacts", &sentence_facts)
      .function("forward(block)", &forward)
      .function("outputCount", &output_count)
      .function("outputName(index)", &output_name)
      .function("outputLayer(index)", &output_layer)
      .function("outputAddress(index)", &output_address)
      .function("outputSize(index)", &output_size);
  function("families", &families);
}
