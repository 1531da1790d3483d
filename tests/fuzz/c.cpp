// Calls of ropewalk.h and ropewalk_models.h in any order, with null pointers, counts that fit nothing and handles of
// other calls: each answers a status that its error repeats, and a call that fails writes nothing. Arrays are as long as
// the call says, so that a read or a write beyond them is seen.

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "golden_models.hpp"
#include "ropewalk_models.h"
#include "target.hpp"

namespace {

using ropewalk::fuzz::Numbers;
using ropewalk::fuzz::require;

/// A function that failed, or not: its error has its code and a sentence.
bool succeeded(ropewalk_status status, const char* function) {
  if (status == ROPEWALK_OK) return true;
  require(status > 0 && status <= ROPEWALK_ERROR_UNSUPPORTED, "a status is one of the codes", function);
  ropewalk_error error;
  ropewalk_last_error(&error);
  require(error.code == status && *error.message != '\0', "an error has the code and a message", function);
  return false;
}

/// The object that a call made, or null.
template <class Made>
void require_made(bool ok, const Made* made, const char* function) {
  require(ok == (made != nullptr), "a call makes something, or fails", function);
}

/// Objects of one kind that are alive, a few at most.
template <class Object, void destroy(Object*)>
class Living {
 public:
  Living() = default;
  Living(const Living&) = delete;
  Living& operator=(const Living&) = delete;
  ~Living() {
    for (Object* each : all_) destroy(each);
  }

  void keep(Object* made) {
    if (made == nullptr) return;
    if (all_.size() == most) {
      destroy(all_.front());
      all_.erase(all_.begin());
    }
    all_.push_back(made);
  }
  /// One of them, or now and then NULL.
  Object* any(Numbers& numbers) const {
    const std::size_t index = numbers.whole(0, 15);
    return all_.empty() || index == 15 ? nullptr : all_[index % all_.size()];
  }
  void remove(Numbers& numbers) {
    Object* const one = any(numbers);
    std::erase(all_, one);
    destroy(one);
  }

