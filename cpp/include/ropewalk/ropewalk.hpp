#pragma once

/// All of Ropewalk.

#include "ropewalk/architecture.hpp"
#include "ropewalk/config.hpp"
#include "ropewalk/dtype.hpp"
#include "ropewalk/frequencies.hpp"
#include "ropewalk/gradients.hpp"
#include "ropewalk/pairing.hpp"
#include "ropewalk/placement.hpp"
#include "ropewalk/rope.hpp"
#include "ropewalk/status.hpp"
