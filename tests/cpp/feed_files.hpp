#pragma once

// Files that arrive in pieces, as EncoderLoader and DecoderLoader take them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ropewalk/loading.hpp"

/// Feeds all files to a loader, `piece` bytes at a time, up to the step before try_finish(). Without `known_size` the
/// loader is not told how long a file is. The result is what the loader said the model needs.
template <class Loader>
ropewalk::Result<ropewalk::ModelSize> feed_files(Loader& loader,
                                                 const std::vector<std::vector<std::byte>>& files,
                                                 std::size_t piece, bool known_size = true) {
  std::vector<std::size_t> at(files.size());
  const auto next = [&](std::size_t i) {
    return std::span(files[i]).subspan(at[i], std::min(piece, files[i].size() - at[i]));
  };
  for (std::size_t i = 0; i < files.size(); ++i) {
    while (!loader.has_header(i) && at[i] < files[i].size()) {
      const auto size = known_size ? std::optional<std::uint64_t>(files[i].size()) : std::nullopt;
      const ropewalk::Result<std::size_t> taken = loader.try_read_header(i, next(i), size);
      if (!taken.ok()) return taken.status();
      at[i] += taken.value();
    }
  }
  ropewalk::Result<ropewalk::ModelSize> size = loader.try_match();
  if (!size.ok()) return size;
  if (ropewalk::Status status = loader.try_reserve(); !status.ok()) return status;
  for (std::size_t i = 0; i < files.size(); ++i) {
    while (at[i] < files[i].size()) {
      const std::span<const std::byte> bytes = next(i);
      if (ropewalk::Status status = loader.try_read(i, bytes); !status.ok()) return status;
      at[i] += bytes.size();
    }
  }
  return size;
}