 private:
  static constexpr std::size_t most = 3;
  std::vector<Object*> all_;
};

struct State {
  Living<ropewalk_rope, ropewalk_rope_destroy> ropes;
  Living<ropewalk_encoder, ropewalk_encoder_destroy> encoders;
  Living<ropewalk_decoder, ropewalk_decoder_destroy> decoders;
  // Destroyed before their decoders; the other order is met by remove().
  Living<ropewalk_cache, ropewalk_cache_destroy> caches;
};

/// `value`, or now and then something far from it.
std::size_t count_near(Numbers& numbers, std::size_t value) {
  constexpr std::size_t far[] = {0, 1, SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8 + 1, SIZE_MAX / 65536, 65536};
  const std::size_t choice = numbers.whole(0, 31);
  if (choice < std::size(far)) return far[choice];
  return choice == 30 ? value + 1 : choice == 31 ? value - 1 : value;
}

std::int32_t choice(Numbers& numbers, std::size_t most) {
  const std::size_t value = numbers.whole(0, most + 2);
  return value > most ? -1 : static_cast<std::int32_t>(value);
}

template <class Pointer>
Pointer or_null(Numbers& numbers, Pointer pointer) {
  return numbers.whole(0, 31) == 31 ? nullptr : pointer;
}

double position(Numbers& numbers) {
  switch (numbers.whole(0, 3)) {
    case 0:
      return static_cast<double>(numbers.raw<std::int32_t>());
    case 1:
      return numbers.raw<double>();
    default:
      return numbers.real(-100, 100);
  }
}

std::vector<double> doubles(Numbers& numbers, std::size_t count) {
  std::vector<double> values(count);
  const double start = position(numbers), step = position(numbers);
  for (std::size_t i = 0; i < count; ++i) values[i] = start + step * static_cast<double>(i);
  return values;
}

/// A text that a call reads: one of the sound ones, or bytes of the input.
std::vector<char> text_of(Numbers& numbers, std::span<const std::string> sound) {
  const std::size_t index = numbers.whole(0, 7);
  if (index < 6 && !sound.empty()) {
    const std::string& text = sound[index % sound.size()];
    return {text.begin(), text.end()};
  }
  const auto bytes = numbers.bytes(255);
  return {bytes.begin(), bytes.end()};
}

/// Bytes for an array of `count` elements, filled before the call with what it may not change if it fails.
struct Array {
  Array(std::size_t count, std::int32_t dtype) : bytes(count * (dtype == ROPEWALK_FLOAT32 ? 4 : 2), 0x3c) {}
  void* data() { return bytes.data(); }
  bool is_clear() const {
    return std::ranges::all_of(bytes, [](std::uint8_t each) { return each == 0x3c; });
  }
  std::vector<std::uint8_t> bytes;
};

constexpr std::size_t most_elements = 4096;

const std::string& rope_text(std::size_t index) {
  static const std::string texts[] = {
      R"({"head_dim":8})",
      R"({"head_dim":16,"rotary_dim":8,"rotary_offset":2,"pairing":"half"})",
      R"({"head_dim":12,"axes":{"sections":[2,2,2]}})",
      R"({"head_dim":8,"axes":{"sections":[4,4]}})",
      R"({"head_dim":8,"xpos":{"scale_base":512}})",
      R"({"head_dim":8,"pairing":"half","frequencies":{"type":"yarn","base":10000,"factor":4,"original_max_positions":64}})"};
  return texts[index % std::size(texts)];
}

void make_rope(Numbers& numbers, State& state) {
  ropewalk_rope* made = nullptr;
  ropewalk_rope** const place = or_null(numbers, &made);
  if (numbers.flag()) {
    const std::string sound[] = {rope_text(numbers.whole(0, 5))};
    const std::vector<char> text = text_of(numbers, sound);
    const ropewalk_status status = ropewalk_rope_create(or_null(numbers, text.data()), text.size(), place);
    require_made(succeeded(status, "rope_create"), made, "rope_create");
  } else {
    static const std::string config[] = {
        R"({"model_type":"llama","head_dim":8,"max_position_embeddings":64,"rope_theta":10000})",
        R"({"model_type":"gemma3_text","head_dim":8,"rope_theta":1e6,"rope_local_base_freq":1e4,)"
        R"("layer_types":["full_attention","sliding_attention"]})",
        R"({"model_type":"llama","head_dim":8,"max_position_embeddings":64,"rope_theta":1e4,)"
        R"("rope_scaling":{"rope_type":"dynamic","factor":2}})"};
    const std::vector<char> text = text_of(numbers, config);
    const char* const words[] = {nullptr, "", "half", "interleaved", "full_attention", "sliding_attention"};
    const ropewalk_config_options options = {count_near(numbers, sizeof options) % 5000, position(numbers),
                                             words[numbers.whole(0, 5)], words[numbers.whole(0, 5)]};
    // A struct whose size is more than it has would be read beyond its end.
    const bool is_whole = options.struct_size <= sizeof options;
    const ropewalk_status status = ropewalk_rope_create_from_config(
        or_null(numbers, text.data()), text.size(), is_whole ? &options : nullptr, place);
    require_made(succeeded(status, "rope_create_from_config"), made, "rope_create_from_config");
  }
  state.ropes.keep(made);
}

void describe_rope(Numbers& numbers, State& state) {
  const ropewalk_rope* const rope = state.ropes.any(numbers);
  char* text = nullptr;
  const bool options = numbers.flag();
  const ropewalk_status status =
      options ? ropewalk_rope_options(rope, or_null(numbers, &text))
              : ropewalk_rope_explain(rope, position(numbers), or_null(numbers, &text));
  const bool ok = succeeded(status, "rope_options");
  require_made(ok, text, "rope_options");
  if (ok && options) {
    ropewalk_rope* again = nullptr;
    require(ropewalk_rope_create(text, std::strlen(text), &again) == ROPEWALK_OK,
            "a rope is made again from its options", text);
    ropewalk_rope_destroy(again);
  }
  ropewalk_free(text);
  std::size_t count = 1;
  const double* const frequencies = ropewalk_rope_frequencies(rope, &count);
  for (std::size_t i = 0; i < count; ++i) (void)(frequencies[i] + 1);
  require((rope == nullptr) == (ropewalk_rope_head_dim(rope) == 0), "a rope has a head dimension");
  (void)(ropewalk_rope_rotary_dim(rope) + ropewalk_rope_rotary_offset(rope) + ropewalk_rope_axes(rope));
  (void)(ropewalk_rope_pairing(rope) + ropewalk_rope_magnitude(rope));
}

/// A shape with what it points to. Its arrays have at most `most_elements` elements, or it fits no array.
struct Placed {
  ropewalk_placement at = ROPEWALK_PLACEMENT_INIT;
  std::vector<double> positions;
  std::vector<std::size_t> lengths;
  std::size_t heads_elements = 0, kv_elements = 0;
};

void read_positions(Numbers& numbers, std::size_t count, std::vector<double>& values,
                    ropewalk_positions& out) {
  out.start = position(numbers);
  if (numbers.flag()) return;
  values = doubles(numbers, numbers.whole(0, 7) == 0 ? numbers.whole(0, 40) : count);
  out.values = or_null(numbers, values.data());
  out.count = values.size();
}

void read_placement(Numbers& numbers, const ropewalk_rope* rope, Placed& placed) {
  ropewalk_placement& at = placed.at;
  const std::size_t head = std::max<std::size_t>(ropewalk_rope_head_dim(rope), 1);
  const std::size_t axes = std::max<std::size_t>(ropewalk_rope_axes(rope), 1);
  at.batch = numbers.whole(1, 3);
  at.sequence = numbers.whole(1, 9);
  at.heads = numbers.whole(1, 3);
  at.kv_heads = numbers.whole(1, 3);
  const std::size_t tokens = at.batch * at.sequence;
  placed.heads_elements = tokens * at.heads * head;
  placed.kv_elements = tokens * at.kv_heads * head;
  at.layout = choice(numbers, 3);
  at.role = choice(numbers, 1);
  const auto stride = [&](std::size_t dense) {
    return numbers.whole(0, 7) == 0 ? static_cast<std::ptrdiff_t>(numbers.raw<std::int64_t>())
                                    : static_cast<std::ptrdiff_t>(dense);
  };
  at.strides = {stride(at.sequence * at.heads * head), stride(at.heads * head), stride(head)};
  at.key_strides = {stride(at.sequence * at.kv_heads * head), stride(at.kv_heads * head), stride(head)};
  read_positions(numbers, axes * (numbers.flag() ? tokens : at.sequence), placed.positions, at.positions);
  if (at.layout == ROPEWALK_THD || numbers.whole(0, 15) == 0) {
    at.batch = 1;
    placed.heads_elements = at.sequence * at.heads * head;
    placed.kv_elements = at.sequence * at.kv_heads * head;
    placed.lengths = {0, numbers.whole(0, at.sequence), at.sequence};
    if (numbers.whole(0, 7) == 0) placed.lengths[1] = numbers.raw<std::size_t>();
    at.cumulative_lengths = or_null<const std::size_t*>(numbers, placed.lengths.data());
    at.cumulative_count = numbers.whole(0, placed.lengths.size());
  }
  // One number of the shape that fits nothing.
  std::size_t* const members[] = {&at.batch, &at.sequence, &at.heads, &at.kv_heads};
  if (numbers.whole(0, 7) == 0) {
    std::size_t& member = *members[numbers.whole(0, 3)];
    member = count_near(numbers, member);
  }
  if (numbers.whole(0, 31) == 0) at.struct_size = numbers.whole(0, sizeof at - 1);
}

/// Elements that the caller claims, which are there: `count`, or fewer, or a few more.
std::size_t claimed(Numbers& numbers, std::size_t count) {
  const std::size_t near = numbers.whole(0, 15) == 0 ? numbers.whole(0, 300) : count;
  return std::min(near, most_elements);
}

void rotate(Numbers& numbers, State& state) {
  const ropewalk_rope* const rope = state.ropes.any(numbers);
  Placed placed;
  read_placement(numbers, rope, placed);
  const std::int32_t dtype = choice(numbers, 2);
  const ropewalk_placement* const at = or_null<const ropewalk_placement*>(numbers, &placed.at);
  const std::size_t size = claimed(numbers, placed.heads_elements);
  Array x(size, dtype), out(size, dtype);
  // A copy of what is there: zeros and ones do not show a wrong read.
  for (std::size_t i = 0; i < x.bytes.size(); ++i) x.bytes[i] = static_cast<std::uint8_t>(0x3a + i % 5);
  void* const target = numbers.whole(0, 7) == 0 ? x.data() : out.data();
  const std::vector<std::uint8_t> before = x.bytes;
  bool ok = false;
  switch (numbers.whole(0, 3)) {
    case 0:
      ok = succeeded(
          ropewalk_rotate(rope, or_null(numbers, x.data()), or_null(numbers, target), size, dtype, at),
          "rotate");
      break;
    case 1:
      ok = succeeded(
          ropewalk_unrotate(rope, or_null(numbers, x.data()), or_null(numbers, target), size, dtype, at),
          "unrotate");
      break;
    case 2: {
      std::vector<double> values;
      ropewalk_positions to = {};
      read_positions(numbers, placed.at.batch < 4 ? placed.at.sequence % 16 : 1, values, to);
      const ropewalk_rope* const other = numbers.flag() ? nullptr : state.ropes.any(numbers);
      ok = succeeded(ropewalk_rerotate(rope, or_null(numbers, x.data()), target, size, dtype, at, other,
                                       or_null<const ropewalk_positions*>(numbers, &to)),
                     "rerotate");
      break;
    }
    default: {
      const std::size_t k_size = claimed(numbers, placed.kv_elements);
      Array k(k_size, dtype), out_k(k_size, dtype);
      ok = succeeded(ropewalk_rotate_qk(rope, x.data(), target, size, or_null(numbers, k.data()),
                                        or_null(numbers, out_k.data()), k_size, dtype, at),
                     "rotate_qk");
      require(ok || out_k.is_clear(), "a refused rotation writes no keys");
    }
  }
  require(ok || (out.is_clear() && x.bytes == before), "a refused rotation writes nothing");
}

void table(Numbers& numbers, State& state) {
  const ropewalk_rope* const rope = state.ropes.any(numbers);
  const std::size_t axes = std::max<std::size_t>(ropewalk_rope_axes(rope), 1), rows = numbers.whole(0, 9);
  const std::vector<double> positions = doubles(numbers, numbers.whole(0, 7) == 0 ? rows : rows * axes);
  const std::size_t size = claimed(numbers, rows * ropewalk_rope_width(rope));
  Array cos(size, ROPEWALK_FLOAT32), sin(size, ROPEWALK_FLOAT32);
  const bool ok = succeeded(ropewalk_table(rope, or_null(numbers, positions.data()), positions.size(),
                                           or_null(numbers, static_cast<float*>(cos.data())),
                                           or_null(numbers, static_cast<float*>(sin.data())), size),
                            "table");
  require(ok || (cos.is_clear() && sin.is_clear()), "a refused table writes nothing");
}

void rotate_by(Numbers& numbers) {
  ropewalk_given_angles shape = {sizeof shape,        numbers.whole(1, 3),  numbers.whole(1, 9),
                                 numbers.whole(1, 3), numbers.whole(1, 16), 0,
                                 choice(numbers, 1)};
  shape.pairs = numbers.whole(0, shape.dimension / 2 + 1);
  const std::size_t size = claimed(numbers, shape.batch * shape.sequence * shape.heads * shape.dimension);
  const std::vector<double> angles = doubles(
      numbers,
      claimed(numbers, shape.batch * shape.sequence * (numbers.flag() ? shape.heads : 1) * shape.pairs));
  std::size_t* const members[] = {&shape.struct_size, &shape.batch,     &shape.sequence,
                                  &shape.heads,       &shape.dimension, &shape.pairs};
  if (numbers.whole(0, 7) == 0) {
    const std::size_t which = numbers.whole(0, 5);
    *members[which] = which == 0 ? numbers.whole(0, sizeof shape - 1) : count_near(numbers, *members[which]);
  }
  const std::vector<float> x(size, 0.5F);
  Array out(size, ROPEWALK_FLOAT32);
  std::vector<double> grad_angles(angles.size(), 7);
  const auto* const given = or_null<const ropewalk_given_angles*>(numbers, &shape);
  float* const target = or_null(numbers, static_cast<float*>(out.data()));
  const bool ok = numbers.flag()
                      ? succeeded(ropewalk_rotate_by(or_null(numbers, x.data()), target, size,
                                                     or_null(numbers, angles.data()), angles.size(), given),
                                  "rotate_by")
                      : succeeded(ropewalk_rotate_by_gradient(
                                      or_null(numbers, x.data()), x.data(), target, size, angles.data(),
                                      or_null(numbers, grad_angles.data()), angles.size(), given),
                                  "rotate_by_gradient");
  require(ok || (out.is_clear() && std::ranges::all_of(grad_angles, [](double each) { return each == 7; })),
          "a refused rotation by angles writes nothing");
}

void convert(Numbers& numbers) {
  ropewalk_conversion of = {sizeof of,           choice(numbers, 1),      choice(numbers, 1),
                            numbers.whole(1, 4), 2 * numbers.whole(1, 8), 2 * numbers.whole(0, 4),
                            numbers.whole(0, 4), numbers.whole(0, 5)};
  const std::size_t columns = of.columns == 0 ? numbers.whole(1, 4) : of.columns;
  const std::size_t size = claimed(numbers, of.heads * of.head_dim * columns);
  std::size_t* const members[] = {&of.heads, &of.head_dim, &of.rotary_dim, &of.rotary_offset, &of.columns};
  if (numbers.whole(0, 7) == 0) {
    std::size_t& member = *members[numbers.whole(0, 4)];
    member = count_near(numbers, member);
  }
  if (numbers.whole(0, 31) == 0) of.struct_size = numbers.whole(0, sizeof of - 1);
  const std::int32_t dtype = choice(numbers, 2);
  Array weight(size, dtype), out(size, dtype);
  const bool in_place = numbers.whole(0, 7) == 0;
  const bool ok =
      succeeded(ropewalk_convert_pairing(or_null(numbers, weight.data()),
                                         or_null(numbers, in_place ? weight.data() : out.data()), size, dtype,
                                         or_null<const ropewalk_conversion*>(numbers, &of)),
                "convert_pairing");
  require(ok || out.is_clear(), "a refused conversion writes nothing");
}

/// A golden model's files. Read once.
struct Golden {
  explicit Golden(const std::string& folder)
      : config{ropewalk::fuzz::golden_text(folder + "/config.json")},
        weights(ropewalk::fuzz::golden_bytes(folder + "/model.safetensors")) {}
  std::string config[1];
  std::vector<std::byte> weights;
};

/// The arguments of both functions that make a model.
struct ModelCall {
  std::vector<char> config;
  std::vector<std::byte> bytes;
  std::vector<ropewalk_file> files;
  ropewalk_model_options options = {sizeof options, 0, 0, 0};
};

void read_model_call(Numbers& numbers, const Golden& golden, ModelCall& call) {
  call.config = text_of(numbers, golden.config);
  call.bytes = golden.weights;
  if (numbers.whole(0, 3) == 0) {
    // The header, at whose end the weights begin.
    for (std::size_t change = numbers.whole(0, 3) + 1; change > 0; --change)
      call.bytes[numbers.raw<std::uint16_t>() % std::min<std::size_t>(call.bytes.size(), 4096)] =
          static_cast<std::byte>(numbers.raw<std::uint8_t>());
    if (numbers.flag()) call.bytes.resize(numbers.raw<std::uint32_t>() % call.bytes.size());
    call.bytes.shrink_to_fit();
  }
  for (std::size_t count = numbers.whole(0, 7) == 0 ? numbers.whole(0, 3) : 1; count > 0; --count)
    call.files.push_back(
        {or_null(numbers, "model.safetensors"), or_null(numbers, call.bytes.data()), call.bytes.size()});
  call.options.precision = choice(numbers, 1);
  call.options.threads = numbers.whole(0, 7) == 0 ? static_cast<std::int32_t>(numbers.whole(0, 2)) : 1;
  call.options.context = numbers.whole(0, 3) == 0 ? count_near(numbers, 16) : 16;
  if (numbers.whole(0, 15) == 0) call.options.struct_size = numbers.whole(0, sizeof call.options - 1);
}

void make_encoder(Numbers& numbers, State& state) {
  static const Golden golden("encoders/bert-minilm");
  ModelCall call;
  read_model_call(numbers, golden, call);
  ropewalk_encoder* made = nullptr;
  const ropewalk_status status = ropewalk_encoder_create(
      or_null(numbers, call.config.data()), call.config.size(), or_null(numbers, call.files.data()),
      call.files.size(), or_null<const ropewalk_model_options*>(numbers, &call.options),
      or_null(numbers, &made));
  require_made(succeeded(status, "encoder_create"), made, "encoder_create");
  state.encoders.keep(made);
}

void make_decoder(Numbers& numbers, State& state) {
  static const Golden golden("decoders/llama-one-layer");
  ModelCall call;
  read_model_call(numbers, golden, call);
  ropewalk_decoder* made = nullptr;
  const ropewalk_status status = ropewalk_decoder_create(
      or_null(numbers, call.config.data()), call.config.size(), or_null(numbers, call.files.data()),
      call.files.size(), or_null<const ropewalk_model_options*>(numbers, &call.options),
      or_null(numbers, &made));
  require_made(succeeded(status, "decoder_create"), made, "decoder_create");
  state.decoders.keep(made);
}

void set_sentence(Numbers& numbers, State& state) {
  static const std::string modules[] = {ropewalk::fuzz::golden_text("encoders/bert-minilm/modules.json"),
                                        "[]"};
  static const std::string pooling =
      ropewalk::fuzz::golden_text("encoders/bert-minilm/1_Pooling/config.json");
  const std::vector<char> text = text_of(numbers, modules);
  char* json = nullptr;
  const bool listed =
      succeeded(ropewalk_sentence_files(or_null(numbers, text.data()), text.size(), or_null(numbers, &json)),
                "sentence_files");
  require_made(listed, json, "sentence_files");
  ropewalk_free(json);
  const ropewalk_file files[] = {
      {or_null(numbers, "modules.json"), or_null(numbers, text.data()), text.size()},
      {"1_Pooling/config.json", pooling.data(), pooling.size()}};
  succeeded(ropewalk_encoder_set_sentence(state.encoders.any(numbers), or_null(numbers, files),
                                          numbers.whole(0, 2)),
            "encoder_set_sentence");
}

std::vector<std::int32_t> ids_of(Numbers& numbers, std::size_t count, std::size_t most) {
  std::vector<std::int32_t> ids(count);
  for (std::int32_t& id : ids) id = choice(numbers, most);
  if (count > 0 && numbers.whole(0, 15) == 0) ids[0] = numbers.raw<std::int32_t>();
  return ids;
}

void forward(Numbers& numbers, State& state) {
  ropewalk_encoder* const encoder = state.encoders.any(numbers);
  const std::size_t batch = numbers.whole(1, 2), sequence = numbers.whole(1, 6);
  const auto ids = ids_of(numbers, batch * sequence, 40), types = ids_of(numbers, batch * sequence, 1),
             mask = ids_of(numbers, batch * sequence, 1);
  ropewalk_batch given = {sizeof given,
                          batch,
                          sequence,
                          or_null(numbers, ids.data()),
                          numbers.flag() ? nullptr : types.data(),
                          numbers.flag() ? nullptr : mask.data()};
  // Fewer than there are, or none: more would be read beyond the arrays.
  if (numbers.whole(0, 7) == 0) given.batch = numbers.whole(0, batch);
  if (numbers.whole(0, 7) == 0) given.sequence = numbers.whole(0, sequence);
  if (numbers.whole(0, 31) == 0) given.sequence = SIZE_MAX - numbers.whole(0, 9);
  const ropewalk_sentence_options sentence = {
      numbers.whole(0, 15) == 0 ? numbers.whole(0, sizeof sentence - 1) : sizeof sentence, choice(numbers, 6),
      choice(numbers, 2), count_near(numbers, 1), count_near(numbers, 4)};
  const std::uint32_t outputs =
      numbers.whole(0, 7) == 0 ? numbers.raw<std::uint32_t>() : numbers.raw<std::uint8_t>() % 128;
  succeeded(ropewalk_encoder_forward(encoder, or_null<const ropewalk_batch*>(numbers, &given), outputs,
                                     numbers.flag() ? nullptr : &sentence),
            "encoder_forward");
}

void describe_encoder(Numbers& numbers, State& state) {
  const ropewalk_encoder* const encoder = state.encoders.any(numbers);
  char* json = nullptr;
  using Describe = ropewalk_status(const ropewalk_encoder*, char**);
  Describe* const describe[] = {ropewalk_encoder_facts, ropewalk_encoder_metadata, ropewalk_encoder_outputs};
  const bool ok = succeeded(describe[numbers.whole(0, 2)](encoder, or_null(numbers, &json)), "encoder_facts");
  require_made(ok, json, "encoder_facts");
  ropewalk_free(json);
  const char* const names[] = {"last_hidden_state", "hidden_states", "pooled",          "sentence_embedding",
                               "attentions",        "scores",        "rotated_queries", ""};
  const float* values = nullptr;
  std::size_t size = 0;
  const std::int32_t layer = numbers.whole(0, 7) == 0 ? numbers.raw<std::int32_t>() : choice(numbers, 2);
  const bool found =
      succeeded(ropewalk_encoder_output(encoder, or_null(numbers, names[numbers.whole(0, 7)]), layer,
                                        or_null(numbers, &values), or_null(numbers, &size)),
                "encoder_output");
  require_made(found, values, "encoder_output");
  // Reads all of it: a view of what is gone would be seen.
  float sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += values[i];
  (void)sum;
}

void make_cache(Numbers& numbers, State& state) {
  const ropewalk_decoder* const decoder = state.decoders.any(numbers);
  char* json = nullptr;
  require_made(succeeded(ropewalk_decoder_facts(decoder, or_null(numbers, &json)), "decoder_facts"), json,
               "decoder_facts");
  ropewalk_free(json);
  const ropewalk_cache_options options = {
      numbers.whole(0, 15) == 0 ? numbers.whole(0, sizeof options - 1) : sizeof options, choice(numbers, 2),
      choice(numbers, 2)};
  ropewalk_cache* made = nullptr;
  const ropewalk_status status =
      ropewalk_cache_create(decoder, numbers.flag() ? nullptr : &options, or_null(numbers, &made));
  require_made(succeeded(status, "cache_create"), made, "cache_create");
  state.caches.keep(made);
}

void feed(Numbers& numbers, State& state) {
  ropewalk_cache* const cache = state.caches.any(numbers);
  const auto ids = ids_of(numbers, numbers.whole(0, 6), 40);
  const float* logits = nullptr;
  std::size_t size = 0;
  const std::size_t before = ropewalk_cache_tokens(cache, nullptr);
  const bool ok =
      succeeded(ropewalk_cache_feed(cache, or_null(numbers, ids.data()), ids.size(), choice(numbers, 1),
                                    or_null(numbers, &logits), or_null(numbers, &size)),
                "cache_feed");
  const std::int32_t* held = nullptr;
  const std::size_t tokens = ropewalk_cache_tokens(cache, &held);
  require(tokens == before + (ok ? ids.size() : 0), "a feed adds its tokens, or none");
  require(!ok || std::equal(ids.begin(), ids.end(), held + before),
          "a cache holds the tokens that it was fed");
  if (logits == nullptr) return;
  float sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += logits[i];
  (void)sum;
}

void change_cache(Numbers& numbers, State& state) {
  ropewalk_cache* const cache = state.caches.any(numbers);
  switch (numbers.whole(0, 3)) {
    case 0:
      succeeded(ropewalk_cache_trim(cache, count_near(numbers, numbers.whole(0, 12))), "cache_trim");
      return;
    case 1: {
      const std::size_t from = count_near(numbers, numbers.whole(0, 9));
      succeeded(ropewalk_cache_drop(cache, from, count_near(numbers, from + numbers.whole(0, 4))),
                "cache_drop");
      return;
    }
    case 2: {
      ropewalk_cache* copy = nullptr;
      require_made(succeeded(ropewalk_cache_fork(cache, or_null(numbers, &copy)), "cache_fork"), copy,
                   "cache_fork");
      state.caches.keep(copy);
      return;
    }
    default: {
      ropewalk_sampling sampling = ROPEWALK_SAMPLING_INIT;
      sampling.temperature = numbers.flag() ? 0.7 : position(numbers);
      sampling.top_k = count_near(numbers, 5);
      sampling.top_p = numbers.flag() ? 0.9 : position(numbers);
      sampling.min_p = numbers.flag() ? 0 : position(numbers);
      sampling.repetition_penalty = numbers.flag() ? 1.2 : position(numbers);
      sampling.repetition_window = count_near(numbers, 8);
      sampling.seed = numbers.raw<std::uint32_t>();
      sampling.drawn = count_near(numbers, 3);
      if (numbers.whole(0, 31) == 0) sampling.struct_size = numbers.whole(0, sizeof sampling - 1);
      std::int32_t id = -7;
      double log_probability = 0;
      const bool ok =
          succeeded(ropewalk_cache_sample(cache, or_null<const ropewalk_sampling*>(numbers, &sampling),
                                          or_null(numbers, &id), or_null(numbers, &log_probability)),
                    "cache_sample");
      require(ok ? id >= 0 : id == -7, "a token is drawn, or nothing is written");
    }
  }
}

void save(Numbers& numbers, State& state) {
  ropewalk_cache* const cache = state.caches.any(numbers);
  void* bytes = nullptr;
  std::size_t size = 0;
  const bool ok =
      succeeded(ropewalk_cache_save(cache, or_null(numbers, &bytes), or_null(numbers, &size)), "cache_save");
  require_made(ok, bytes, "cache_save");
  std::vector<std::uint8_t> copy(static_cast<const std::uint8_t*>(bytes),
                                 static_cast<const std::uint8_t*>(bytes) + size);
  ropewalk_free(bytes);
  if (!copy.empty() && numbers.flag())
    copy[numbers.raw<std::uint32_t>() % copy.size()] ^= static_cast<std::uint8_t>(1 << numbers.whole(0, 7));
  if (!copy.empty() && numbers.whole(0, 3) == 0) copy.resize(numbers.raw<std::uint32_t>() % copy.size());
  copy.shrink_to_fit();
  ropewalk_cache* made = nullptr;
  const ropewalk_status status = ropewalk_cache_restore(
      state.decoders.any(numbers), or_null(numbers, copy.data()), copy.size(), or_null(numbers, &made));
  require_made(succeeded(status, "cache_restore"), made, "cache_restore");
  state.caches.keep(made);
}

void destroy(Numbers& numbers, State& state) {
  switch (numbers.whole(0, 3)) {
    case 0:
      return state.ropes.remove(numbers);
    case 1:
      return state.encoders.remove(numbers);
    case 2:
      return state.decoders.remove(numbers);
    default:
      return state.caches.remove(numbers);
  }
}

void choose_architecture(Numbers& numbers) {
  const char* const names[] = {"sse2", "avx2", "avx512", "", "mmx", nullptr};
  succeeded(ropewalk_use_architecture(names[numbers.whole(0, 5)]), "use_architecture");
  require(*ropewalk_architecture() != '\0', "an instruction set is in use");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int most_calls = 64;
  Numbers numbers(data, size);
  State state;
  for (int call = 0; call < most_calls && !numbers.ended(); ++call) {
    switch (numbers.whole(0, 15)) {
      case 0:
        make_rope(numbers, state);
        break;
      case 1:
        describe_rope(numbers, state);
        break;
      case 2:
      case 3:
        rotate(numbers, state);
        break;
      case 4:
        table(numbers, state);
        break;
      case 5:
        rotate_by(numbers);
        break;
      case 6:
        convert(numbers);
        break;
      case 7:
        make_encoder(numbers, state);
        break;
      case 8:
        set_sentence(numbers, state);
        break;
      case 9:
        forward(numbers, state);
        break;
      case 10:
        describe_encoder(numbers, state);
        break;
      case 11:
        make_decoder(numbers, state);
        break;
      case 12:
        make_cache(numbers, state);
        break;
      case 13:
        feed(numbers, state);
        break;
      case 14:
        change_cache(numbers, state);
        break;
      default:
        if (numbers.flag())
          save(numbers, state);
        else if (numbers.flag())
          choose_architecture(numbers);
        else
          destroy(numbers, state);
    }
  }
  return 0;
}
