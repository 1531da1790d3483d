#pragma once

// A model from the tensors of a checkpoint, of which only a few bytes at a time are in memory.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/buffer.hpp"
#include "model/loading/tensors.hpp"
#include "model/model.hpp"
#include "model/packing.hpp"
#include "ropewalk/loading.hpp"

namespace ropewalk::model {

/// In this order: match with the headers of all files; reserve; read each tensor, whichever first, from its first byte to
/// its last; finish.
class Loader {
 public:
  /// The form in which a model keeps its parameters.
  enum class Keep {
    packed,            // what inference reads: nothing is in memory twice
    packed_in_blocks,  // the same, where 8 bits have scales for blocks of columns, not for whole rows
    all,               // as float32 in one buffer, to be trained, beside what is packed
  };
  struct Options {
    Precision precision = Precision::float32;
    Keep keep = Keep::packed;
    /// Threads that the model computes on, and which outlive it; nullptr: the calling thread alone.
    Threads* threads = nullptr;
  };

  /// The tensors of each file of a checkpoint.
  using Files = std::span<const std::span<const SafetensorsTensor>>;

  Loader() = default;
  Loader(const Loader&) = delete;  // claims point into the model
  Loader& operator=(const Loader&) = delete;

  /// Finds every parameter and allocates no memory for any. `files` outlive the loader; their tensors need no data. A
  /// checkpoint with weights in 8 bits makes a model of Precision::int8, whatever `options` say.
  /// `added` as for Model::load. Errors: parameters that are missing, shapes and types that do not fit, by name.
  Status match(const Spec& spec, Files files, const Options& options, std::string_view added = {});
  /// Memory that the parameters need, from files of `download` bytes.
  ModelSize size(std::uint64_t download) const {
    const std::uint64_t while_loading =
        carry_.size() + sizeof(float) * (row_.size() + positions_.size() + transposed_size_);
    return {.parameters = model_->table().size(),
            .download = download,
            .loaded = bytes_,
            .peak = bytes_ + while_loading};
  }
  /// After match: other frequencies for the ropes, which values that have arrived since tell.
  Status set_ropes(std::vector<RopeOptions> ropes);
  /// Names of the tensors that are quantised by rows where the precision is int8.
  std::vector<std::string> quantised_by_rows() const;
  /// Takes the memory. out_of_memory that names what is needed and `limit`, if that is less.
  Status reserve(std::optional<std::uint64_t> limit = {});
  /// The next bytes of a tensor of `files`.
  void read(const SafetensorsTensor& tensor, std::span<const std::byte> bytes);
  /// Once every tensor has been read.
  Result<Model> finish();

  /// All of this with a checkpoint that is in memory.
  static Result<Model> load(const Spec& spec, std::span<const SafetensorsTensor> checkpoint,
                            const Options& options, std::string_view added = {});

 private:
  /// The values of a parameter.
  struct Values {
    const parameters::Parameter* parameter;
    bool rotated = false;    // its rows are as they are multiplied
    bool has_copy = false;   // so that its bytes are hashed
    std::uint64_t hash = 0;  // of its bytes
    std::uint64_t done = 0;  // bytes
  };
  /// The same values once more, to which the configuration ties a parameter.
  struct Copy {
    const parameters::Parameter* parameter;
    std::uint64_t hash = 0;
  };
  /// The scales of a parameter's rows.
  struct Scales {
    const parameters::Parameter* parameter;
    std::vector<std::byte> bytes = {};
  };
  /// A table of sinusoids, which is computed instead.
  struct Sinusoids {
    bool differs = false;
    std::uint64_t done = 0;  // bytes
  };
  /// Values that tell something of the spec, as Tensors::Found has it.
  struct OfSpec {
    std::vector<std::byte> bytes = {};
  };
  /// The use of a tensor of the checkpoint.
  struct Use {
    const SafetensorsTensor* tensor;
    std::variant<Values, Copy, Scales, Sinusoids, OfSpec> as;
  };

  /// The spec with what the tensors tell of it, and with the heads that they hold.
  Result<Spec> spec_of_tensors(std::vector<std::string>& notes);
  Status match_parameters();
  Status match_scales(const SafetensorsTensor& weight, const parameters::Parameter& parameter, bool rotated);
  Status match_positions();
  Status claim();
  nn::WeightForm form() const;
  Use* use_of(const SafetensorsTensor& tensor);
  /// The uses of one kind, each with its tensor.
  template <class Kind, class Visit>
  void each(Visit visit) {
    for (Use& use : uses_) {
      if (Kind* const kind = std::get_if<Kind>(&use.as)) visit(*use.tensor, *kind);
    }
  }
  std::size_t unit_of(const SafetensorsTensor& tensor, const Values& values) const;
  /// Hands on the bytes that arrive in multiples of `unit`.
  template <class Take>
  void in_units(std::size_t unit, std::span<const std::byte> bytes, Take take);
  void take(const SafetensorsTensor& tensor, Values& values, std::span<const std::byte> units);
  void take_rows(const Claim& claim, SafetensorsType type, bool rotated, std::uint64_t first,
                 std::span<const std::byte> rows);
  void set_scales(const SafetensorsTensor& tensor, const Scales& use);
  void compare(const SafetensorsTensor& tensor, Sinusoids& table, std::span<const std::byte> elements);
  Status correct_spec();
  Status change_frequencies(Spec spec);
  void note_differences();

  std::optional<Model> model_;
  std::vector<std::span<const SafetensorsTensor>> files_;
  std::optional<Tensors> tensors_;
  Spec given_;
  std::string added_;
  Keep keep_ = Keep::packed;
  std::vector<Use> uses_;                   // by tensor
  std::vector<SafetensorsTensor> arrived_;  // those of OfSpec, with their data
  std::vector<Claim> claims_;
  std::uint64_t bytes_ = 0;
  Buffer<float> positions_;  // what the table of sinusoids holds
  Buffer<std::byte> carry_;  // the beginning of a unit that goes on with the next bytes
  std::size_t carried_ = 0;
  Buffer<float> row_;
  Buffer<float> transposed_;  // a weight that is transposed, until its last row is there
  std::size_t transposed_size_ = 0;
};

}  // namespace ropewalk::model
