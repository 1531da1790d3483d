#pragma once

/// All of Ropewalk.

#include "ropewalk/analysis.hpp"
#include "ropewalk/architecture.hpp"
#include "ropewalk/config.hpp"
#include "ropewalk/convert.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/dtype.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/frequencies.hpp"
#include "ropewalk/gradients.hpp"
#include "ropewalk/pairing.hpp"
#include "ropewalk/placement.hpp"
#include "ropewalk/roformer.hpp"
#include "ropewalk/rope.hpp"
#include "ropewalk/safetensors.hpp"
#include "ropewalk/sampling.hpp"
#include "ropewalk/sentence.hpp"
#include "ropewalk/spec.hpp"
#include "ropewalk/status.hpp"
#include "ropewalk/task.hpp"
#include "ropewalk/trainer.hpp"
