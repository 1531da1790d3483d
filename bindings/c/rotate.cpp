// Rotating arrays, tables, and moving the rows of weights.

#include <cstdint>
#include <optional>
#include <span>

#include "base/text.hpp"
#include "handle.hpp"
#include "ropewalk/convert.hpp"
#include "ropewalk/rotate_by.hpp"

using ropewalk::ArrayRef;
using ropewalk::DType;
using ropewalk::MutableArrayRef;
using ropewalk::Placement;
using ropewalk::Positions;
using ropewalk::Role;
using ropewalk::Status;
using ropewalk::c::check_choice;
using ropewalk::c::keep;
using ropewalk::c::null_pointer;

namespace {

static_assert(static_cast<int>(DType::bfloat16) == ROPEWALK_BFLOAT16);
static_assert(static_cast<int>(ropewalk::Layout::thd) == ROPEWALK_THD);
static_assert(static_cast<int>(Role::key) == ROPEWALK_KEY);

/// The arguments of a call, checked as far as the types of C++ would have checked them.
struct Call {
  Placement placement;
  Role role = Role::query;
  std::size_t kv_heads = 0;
  std::optional<ropewalk::Strides> key_strides;
};

Status read_positions(std::string_view function, std::string_view argument, const ropewalk_positions& given,
                      Positions& out) {
  if (given.values == nullptr && given.count != 0) return null_pointer(function, argument, "an array");
  out = given.values == nullptr ? Positions(given.start) : Positions(std::span(given.values, given.count));
  return {};
}

ropewalk::Strides strides_of(const ropewalk_strides& given) {
  return {given.batch, given.sequence, given.head};
}

Status read_call(std::string_view function, const ropewalk_rope* rope, std::int32_t dtype,
                 const ropewalk_placement* placement, Call& out) {
  if (rope == nullptr) return null_pointer(function, "rope", "a rope");
  ROPEWALK_TRY(check_choice(function, "dtype", dtype, 3));
  ropewalk_placement given;
  ROPEWALK_TRY(ropewalk::c::read_struct(function, "placement", placement, given));
  ROPEWALK_TRY(check_choice(function, "layout", given.layout, 4));
  ROPEWALK_TRY(check_choice(function, "role", given.role, 2));
  if (given.cumulative_lengths == nullptr && given.cumulative_count != 0)
    return null_pointer(function, "cumulative_lengths", "an array");
  out.placement.batch = given.batch;
  out.placement.sequence = given.sequence;
  out.placement.heads = given.heads;
  if (given.layout == ROPEWALK_STRIDED) {
    out.placement.strides = strides_of(given.strides);
    out.key_strides = strides_of(given.key_strides);
  } else {
    out.placement.layout = static_cast<ropewalk::Layout>(given.layout);
  }
  out.placement.cumulative_lengths = {given.cumulative_lengths, given.cumulative_count};
  out.role = static_cast<Role>(given.role);
  out.kv_heads = given.kv_heads;
  return read_positions(function, "positions", given.positions, out.placement.positions);
}

Status check_array(std::string_view function, std::string_view argument, const void* data, std::size_t size) {
  return data == nullptr && size != 0 ? null_pointer(function, argument, "an array") : Status();
}

Status read_shape(std::string_view function, const ropewalk_given_angles* shape, ropewalk::GivenAngles& out) {
  ropewalk_given_angles given;
  ROPEWALK_TRY(ropewalk::c::read_struct(function, "shape", shape, given));
  ROPEWALK_TRY(check_choice(function, "pairing", given.pairing, 2));
  out = {.batch = given.batch,
         .sequence = given.sequence,
         .heads = given.heads,
         .dimension = given.dimension,
         .pairs = given.pairs,
         .pairing = static_cast<ropewalk::Pairing>(given.pairing)};
  return {};
}

Status check_arrays(std::string_view function, const void* x, const void* out, std::size_t size) {
  ROPEWALK_TRY(check_array(function, "x", x, size));
  return check_array(function, "out", out, size);
}

}  // namespace

ropewalk_status ropewalk_rotate(const ropewalk_rope* rope, const void* x, void* out, size_t size,
                                int32_t dtype, const ropewalk_placement* placement) {
  Call call;
  if (Status s = read_call("rotate", rope, dtype, placement, call); !s.ok()) return keep(s);
  if (Status s = check_arrays("rotate", x, out, size); !s.ok()) return keep(s);
  const DType type = static_cast<DType>(dtype);
  return keep(rope->rope.try_rotate({x, size, type}, {out, size, type}, call.placement, call.role));
}

ropewalk_status ropewalk_unrotate(const ropewalk_rope* rope, const void* x, void* out, size_t size,
                                  int32_t dtype, const ropewalk_placement* placement) {
  Call call;
  if (Status s = read_call("unrotate", rope, dtype, placement, call); !s.ok()) return keep(s);
  if (Status s = check_arrays("unrotate", x, out, size); !s.ok()) return keep(s);
  const DType type = static_cast<DType>(dtype);
  return keep(rope->rope.try_unrotate({x, size, type}, {out, size, type}, call.placement, call.role));
}

