#include "model/position_encoding/none.hpp"

namespace ropewalk::position_encoding {

Result<std::unique_ptr<PositionEncoding>> make_none(const Dimensions&) {
  return std::make_unique<PositionEncoding>();
}

}  // namespace ropewalk::position_encoding
