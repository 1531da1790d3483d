// The version of the package.

#include "answer.hpp"
#include "export.hpp"

extern "C" {

/// Makes it the text.
ROPEWALK_EXPORT(void, ropewalk_version) { ropewalk::embind::show(ROPEWALK_VERSION); }
}
