#pragma once

/// Rotary position embeddings. Pair j of a head at position m, (a, b), becomes
///   (magnitude * (a cos phi - b sin phi), magnitude * (a sin phi + b cos phi)),  phi = m * theta_j
/// (RoFormer, arXiv 2104.09864, equations 14-16).

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ropewalk/dtype.hpp"
#include "ropewalk/frequencies.hpp"
#include "ropewalk/gradients.hpp"
#include "ropewalk/pairing.hpp"
#include "ropewalk/placement.hpp"
#include "ropewalk/status.hpp"

namespace ropewalk {

/// How the angles m * theta_j are computed.
enum class Angles {
  /// theta, angle and its reduction in float64; cos and sin correct to 1 ulp of float32, tested for |m| up to 2^31.
  exact = 0,
  /// theta, m and m * theta_j rounded to float32 as PyTorch implementations do, for parity with models trained so.
  float32 = 1,
};

/// Several position axes: text, height and width of images and video, or time.
struct Axes {
  /// How many pairs each axis feeds; d/2 in all. If every axis feeds all d/2 pairs their angles add up, and a custom
  /// rule gives axes * d/2 frequencies, or axes * heads * d/2 (learned mixed axes, RoPE-ViT, arXiv 2403.13298).
  std::vector<std::size_t> sections;
  /// The pairs that each section takes.
  enum class Order {
    /// The first section's pairs, then the second's (Qwen2-VL's M-RoPE; images by row and column).
    chunked = 0,
    /// Axis a >= 1 of n takes the pairs a, a + n, a + 2n, ... as many as it has, the first axis all others (Qwen3-VL).
    interleaved = 1,
  };
  /// An Order, or in its place the axis of each of the d/2 pairs (ERNIE 4.5 VL: rows and columns alternate, time has the
  /// last pairs). With a list, `sections` stays empty.
  struct PairOrder {
    /// Where there is no list.
    Order word = Order::chunked;
    /// The axis of each pair, or empty.
    std::vector<std::size_t> list = {};
    /// An order by its name.
    PairOrder(Order order = Order::chunked) : word(order) {}
    /// The axis of each of the d/2 pairs.
    PairOrder(std::vector<std::size_t> axis_of_pair) : list(std::move(axis_of_pair)) {}
    /// True for the same order, or the same list.
    bool operator==(const PairOrder&) const = default;
  };
  /// The pairs that each section takes.
  PairOrder order = Order::chunked;
  /// Where pairing `half` has the partner of a channel.
  enum class PairWithin {
    /// d/2 channels on, in the whole rotated part.
    head = 0,
    /// In the part of the head that the axis has, half of that part on (the pictures of Gemma 4). Needs `chunked`.
    section = 1,
  };
  /// Where pairing `half` has the partner of a channel.
  PairWithin pair_within = PairWithin::head;
  /// Each section starts the rule anew, with twice its pairs as the rotary dimension (axial images, Flux).
  bool restart_frequencies = false;
};

/// xPos (arXiv 2212.10554): queries are multiplied by zeta_j^((m - centre) / scale_base), keys divided by it,
/// zeta_j = (2j + 0.4d) / (1.4d). The centre is fixed, so that cached keys stay true.
struct XPos {
  /// Positions in which the scale changes by the factor zeta_j.
  double scale_base = 512;
  /// The position at which nothing is scaled.
  double centre = 0;
};

/// The query at position m is multiplied by 1 + scale * ln(1 + floor((m + offset) / length)), the channels that do not
/// rotate included; keys are not. Several axes: m is that of the first. Llama 4 (in layers without rotation; arXiv
/// 2501.19399 has the idea) and Ministral 3 (in all layers, after the rotation). Positions are at least -offset.
struct QueryScale {
  /// Growth for each factor e of the position.
  double scale = 0;
  /// Positions in which the scale does not change.
  double length = 0;
  /// Llama 4: 1. Ministral 3: 0.
  std::size_t offset = 0;

  /// The factor at position m.
  double at(double m) const;
};

/// 2 pi / |theta|, positions; infinite for 0.
double wavelength_of(double theta);

/// The side of the score that an array is on. xPos and QueryScale tell them apart.
enum class Role { query = 0, key = 1 };

/// Everything that decides a rotation except the positions.
struct RopeOptions {
  /// D, channels of one head.
  std::size_t head_dim = 0;
  /// d: the first d channels of the window rotate, the others pass through. Even. Default head_dim.
  std::optional<std::size_t> rotary_dim = std::nullopt;
  /// First channel of the rotated window inside the head.
  std::size_t rotary_offset = 0;
  /// The two channels that make a pair.
  Pairing pairing = Pairing::interleaved;
  /// The rule for theta_j.
  Frequencies frequencies = frequencies::Default{};
  /// Several position axes; unset: one.
  std::optional<Axes> axes = std::nullopt;
  /// xPos's scale; unset: none.
  std::optional<XPos> xpos = std::nullopt;
  /// The scale of queries; unset: none.
  std::optional<QueryScale> query_scale = std::nullopt;
  /// How angles are computed.
  Angles angles = Angles::exact;
};

namespace arch {
class Architecture;
}
class Rope;

/// The target of rerotate(): new positions and, where the rule changes, the rope of the new rule.
struct Target {
  /// New positions, as many as the array was rotated at.
  Positions positions;
  /// The rope of the new rule; null: the same rope.
  const Rope* rope = nullptr;
};

/// Immutable; one Rope may be used by several threads at a time.
class Rope {
 public:
  /// Errors: head_dim 0, rotary_dim odd or beyond the head, frequencies out of their rule's range.
  static Result<Rope> make(const RopeOptions& options);
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Rope(Rope&&) noexcept;
  /// Moves. The source may only be destroyed or assigned to afterwards.
  Rope& operator=(Rope&&) noexcept;
  ~Rope();

