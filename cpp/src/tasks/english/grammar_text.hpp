// The grammar as text: families of two-part texts, in the notation that grammar_text.cpp explains.
#pragma once

#include <string_view>

namespace ropewalk::trainer::english {

extern const std::string_view grammar_text;

}  // namespace ropewalk::trainer::english
