#include "train/options_from_json.hpp"

#include "formats/json/value.hpp"
#include "options/read.hpp"
#include "train/optimizer.hpp"
#include "train/options.hpp"

namespace ropewalk {

Result<TrainerOptions> trainer_options_from_json(std::string_view text) {
  constexpr std::string_view function = "trainer";
  Result<json::Value> parsed = json::parse(text, function, "options");
  if (!parsed.ok()) return parsed.status();
  TrainerOptions read;
  if (Status status = options::read(parsed.value(), {function, ""}, read); !status.ok()) return status;
  if (Status status = trainer::check_optimizer(read.optimizer); !status.ok()) return status;
  return read;
}

}  // namespace ropewalk
