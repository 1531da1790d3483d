#pragma once

#include "random/random.hpp"

namespace ropewalk::trainer {

using ropewalk::Random;

}  // namespace ropewalk::trainer
