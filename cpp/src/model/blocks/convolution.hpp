#pragma once

#include <memory>

#include "model/blocks/branch.hpp"
#include "ropewalk/spec.hpp"

namespace ropewalk::model {

/// act(conv(x)) along the tokens of each text, beyond which x is 0.
std::unique_ptr<Branch> make_convolution(Builder builder, const Spec& spec);

}  // namespace ropewalk::model
