#pragma once

// Calls of ropewalk.h.

#include "c_calls.hpp"

namespace ropewalk::fuzz::c {

inline constexpr std::size_t most_elements = 4096;

inline const std::string& rope_text(std::size_t index) {
  static const std::string texts[] = {
      R"({"head_dim":8})",
      R"({"head_dim":16,"rotary_dim":8,"rotary_offset":2,"pairing":"half"})",
      R"({"head_dim":12,"axes":{"sections":[2,2,2]}})",
      R"({"head_dim":8,"axes":{"sections":[4,4]}})",
      R"({"head_dim":8,"xpos":{"scale_base":512}})",
      R"({"head_dim":8,"pairing":"half","frequencies":{"type":"yarn","base":10000,"factor":4,"original_max_positions":64}})"};
  return texts[index % std::size(texts)];
}

inline void make_rope(Numbers& numbers, State& state) {
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

inline void describe_rope(Numbers& numbers, State& state) {
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

inline void read_positions(Numbers& numbers, std::size_t count, std::vector<double>& values,
                           ropewalk_positions& out) {
  out.start = position(numbers);
  if (numbers.flag()) return;
  values = doubles(numbers, numbers.whole(0, 7) == 0 ? numbers.whole(0, 40) : count);
  out.values = or_null(numbers, values.data());
  out.count = values.size();
}

inline void read_placement(Numbers& numbers, const ropewalk_rope* rope, Placed& placed) {
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
inline std::size_t claimed(Numbers& numbers, std::size_t count) {
  const std::size_t near = numbers.whole(0, 15) == 0 ? numbers.whole(0, 300) : count;
  return std::min(near, most_elements);
}

inline void rotate(Numbers& numbers, State& state) {
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

inline void table(Numbers& numbers, State& state) {
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

inline void rotate_by(Numbers& numbers) {
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

inline void convert(Numbers& numbers) {
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

}  // namespace ropewalk::fuzz::c
