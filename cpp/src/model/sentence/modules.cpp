// The public class: weights of the linear layers, checks, one run.

#include <algorithm>
#include <string>

#include "base/buffer.hpp"
#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "model/sentence/files.hpp"
#include "model/sentence/pool.hpp"
#include "nn/activation.hpp"
#include "nn/linear.hpp"
#include "ropewalk/safetensors.hpp"
#include "ropewalk/sentence.hpp"

namespace ropewalk {
namespace {

using sentence_modules::function;

struct Dense {
  nn::PackedWeight weight;
  Buffer<float> bias;  // empty without one
};

/// The parameter `name` of that shape, as float32.
Status read_parameter(const Safetensors& file, const std::string& path, std::string_view name,
                      std::initializer_list<std::uint64_t> shape, Buffer<float>& values) {
  const SafetensorsTensor* tensor = file.find(name);
  const std::string what = path + " tensor " + json::quoted(name);
  if (tensor == nullptr) return wrong_type(function, what, "missing", "a tensor of the module");
  if (!std::ranges::equal(tensor->shape, shape)) {
    std::string sizes;
    for (const std::uint64_t size : shape) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    return out_of_range(function, what, std::to_string(tensor->elements) + " elements",
                        "the shape [" + sizes + "], as its config.json says");
  }
  Status status = values.allocate(static_cast<std::size_t>(tensor->elements), "sentence: weights");
  return status.ok() ? try_read_float32(*tensor, values.span()) : status;
}

Status load(Dense& dense, const DenseSpec& spec, std::span<const ModelFile> files, Precision precision,
            nn::Compute compute, std::vector<std::string>& notes) {
  const std::string name = sentence_modules::in_folder(spec.path, "model.safetensors");
  const ModelFile* bytes = sentence_modules::find_file(files, name);
  if (bytes == nullptr) return sentence_modules::missing_file(name);
  ROPEWALK_LET(file, Safetensors::open(bytes->bytes));
  Buffer<float> weight;
  Status status = read_parameter(file, name, "linear.weight", {spec.outputs, spec.inputs}, weight);
  if (status.ok() && spec.bias)
    status = read_parameter(file, name, "linear.bias", {spec.outputs}, dense.bias);
  if (!status.ok()) return status;
  for (const SafetensorsTensor& tensor : file.tensors()) {
    if (tensor.name == "linear.weight" || (spec.bias && tensor.name == "linear.bias")) continue;
    notes.push_back("tensor " + json::quoted(std::string_view(tensor.name)) + " of " + name +
                    " belongs to nothing that this module computes and is ignored");
  }
  return precision == Precision::int8
             ? dense.weight.pack_int8(compute, weight.data(), spec.outputs, spec.inputs)
             : dense.weight.pack(compute, weight.data(), spec.outputs, spec.inputs);
}

/// The vectors' width after the modules, which each must fit.
Result<std::size_t> width_after(const SentenceSpec& spec, std::size_t pooled) {
  for (const auto& module : spec.modules) {
    const DenseSpec* dense = std::get_if<DenseSpec>(&module);
    if (dense == nullptr) continue;
    if (dense->inputs != pooled) {
      return out_of_range(function, "in_features", dense->inputs,
                          "the width of what comes before " + dense->path + ", " + std::to_string(pooled));
    }
    pooled = dense->outputs;
  }
  return pooled;
}

Status check_input(const SentenceInput& input, std::size_t hidden) {
  constexpr std::string_view lengths = "`batch` * `sequence`";
  if (input.batch < 1 || input.batch > INT32_MAX)
    return out_of_range(function, "batch", input.batch, "1 to 2147483647");
  if (input.sequence < 1 || input.sequence > INT32_MAX)
    return out_of_range(function, "sequence", input.sequence, "1 to 2147483647");
  const std::uint64_t rows = std::uint64_t{input.batch} * input.sequence;
  if (rows > SIZE_MAX / hidden || input.hidden_states.size() != rows * hidden) {
    return out_of_range(function, "hidden_states", std::to_string(input.hidden_states.size()) + " values",
                        std::string(lengths) + " * " + std::to_string(hidden));
  }
  if (!input.attention_mask.empty() && input.attention_mask.size() != rows) {
    return out_of_range(function, "attention_mask", std::to_string(input.attention_mask.size()) + " elements",
                        lengths);
  }
  for (std::size_t i = 0; i < input.attention_mask.size(); ++i) {
    if (input.attention_mask[i] == 0 || input.attention_mask[i] == 1) continue;
    return out_of_range(function, "attention_mask[" + std::to_string(i) + "]",
                        std::to_string(input.attention_mask[i]), "0 or 1, padding and token");
  }
  return {};
}

}  // namespace

struct SentenceModules::State {
  explicit State(nn::Compute chosen) : compute(chosen) {}

  nn::Compute compute;
  SentenceSpec spec;
  std::vector<std::string> notes;
  std::size_t hidden = 0, dimensions = 0;
  std::vector<Dense> dense;  // of the linear layers, in their order
  Buffer<std::uint8_t> counts;
  Buffer<float> pooled, one, other, embedding;

  /// counts (B,T): the mask, without the first `prompt` tokens behind the padding on the left.
  void count_tokens(const SentenceInput& input, std::size_t prompt) {
    for (std::size_t b = 0; b < input.batch; ++b) {
      std::size_t skipped = 0;
      bool begun = false;
      for (std::size_t t = 0; t < input.sequence; ++t) {
        const std::size_t i = b * input.sequence + t;
        const bool token = input.attention_mask.empty() || input.attention_mask[i] != 0;
        begun = begun || token;
        const bool of_prompt = begun && skipped < prompt;
        if (of_prompt) ++skipped;
        counts[i] = token && !of_prompt ? 1 : 0;
      }
    }
  }

