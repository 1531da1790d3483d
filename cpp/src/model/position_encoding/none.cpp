#include "model/position_encoding/none.hpp"

namespace ropewalk::model::position_encoding {

Result<std::unique_ptr<PositionEncoding>> make_none() { return std::make_unique<PositionEncoding>(); }

}  // namespace ropewalk::model::position_encoding
