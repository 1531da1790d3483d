#include "model/families/keys.hpp"

#include "base/text.hpp"

namespace ropewalk::model {

void Keys::activation(std::string_view name, Activation& out) {
  std::string value(nn::activation_name(out));
  text(name, value);
  const Result<nn::Activation> known = nn::activation_from_name(value);
  if (known.ok()) {
    out = known.value();
  } else {
    keep(out_of_range(family_, name, json::quoted(std::string_view(value)), nn::activation_names()));
  }
}

void Keys::must_be_false(std::string_view name) {
  bool value = false;
  flag(name, value);
  if (value) keep(out_of_range(family_, name, "true", "false"));
}

}  // namespace ropewalk::model