ropewalk_status ropewalk_rotate_qk(const ropewalk_rope* rope, const void* q, void* out_q, size_t q_size,
                                   const void* k, void* out_k, size_t k_size, int32_t dtype,
                                   const ropewalk_placement* placement) {
  constexpr std::string_view function = "rotate_qk";
  Call call;
  if (Status s = read_call(function, rope, dtype, placement, call); !s.ok()) return keep(s);
  if (Status s = check_array(function, "q", q, q_size); !s.ok()) return keep(s);
  if (Status s = check_array(function, "out_q", out_q, q_size); !s.ok()) return keep(s);
  if (Status s = check_array(function, "k", k, k_size); !s.ok()) return keep(s);
  if (Status s = check_array(function, "out_k", out_k, k_size); !s.ok()) return keep(s);
  const DType type = static_cast<DType>(dtype);
  return keep(rope->rope.try_rotate_qk({q, q_size, type}, {out_q, q_size, type}, {k, k_size, type},
                                       {out_k, k_size, type}, call.placement, call.kv_heads,
                                       call.key_strides));
}

ropewalk_status ropewalk_rerotate(const ropewalk_rope* rope, const void* x, void* out, size_t size,
                                  int32_t dtype, const ropewalk_placement* placement,
                                  const ropewalk_rope* to_rope, const ropewalk_positions* to_positions) {
  constexpr std::string_view function = "rerotate";
  Call call;
  if (Status s = read_call(function, rope, dtype, placement, call); !s.ok()) return keep(s);
  if (Status s = check_arrays(function, x, out, size); !s.ok()) return keep(s);
  if (to_positions == nullptr) return keep(null_pointer(function, "to_positions", "positions"));
  ropewalk::Target to;
  if (Status s = read_positions(function, "to_positions", *to_positions, to.positions); !s.ok())
    return keep(s);
  if (to_rope != nullptr) to.rope = &to_rope->rope;
  const DType type = static_cast<DType>(dtype);
  return keep(rope->rope.try_rerotate({x, size, type}, {out, size, type}, call.placement, to, call.role));
}

ropewalk_status ropewalk_table(const ropewalk_rope* rope, const double* positions, size_t position_count,
                               float* cos, float* sin, size_t size) {
  constexpr std::string_view function = "table";
  if (rope == nullptr) return keep(null_pointer(function, "rope", "a rope"));
  if (Status s = check_array(function, "positions", positions, position_count); !s.ok()) return keep(s);
  if (Status s = check_array(function, "cos", cos, size); !s.ok()) return keep(s);
  if (Status s = check_array(function, "sin", sin, size); !s.ok()) return keep(s);
  return keep(rope->rope.try_table({positions, position_count}, {cos, size}, {sin, size}));
}

ropewalk_status ropewalk_rotate_by(const float* x, float* out, size_t size, const double* angles,
                                   size_t angle_count, const ropewalk_given_angles* shape) {
  constexpr std::string_view function = "rotate_by";
  ropewalk::GivenAngles given;
  if (Status s = read_shape(function, shape, given); !s.ok()) return keep(s);
  if (Status s = check_arrays(function, x, out, size); !s.ok()) return keep(s);
  if (Status s = check_array(function, "angles", angles, angle_count); !s.ok()) return keep(s);
  return keep(ropewalk::try_rotate_by({x, size}, {angles, angle_count}, given, {out, size}));
}

ropewalk_status ropewalk_rotate_by_gradient(const float* x, const float* grad_y, float* grad_x, size_t size,
                                            const double* angles, double* grad_angles, size_t angle_count,
                                            const ropewalk_given_angles* shape) {
  constexpr std::string_view function = "rotate_by_gradient";
  ropewalk::GivenAngles given;
  if (Status s = read_shape(function, shape, given); !s.ok()) return keep(s);
  if (Status s = check_array(function, "x", x, size); !s.ok()) return keep(s);
  if (Status s = check_array(function, "grad_y", grad_y, size); !s.ok()) return keep(s);
  if (Status s = check_array(function, "grad_x", grad_x, size); !s.ok()) return keep(s);
  if (Status s = check_array(function, "angles", angles, angle_count); !s.ok()) return keep(s);
  if (Status s = check_array(function, "grad_angles", grad_angles, angle_count); !s.ok()) return keep(s);
  return keep(ropewalk::try_rotate_by_gradient({x, size}, {angles, angle_count}, {grad_y, size}, given,
                                               {grad_x, size}, {grad_angles, angle_count}));
}

ropewalk_status ropewalk_convert_pairing(const void* weight, void* out, size_t size, int32_t dtype,
                                         const ropewalk_conversion* conversion) {
  constexpr std::string_view function = "convert_pairing";
  ropewalk_conversion given;
  if (Status s = ropewalk::c::read_struct(function, "conversion", conversion, given); !s.ok()) return keep(s);
  if (Status s = check_choice(function, "dtype", dtype, 3); !s.ok()) return keep(s);
  if (Status s = check_choice(function, "from", given.from, 2); !s.ok()) return keep(s);
  if (Status s = check_choice(function, "to", given.to, 2); !s.ok()) return keep(s);
  if (Status s = check_array(function, "weight", weight, size); !s.ok()) return keep(s);
  if (Status s = check_array(function, "out", out, size); !s.ok()) return keep(s);
  ropewalk::PairingConversion wanted{.from = static_cast<ropewalk::Pairing>(given.from),
                                     .to = static_cast<ropewalk::Pairing>(given.to),
                                     .heads = given.heads,
                                     .head_dim = given.head_dim,
                                     .rotary_offset = given.rotary_offset};
  if (given.rotary_dim != 0) wanted.rotary_dim = given.rotary_dim;
  if (given.columns != 0) wanted.columns = given.columns;
  const DType type = static_cast<DType>(dtype);
  return keep(ropewalk::try_convert_pairing({weight, size, type}, {out, size, type}, wanted));
}
