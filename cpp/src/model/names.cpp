#include "model/names.hpp"

namespace ropewalk::model {
namespace {

std::string with_layer(std::string name, std::optional<std::size_t> layer) {
  const std::size_t at = name.find("{}");
  if (at != std::string::npos && layer) name.replace(at, 2, std::to_string(*layer));
  return name;
}

}  // namespace

std::optional<std::string> Names::find(std::string_view role, std::optional<std::size_t> layer) const {
  // First those of heads: a family may have a layer there that others have in the base model.
  for (const Name& each : heads) {
    if (each.role == role) return with_layer(std::string(each.name), layer);
  }
  for (const Name& each : base) {
    if (each.role == role) return with_layer(std::string(prefix) + std::string(each.name), layer);
  }
  return {};
}

std::string Names::of(std::string_view role, std::optional<std::size_t> layer) const {
  if (std::optional<std::string> known = find(role, layer)) return *std::move(known);
  if (!layer) return std::string(role);
  // A family may have "layers." of its own in the base model, whose names files of the base class hold
  // without the prefix.
  return std::string(prefix) + "layers." + std::to_string(*layer) + "." + std::string(role);
}

}  // namespace ropewalk::model
