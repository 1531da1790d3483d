// Decoders from files: as they arrive, and from memory.

#include "ropewalk/loading.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "decoder/state.hpp"
#include "formats/json/members.hpp"
#include "model/gguf/loader.hpp"
#include "model/loading/file_loader.hpp"
#include "model/loading/loader.hpp"
#include "ropewalk/safetensors.hpp"

namespace ropewalk {
namespace {

Status check(const DecoderOptions& options) {
  if (options.context && (*options.context < 1 || *options.context > std::size_t{1} << 24))
    return out_of_range("decoder", "context", *options.context, "a whole number from 1 to 16777216");
  return {};
}

model::Loader::Options loader_options(const DecoderOptions& options) {
  return {.precision = options.precision,
          .keep = model::Loader::Keep::packed_in_blocks,
          .threads = options.threads};
}

std::size_t member(const json::Value& config, std::string_view name) {
  std::int64_t value = 0;
  const Status status = json::Members(config, "decoder").whole(name, 0, INT32_MAX, value);
  return status.ok() ? static_cast<std::size_t>(value) : 0;
}

Decoder::State::Read read_of(std::string_view config) {
  const Result<json::Value> parsed = json::parse(config, "decoder", "config");
  return {.config = std::string(config),
          .max_positions = member(parsed.value(), "max_position_embeddings"),
          .original_max_positions = member(parsed.value(), "original_max_position_embeddings")};
}

Result<Spec> checked_spec(std::string_view config, const DecoderOptions& options) {
  ROPEWALK_LET(spec, spec_from_config(config));
  ROPEWALK_TRY(check(options));
  ROPEWALK_TRY(Decoder::State::check(spec));
  return std::move(spec);
}

std::uint64_t screen_bytes(const Spec& spec, const DecoderOptions& options) {
  if (!options.screen || options.precision != Precision::int8) return 0;
  return nn::Screen::bytes_of(spec.vocabulary, spec.embedding_width());
}

}  // namespace

struct DecoderLoader::State {
  DecoderOptions options;
  Decoder::State::Read read = {};
  /// One of both.
  std::optional<model::FileLoader> files = {};
  std::optional<model::GgufLoader> gguf = {};
  std::uint64_t screen = 0;  // bytes that it will take, behind the weights
  /// Once all weights have been read.
  std::optional<Decoder> made = {};
};

DecoderLoader::DecoderLoader(std::unique_ptr<State> state) : state_(std::move(state)) {}
DecoderLoader::DecoderLoader(DecoderLoader&&) noexcept = default;
DecoderLoader& DecoderLoader::operator=(DecoderLoader&&) noexcept = default;
DecoderLoader::~DecoderLoader() = default;

Result<DecoderLoader> DecoderLoader::make(std::string_view config, std::size_t files,
                                          const DecoderOptions& options) {
  ROPEWALK_LET(spec, checked_spec(config, options));
  DecoderLoader loader(std::unique_ptr<State>(new State{.options = options, .read = read_of(config)}));
  loader.state_->screen = screen_bytes(spec, options);
  loader.state_->files.emplace(std::move(spec), files, loader_options(options));
  return Result<DecoderLoader>(std::move(loader));
}

Result<DecoderLoader> DecoderLoader::make_gguf(const DecoderOptions& options) {
  ROPEWALK_TRY(check(options));
  DecoderLoader loader(std::unique_ptr<State>(new State{.options = options}));
  loader.state_->gguf.emplace(loader_options(options));
  return Result<DecoderLoader>(std::move(loader));
}

Result<std::size_t> DecoderLoader::try_read_header(std::size_t file, std::span<const std::byte> bytes,
                                                   std::optional<std::uint64_t> size) {
  return state_->gguf ? state_->gguf->read_header(bytes, size)
                      : state_->files->read_header(file, bytes, size);
}
bool DecoderLoader::has_header(std::size_t file) const {
  return state_->gguf ? state_->gguf->has_header() : state_->files->has_header(file);
}
Result<ModelSize> DecoderLoader::try_match() {
  ROPEWALK_LET(size, state_->gguf ? state_->gguf->match() : state_->files->match());
  if (state_->gguf) {
    const model::GgufModel& model = state_->gguf->model();
    ROPEWALK_TRY(Decoder::State::check(model.spec));
    state_->read = {.config = model.metadata, .max_positions = model.max_positions};
    state_->screen = screen_bytes(model.spec, state_->options);
  }
  ModelSize all = size;
  all.loaded += state_->screen;
  all.peak = std::max(all.peak, all.loaded);
  return all;
}
Result<std::string> DecoderLoader::try_gguf_tokenizer() const {
  return state_->gguf ? state_->gguf->tokenizer() : std::string("{}");
}
Status DecoderLoader::try_reserve(std::optional<std::uint64_t> limit) {
  return state_->gguf ? state_->gguf->reserve(limit) : state_->files->reserve(limit);
}
Status DecoderLoader::try_read(std::size_t file, std::span<const std::byte> bytes) {
  return state_->gguf ? state_->gguf->read(bytes) : state_->files->read(file, bytes);
}
Result<std::size_t> DecoderLoader::try_prepare() {
  if (!state_->made) {
    ROPEWALK_LET(loaded, state_->gguf ? state_->gguf->finish() : state_->files->finish());
    Result<Decoder> made = Decoder::State::make(std::move(state_->read), std::move(loaded), state_->options);
    if (!made.ok()) return made.status();
    state_->made.emplace(std::move(made).value());
  }
  return Decoder::State::prepare(*state_->made);
}
Result<Decoder> DecoderLoader::try_finish() {
  for (;;) {
    ROPEWALK_LET(left, try_prepare());
    if (left == 0) return std::move(*state_->made);
  }
}

Result<Decoder> Decoder::make(std::string_view config, std::span<const std::byte> weights,
                              const DecoderOptions& options) {
  ROPEWALK_LET(spec, checked_spec(config, options));
  ROPEWALK_LET(checkpoint, Safetensors::open(weights));
  ROPEWALK_LET(loaded, model::Loader::load(spec, checkpoint.tensors(), loader_options(options)));
  Result<Decoder> made = State::make(read_of(config), std::move(loaded), options);
  while (made.ok() && State::prepare(made.value()) != 0) {
  }
  return made;
}

Result<Decoder> Decoder::make_gguf(std::span<const std::byte> file, const DecoderOptions& options) {
  ROPEWALK_LET(made, DecoderLoader::make_gguf(options));
  return model::load_gguf(made, file);
}

}  // namespace ropewalk
