// Time that the calling thread has computed, in seconds: what else the machine does is not in it.
#pragma once

#include <ctime>

namespace ropewalk::experiments {

inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace ropewalk::experiments
