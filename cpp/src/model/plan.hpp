#pragma once

// Plans the memory that a pass writes, in one block. It is planned once per shape: a first walk over the blocks
// adds up sizes, a second one hands out addresses.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "model/builder.hpp"

namespace ropewalk::model {

/// The results that a pass keeps for a later call.
struct Keep {
  bool gradients = false;  // whatever backward reads
  bool logits = false;     // of the masked-language-model head
  bool hidden_states = false;
  bool attentions = false;
  bool scores = false;
  bool rotated_qk = false;
  bool contacts = false;
  std::size_t memory_tokens = 0;  // of each sequence of Pass::memory

  bool operator==(const Keep&) const = default;
};

class Plan {
 public:
  Plan(std::size_t batch, std::size_t tokens, const Keep& keep, std::span<float*> places)
      : batch_(batch), tokens_(tokens), keep_(keep), places_(places) {
    std::ranges::fill(places_, nullptr);
  }
  /// The second walk, into `block` of size() floats.
  Plan(const Plan& measured, float* block)
      : Plan(measured.batch_, measured.tokens_, measured.keep_, measured.places_) {
    kept_at_ = block;
    lent_at_ = block + measured.kept_;
    scratch_at_ = lent_at_ + measured.most_lent_;
  }

  std::uint64_t batch() const { return batch_; }
  std::uint64_t tokens() const { return tokens_; }
  /// B * T
  std::size_t rows() const { return batch_ * tokens_; }
  const Keep& keeps() const { return keep_; }

  using Shape = std::initializer_list<std::uint64_t>;
  /// Memory until the next pass.
  void keep(Slot slot, Shape shape) { place(slot, kept_at_, kept_, size_of(shape)); }
  /// Memory until the enclosing Lending ends.
  void lend(Slot slot, Shape shape) {
    place(slot, lent_at_, lent_, size_of(shape));
    most_lent_ = std::max(most_lent_, lent_);
  }
  /// Kept where a backward pass follows, else lent.
  void hold(Slot slot, Shape shape) { keep_.gradients ? keep(slot, shape) : lend(slot, shape); }
  void share(Slot slot, Slot with) { places_[slot.index] = places_[with.index]; }
  /// Memory that a block uses within one call, and all of them share.
  void scratch(std::size_t size) { scratch_ = std::max(scratch_, rounded(size)); }

  /// Memory lent during its life is free to be lent again after it.
  class Lending {
   public:
    explicit Lending(Plan& plan) : plan_(plan), before_(plan.lent_) {}
    ~Lending() { plan_.lent_ = before_; }
    Lending(const Lending&) = delete;
    Lending& operator=(const Lending&) = delete;

   private:
    Plan& plan_;
    std::uint64_t before_;
  };

  std::uint64_t size() const { return std::min(limit, kept_ + most_lent_ + scratch_); }
  float* scratch_address() const { return scratch_at_; }

 private:
  static constexpr std::uint64_t limit = std::uint64_t{1} << 60;
  static std::uint64_t rounded(std::uint64_t size) {
    return std::min(limit, (size + 15) / 16 * 16);
  }  // 64 bytes
  static std::uint64_t size_of(Shape shape) {
    std::uint64_t size = 1;
    for (const std::uint64_t extent : shape) {
      if (extent != 0 && size > limit / extent) return limit;
      size *= extent;
    }
    return rounded(size);
  }
  void place(Slot slot, float* block, std::uint64_t& used, std::uint64_t size) {
    places_[slot.index] = block == nullptr ? nullptr : block + used;
    used = std::min(limit, used + size);
  }

  std::size_t batch_, tokens_;
  Keep keep_;
  std::span<float*> places_;
  float *kept_at_ = nullptr, *lent_at_ = nullptr, *scratch_at_ = nullptr;
  std::uint64_t kept_ = 0, lent_ = 0, most_lent_ = 0, scratch_ = 0;
};

}  // namespace ropewalk::model
