#pragma once

// A model's file as a loader reads it, in pieces.

#include <algorithm>

#include "ropewalk/loading.hpp"
#include "target.hpp"

namespace ropewalk::fuzz {

inline constexpr std::uint64_t most_memory = 16 << 20;

/// Small pieces for small files, so that every boundary is met, and not 64,000 calls for a large one.
inline std::size_t piece_of(std::span<const std::byte> file) {
  return 1 + file.size() / 64 + (file.empty() ? 0 : static_cast<std::size_t>(file.back()) % 16);
}

/// The model that `made` reads from one file. Loaders of encoders and decoders have the same calls.
template <class Loader>
auto in_pieces(Result<Loader> made, std::span<const std::byte> file) -> decltype(made.value().try_finish()) {
  if (!made.ok()) return made.status();
  Loader& loader = made.value();
  const std::size_t piece = piece_of(file);
  std::size_t at = 0;
  const auto next = [&] { return file.subspan(at, std::min(piece, file.size() - at)); };
  while (!loader.has_header(0) && at < file.size()) {
    const Result<std::size_t> taken = loader.try_read_header(0, next(), file.size());
    if (!taken.ok()) return taken.status();
    require(taken.value() <= next().size(), "no more bytes are taken than there were");
    at += taken.value();
  }
  const Result<ModelSize> size = loader.try_match();
  if (!size.ok()) return size.status();
  require(size.value().peak >= size.value().loaded, "loading needs what is kept at least");
  if (Status status = loader.try_reserve(most_memory); !status.ok()) return status;
  while (at < file.size()) {
    const std::span<const std::byte> bytes = next();
    if (Status status = loader.try_read(0, bytes); !status.ok()) return status;
    at += bytes.size();
  }
  return loader.try_finish();
}

/// Numbers that are the same, or both none.
inline bool same(float a, float b) { return a == b || (a != a && b != b); }

}  // namespace ropewalk::fuzz
