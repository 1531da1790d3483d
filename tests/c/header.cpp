// ropewalk.h and ropewalk_models.h are C++ as well.
#include <ropewalk_models.h>

const ropewalk_placement placement = ROPEWALK_PLACEMENT_INIT;
const ropewalk_sampling sampling = ROPEWALK_SAMPLING_INIT;
