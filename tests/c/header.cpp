// ropewalk.h is C++ as well.
#include <ropewalk.h>

const ropewalk_placement placement = ROPEWALK_PLACEMENT_INIT;
