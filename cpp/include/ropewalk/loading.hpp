#pragma once

/// Loading a model from files that arrive in pieces, so that a checkpoint is never in memory as a whole: rows of a tensor
/// are converted when they arrive, and no weight is kept twice.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ropewalk/decoder.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/spec.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// The memory that a model needs, computed from its configuration and the headers of its files.
struct ModelSize {
  /// Elements of all parameters; a tied weight counts once.
  std::uint64_t parameters = 0;
  /// Bytes of all files.
  std::uint64_t download = 0;
  /// Bytes of memory for the weights after loading. Pieces of files that the caller holds are not counted.
  std::uint64_t loaded = 0;
  /// The most while they are loaded, counted alike.
  std::uint64_t peak = 0;
};

/// Makes an Encoder from files that arrive in pieces. Call in this order: try_read_header for every file; try_match;
/// try_reserve; try_read with the bytes that follow the header of each file, from first to last; try_finish. After an error
/// the loader cannot be used again.
class EncoderLoader {
 public:
  /// `files` is the number of safetensors files: 1, or that of the shards. `threads` as for
  /// Encoder::make. Errors as those of spec_from_config.
  static Result<EncoderLoader> make(std::string_view config, std::size_t files,
                                    Precision precision = Precision::float32, Threads* threads = nullptr);
  /// For one GGUF file, which is file 0.
  static Result<EncoderLoader> make_gguf(Precision precision = Precision::float32,
                                         Threads* threads = nullptr);
  /// Moves. The source may only be destroyed or assigned to afterwards.
  EncoderLoader(EncoderLoader&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  EncoderLoader& operator=(EncoderLoader&&) noexcept;
  ~EncoderLoader();

  /// The next bytes of a file, from its first on, until has_header. Returns how many of them belong to the header; those
  /// behind are for try_read. `size` is that of the file, where it is known. Errors as those of Safetensors::open.
  [[nodiscard]] Result<std::size_t> try_read_header(std::size_t file, std::span<const std::byte> bytes,
                                                    std::optional<std::uint64_t> size = {});
  /// True if the header of the file has been read.
  bool has_header(std::size_t file) const;
  /// Finds every parameter. Errors: those that are missing, and shapes and types that do not fit, by name; a file that
  /// ended within its header.
  [[nodiscard]] Result<ModelSize> try_match();
  /// Between try_match and try_reserve: the metadata of a GGUF file as JSON, its vocabulary included.
  [[nodiscard]] Result<std::string> try_gguf_metadata() const;
  /// After try_match: names of the tensors that Precision::int8 keeps as whole numbers with a scale for each row. A
  /// checkpoint may hold them so: see docs/encoders.md.
  std::vector<std::string> quantised_by_rows() const;
  /// Takes the memory. out_of_memory that names what is needed and `limit`, bytes that can be had, if that is less.
  [[nodiscard]] Status try_reserve(std::optional<std::uint64_t> limit = {});
  /// The next bytes of a file behind its header, of any number. malformed error for more than its header says.
  [[nodiscard]] Status try_read(std::size_t file, std::span<const std::byte> bytes);
  /// malformed error for a file that has not been read to its end.
  [[nodiscard]] Result<Encoder> try_finish();

 private:
  struct State;
  struct FromFiles;
  struct FromGguf;
  explicit EncoderLoader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Makes a Decoder from safetensors files, or a GGUF file, that arrive in pieces. Calls and errors are those of
/// EncoderLoader. A GGUF file is file 0.
class DecoderLoader {
 public:
  /// config.json or Meta's params.json, and the number of safetensors files. Errors as those of Decoder::make.
  static Result<DecoderLoader> make(std::string_view config, std::size_t files,
                                    const DecoderOptions& options = {});
  /// For one GGUF file.
  static Result<DecoderLoader> make_gguf(const DecoderOptions& options = {});
  /// Moves. The source may only be destroyed or assigned to afterwards.
  DecoderLoader(DecoderLoader&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  DecoderLoader& operator=(DecoderLoader&&) noexcept;
  ~DecoderLoader();

  /// As EncoderLoader::try_read_header.
  [[nodiscard]] Result<std::size_t> try_read_header(std::size_t file, std::span<const std::byte> bytes,
                                                    std::optional<std::uint64_t> size = {});
  /// True if the header of the file has been read.
  bool has_header(std::size_t file) const;
  /// As EncoderLoader::try_match.
  [[nodiscard]] Result<ModelSize> try_match();
  /// Between try_match and try_reserve: what the metadata of a GGUF file says about its vocabulary, as JSON.
  [[nodiscard]] Result<std::string> try_gguf_tokenizer() const;
  /// As EncoderLoader::try_reserve.
  [[nodiscard]] Status try_reserve(std::optional<std::uint64_t> limit = {});
  /// As EncoderLoader::try_read.
  [[nodiscard]] Status try_read(std::size_t file, std::span<const std::byte> bytes);
  /// Between try_read and try_finish, for those who want to show progress or to stop: a step of what is computed from the
  /// weights, such as DecoderOptions::screen. Returns how much is left; try_finish computes that. Errors as those of
  /// try_finish.
  [[nodiscard]] Result<std::size_t> try_prepare();
  /// As EncoderLoader::try_finish.
  [[nodiscard]] Result<Decoder> try_finish();

 private:
  struct State;
  explicit DecoderLoader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ropewalk
