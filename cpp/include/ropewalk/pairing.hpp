#pragma once

namespace ropewalk {

/// The two channels of the rotary dimension d that make pair j, 0 <= j < d/2.
enum class Pairing {
  /// (2j, 2j+1): RoFormer, GPT-J.
  interleaved = 0,
  /// (j, j + d/2): Hugging Face's Llama, GPT-NeoX.
  half = 1,
};

}  // namespace ropewalk