  /// D.
  std::size_t head_dim() const;
  /// d
  std::size_t rotary_dim() const;
  /// First channel of the rotated window.
  std::size_t rotary_offset() const;
  /// The two channels that make a pair.
  Pairing pairing() const;
  /// theta_j, radians per position: d/2 of them, heads * d/2, or that for each of several mixed axes.
  std::span<const double> frequencies() const;
  /// 2 pi / theta_j, positions; infinite where theta_j is 0.
  std::vector<double> wavelengths() const;
  /// Entries of a table row: d/2, or heads * d/2.
  std::size_t width() const;
  /// How many position axes there are; 1 unless RopeOptions::axes says more.
  std::size_t axes() const;
  /// Multiplies cos and sin.
  double magnitude() const;
  /// The factor of queries at each position, by RopeOptions::query_scale; 1 without it. As many as `positions`.
  /// Errors: positions out of range.
  Status try_query_scales(std::span<const double> positions, std::span<double> out) const;

  /// out = x rotated, shapes as `placement` says. `out` is x itself (in place) or does not overlap it, and has x's
  /// size and element type. Channels outside the rotated window are copied. NaN and infinity stay in their pair.
  /// Errors: sizes that do not agree, positions that are not finite or out of range; nothing has been written then.
  Status try_rotate(ArrayRef x, MutableArrayRef out, const Placement& placement,
                    Role role = Role::query) const;
  /// The inverse of try_rotate, also when the magnitude is not 1.
  Status try_unrotate(ArrayRef x, MutableArrayRef out, const Placement& placement,
                      Role role = Role::query) const;
  /// Queries and keys in one call: `placement.heads` query heads and `kv_heads` key heads at the same positions.
  /// With explicit strides, `placement.strides` is of q and `key_strides` of k. The heads of out_q lie apart from those
  /// of k and out_k, and the heads of out_k from those of q; the arrays around them may cross, as strides allow.
  Status try_rotate_qk(ArrayRef q, MutableArrayRef out_q, ArrayRef k, MutableArrayRef out_k,
                       const Placement& placement, std::size_t kv_heads,
                       std::optional<Strides> key_strides = std::nullopt) const;
  /// An array that this rope rotated at `placement.positions`, as if `to.rope` (default: this) had rotated it at
  /// `to.positions`: in one pass, with the magnitude of the new rule in place of the old one. For cached keys: a
  /// context shift, or LongRoPE and dynamic NTK crossing their threshold. Shifting many times, keep what was first
  /// rotated and go from there, so that roundings do not add up.
  Status try_rerotate(ArrayRef x, MutableArrayRef out, const Placement& placement, const Target& to,
                      Role role = Role::key) const;
  /// The gradients of try_rotate(x, y, placement, role) by all it depends on, from grad_y = dL/dy, which has the size,
  /// the strides and the element type of x. `out` is filled anew and its memory used again; x or grad_y may be out.x.
  Status try_gradients(ArrayRef x, ArrayRef grad_y, const Placement& placement, RopeGradients& out,
                       Role role = Role::query) const;
  /// cos and sin of m * theta_j times the magnitude, [positions, width()] each. With several axes, `positions` is
  /// axis-major, [axes * positions], or one value for all axes.
  Status try_table(std::span<const double> positions, std::span<float> cos, std::span<float> sin) const;

#if defined(__cpp_exceptions)
  /// As make, but throws the error.
  explicit Rope(const RopeOptions& options) : Rope(raise(make(options))) {}
  /// As try_rotate, but throws the error.
  void rotate(ArrayRef x, MutableArrayRef out, const Placement& placement, Role role = Role::query) const {
    raise(try_rotate(x, out, placement, role));
  }
  /// As try_unrotate, but throws the error.
  void unrotate(ArrayRef x, MutableArrayRef out, const Placement& placement, Role role = Role::query) const {
    raise(try_unrotate(x, out, placement, role));
  }
  /// As try_rerotate, but throws the error.
  void rerotate(ArrayRef x, MutableArrayRef out, const Placement& placement, const Target& to,
                Role role = Role::key) const {
    raise(try_rerotate(x, out, placement, to, role));
  }
  /// As try_rotate_qk, but throws the error.
  void rotate_qk(ArrayRef q, MutableArrayRef out_q, ArrayRef k, MutableArrayRef out_k,
                 const Placement& placement, std::size_t kv_heads,
                 std::optional<Strides> key_strides = std::nullopt) const {
    raise(try_rotate_qk(q, out_q, k, out_k, placement, kv_heads, key_strides));
  }
  /// As try_gradients, but returns them or throws the error.
  RopeGradients gradients(ArrayRef x, ArrayRef grad_y, const Placement& placement,
                          Role role = Role::query) const {
    RopeGradients out;
    raise(try_gradients(x, grad_y, placement, out, role));
    return out;
  }
  /// As try_table, but throws the error.
  void table(std::span<const double> positions, std::span<float> cos, std::span<float> sin) const {
    raise(try_table(positions, cos, sin));
  }
#endif

 private:
  friend Status rotate_on(arch::Architecture architecture, const Rope& rope, ArrayRef x, MutableArrayRef out,
                          const Placement& placement, Role role);
  friend Status rerotate_on(arch::Architecture architecture, const Rope& rope, ArrayRef x,
                            MutableArrayRef out, const Placement& placement, const Target& to, Role role);
  struct State;
  explicit Rope(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ropewalk
