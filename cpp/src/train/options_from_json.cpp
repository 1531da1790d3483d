#include "train/options_from_json.hpp"

#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "options/read.hpp"
#include "train/optimizer.hpp"
#include "train/options.hpp"

namespace ropewalk {

Result<TrainerOptions> trainer_options_from_json(std::string_view text) {
  constexpr std::string_view function = "trainer";
  ROPEWALK_LET(parsed, json::parse(text, function, "options"));
  TrainerOptions read;
  ROPEWALK_TRY(options::read(parsed, {function, ""}, read));
  ROPEWALK_TRY(trainer::check_optimizer(read.optimizer));
  return read;
}

}  // namespace ropewalk