  void pool(const SentenceInput& input, std::span<const Pooling> poolings) {
    const std::size_t tokens = input.sequence;
    float* out = pooled.data();
    for (std::size_t b = 0; b < input.batch; ++b) {
      for (const Pooling each : poolings) {
        sentence_modules::pool(
            each, out,
            {input.hidden_states.data() + b * tokens * hidden, {counts.data() + b * tokens, tokens}, hidden});
        out += hidden;
      }
    }
  }

  /// Returns the vectors (B,dimensions) after the modules.
  const float* run_modules(std::size_t batch, std::size_t width, bool normalize) {
    const float* x = pooled.data();
    float *free = one.data(), *next = other.data();
    std::size_t layer = 0;
    for (const auto& module : spec.modules) {
      if (const DenseSpec* own = std::get_if<DenseSpec>(&module)) {
        const Dense& weights = dense[layer++];
        nn::linear_forward(compute, free, x, weights.weight, own->bias ? weights.bias.data() : nullptr,
                           batch);
        nn::activation_forward(compute, own->activation, free, free, batch * own->outputs);
        width = own->outputs;
      } else if (normalize) {
        std::copy_n(x, batch * width, free);
        for (std::size_t b = 0; b < batch; ++b) sentence_modules::normalize(free + b * width, width);
      } else {
        continue;
      }
      x = free;
      std::swap(free, next);
    }
    return x;
  }
};

SentenceModules::SentenceModules(std::unique_ptr<State> state) : state_(std::move(state)) {}
SentenceModules::SentenceModules(SentenceModules&&) noexcept = default;
SentenceModules& SentenceModules::operator=(SentenceModules&&) noexcept = default;
SentenceModules::~SentenceModules() = default;

Result<SentenceModules> SentenceModules::make(std::span<const ModelFile> files, std::size_t hidden,
                                              Precision precision, Threads* threads) {
  auto state = std::make_unique<State>(nn::Compute::in(precision, threads));
  Result<SentenceSpec> spec = sentence_modules::read_spec(files, hidden, state->notes);
  if (!spec.ok()) return spec.status();
  state->spec = std::move(spec).value();
  state->hidden = hidden;
  ROPEWALK_LET(width, width_after(state->spec, hidden * state->spec.pooling.size()));
  state->dimensions = width;
  for (const auto& module : state->spec.modules) {
    const DenseSpec* dense = std::get_if<DenseSpec>(&module);
    if (dense == nullptr) continue;
    ROPEWALK_TRY(load(state->dense.emplace_back(), *dense, files, precision, state->compute, state->notes));
  }
  return SentenceModules(std::move(state));
}

const SentenceSpec& SentenceModules::spec() const { return state_->spec; }
std::size_t SentenceModules::dimensions() const { return state_->dimensions; }
const std::vector<std::string>& SentenceModules::notes() const { return state_->notes; }

Status SentenceModules::try_run(const SentenceInput& input, const SentenceOptions& options,
                                SentenceOutput& output) {
  State& state = *state_;
  ROPEWALK_TRY(check_input(input, state.hidden));
  const std::span<const Pooling> poolings =
      options.pooling ? std::span<const Pooling>(&*options.pooling, 1) : state.spec.pooling;
  const std::size_t pooled = state.hidden * poolings.size();
  ROPEWALK_LET(width, width_after(state.spec, pooled));
  if (options.prompt_tokens > input.sequence) {
    return out_of_range(function, "prompt_tokens", options.prompt_tokens,
                        "0 to the tokens of a sequence, " + std::to_string(input.sequence));
  }
  if (options.dimensions > width) {
    return out_of_range(function, "dimensions", options.dimensions,
                        "1 to " + std::to_string(width) + ", or nothing");
  }
  const std::size_t dimensions = options.dimensions == 0 ? width : options.dimensions;
  std::size_t widest = pooled;
  for (const auto& module : state.spec.modules) {
    if (const DenseSpec* dense = std::get_if<DenseSpec>(&module)) widest = std::max(widest, dense->outputs);
  }
  constexpr const char* what = "sentence: vectors";
  for (Status status :
       {state.counts.reserve(input.batch * input.sequence, what),
        state.pooled.reserve(input.batch * pooled, what), state.one.reserve(input.batch * widest, what),
        state.other.reserve(input.batch * widest, what),
        state.embedding.reserve(input.batch * dimensions, what)}) {
    if (!status.ok()) return status;
  }
  state.count_tokens(input, options.prompt_tokens);
  state.pool(input, poolings);
  const float* const x = state.run_modules(input.batch, pooled, options.normalize.value_or(true));
  const bool unit = dimensions == width && !state.spec.modules.empty() &&
                    std::holds_alternative<NormalizeSpec>(state.spec.modules.back());
  for (std::size_t b = 0; b < input.batch; ++b) {
    float* const own = state.embedding.data() + b * dimensions;
    std::copy_n(x + b * width, dimensions, own);
    if (options.normalize == true && !unit) sentence_modules::normalize(own, dimensions);
  }
  output = {.pooled = {state.pooled.data(), input.batch * pooled},
            .embedding = {state.embedding.data(), input.batch * dimensions}};
  return {};
}

}  // namespace ropewalk
