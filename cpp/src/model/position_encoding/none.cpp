#include "model/position_encoding/kinds.hpp"

namespace ropewalk::model::position_encoding {

Made make_none() { return std::make_unique<PositionEncoding>(); }

}  // namespace ropewalk::model::position_encoding
