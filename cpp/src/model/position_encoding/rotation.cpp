#include "model/position_encoding/rotation.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "rope/frequencies/length.hpp"
#include "rope/rotate_on.hpp"

namespace ropewalk::model::position_encoding {

Rotation::Rotation(RopeOptions options, std::size_t parts, Sense sense, Turns turns)
    : options_(std::move(options)),
      parts_(parts),
      sense_(sense),
      by_length_(depends_on_length(options_.frequencies)),
      turns_(std::move(turns)) {}

Rotation::Rotation(Rotation&&) noexcept = default;
Rotation& Rotation::operator=(Rotation&&) noexcept = default;
Rotation::~Rotation() = default;

Result<Rotation::Turns> Rotation::turns(const RopeOptions& options, Sense sense, std::size_t tokens) {
  RopeOptions there = options;
  there.frequencies = at_length(options.frequencies, static_cast<double>(tokens));
  ROPEWALK_LET(forward, rope_in(sense, there));
  RopeOptions again = options;
  const std::span<const double> theta = forward.frequencies();
  frequencies::Custom negated{.frequencies = {theta.begin(), theta.end()}, .magnitude = forward.magnitude()};
  for (double& each : negated.frequencies) each = -each;
  again.frequencies = std::move(negated);
  ROPEWALK_LET(back, Rope::make(again));
  Turns made{std::move(forward), std::move(back), std::nullopt};
  if (made.forward.magnitude() != 1) {
    std::get<frequencies::Custom>(again.frequencies).magnitude = 1 / made.forward.magnitude();
    ROPEWALK_LET(inverse, Rope::make(again));
    made.inverse = std::move(inverse);
  }
  return made;
}

Result<Rotation> Rotation::make(const RopeOptions& options, std::size_t parts, Sense sense) {
  ROPEWALK_LET(made, turns(options, sense, 1));
  return Rotation(options, parts, sense, std::move(made));
}

Status Rotation::prepare(nn::Compute compute, std::size_t tokens, Buffer<float>& probe) {
  if (!fits(tokens)) {
    ROPEWALK_LET(made, turns(options_, sense_, tokens));
    turns_ = std::move(made);
    length_ = tokens;
    warm_ = 0;
  }
  if (tokens <= warm_) return {};
  // A rope builds its table when it first meets the positions.
  const std::size_t heads = own_heads(), size = tokens * heads * options_.head_dim;
  ROPEWALK_TRY(probe.reserve(size, "roformer: positions"));
  std::fill_n(probe.data(), size, 0.0F);
  const Placement placement{.sequence = tokens, .heads = heads};
  for (const Rope* rope : {&turns_->forward, &turns_->back}) {
    ROPEWALK_TRY(rotate_on(compute.architecture(), *rope, ArrayRef(probe.data(), size, DType::float32),
                           MutableArrayRef(probe.data(), size, DType::float32), placement));
  }
  warm_ = tokens;
  return {};
}

Status Rotation::run(nn::Compute compute, const Rope& rope, float* qkv,
                     const nn::AttentionShape& shape) const {
  const std::size_t keys = shape.key_heads == 0 ? shape.heads : shape.key_heads;
  const std::size_t all_heads = shape.heads + 2 * keys,
                    all = shape.batch * shape.tokens * all_heads * shape.head_dim;
  const auto head = static_cast<std::ptrdiff_t>(shape.head_dim);
  const std::ptrdiff_t token = static_cast<std::ptrdiff_t>(all_heads) * head;
  Placement placement{.batch = shape.batch, .sequence = shape.tokens};
  placement.strides =
      Strides{.batch = static_cast<std::ptrdiff_t>(shape.tokens) * token, .sequence = token, .head = head};
  const auto rotate = [&](std::size_t first, std::size_t heads, Role role) {
    float* const x = qkv + first * shape.head_dim;
    const std::size_t size = all - first * shape.head_dim;
    placement.heads = heads;
    return rotate_on(compute.architecture(), rope, ArrayRef(x, size, DType::float32),
                     MutableArrayRef(x, size, DType::float32), placement, role);
  };
  // Queries, keys and values of a token are neighbours: one run of heads, unless frequencies count them or queries have
  // a scale of their own.
  if (own_heads() == 1 && !options_.query_scale)
    return rotate(0, shape.heads + (parts_ - 1) * keys, Role::query);
  ROPEWALK_TRY(rotate(0, shape.heads, Role::query));
  for (std::size_t part = 1; part < parts_; ++part) {
    ROPEWALK_TRY(rotate(shape.heads + (part - 1) * keys, keys, Role::key));
  }
  return {};
}

void Rotation::apply(nn::Compute compute, const Rope& (*direction)(const Turns&), float* qkv,
                     const nn::AttentionShape& shape) const {
  Status status;
  if (fits(shape.tokens)) {
    status = run(compute, direction(*turns_), qkv, shape);
  } else {
    // Another thread's part of the batch is of another length, and its ropes are the ones that were kept.
    const Result<Turns> own = turns(options_, sense_, shape.tokens);
    status = own.ok() ? run(compute, direction(own.value()), qkv, shape) : own.status();
  }
  // Only memory for a table can be lacking, where prepare could not build it ahead. A pass has no error to
  // return, so it shows as NaN rather than as projections that did not rotate.
  if (!status.ok()) {
    const std::size_t keys = shape.key_heads == 0 ? shape.heads : shape.key_heads;
    std::fill_n(qkv, shape.batch * shape.tokens * (shape.heads + 2 * keys) * shape.head_dim,
                std::numeric_limits<float>::quiet_NaN());
  }
}

void Rotation::rotate(nn::Compute compute, float* qkv, const nn::AttentionShape& shape) const {
  apply(compute, [](const Turns& turns) -> const Rope& { return turns.forward; }, qkv, shape);
}
void Rotation::pull_back(nn::Compute compute, float* dqkv, const nn::AttentionShape& shape) const {
  apply(compute, [](const Turns& turns) -> const Rope& { return turns.back; }, dqkv, shape);
}
void Rotation::undo(nn::Compute compute, float* qkv, const nn::AttentionShape& shape) const {
  apply(
      compute, [](const Turns& turns) -> const Rope& { return turns.inverse ? *turns.inverse : turns.back; },
      qkv, shape);
}

}  // namespace ropewalk::model::position_encoding
