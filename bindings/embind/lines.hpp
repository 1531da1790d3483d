#pragma once

// Notes as one text, since a vector would bring Embind's machinery for vectors along.

#include <string>
#include <vector>

namespace ropewalk::embind {

/// One sentence per line.
inline std::string lines(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += note + "\n";
  return text;
}

}  // namespace ropewalk::embind
