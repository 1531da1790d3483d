#pragma once

// A configuration with members added, for readers that expect what a file leaves out.

#include <string_view>

#include "formats/json/value.hpp"

namespace ropewalk::model {

/// Sets the member `name` of an object, which may have it already.
void set_member(json::Value& object, std::string_view name, json::Value value);

/// `value` as JSON.
json::Value number(double value);

}  // namespace ropewalk::model
