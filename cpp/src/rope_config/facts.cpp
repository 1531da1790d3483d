#include "rope_config/facts.hpp"

#include <algorithm>
#include <string>

namespace ropewalk::rope_config {
namespace {

// Models know their own types alone, which keeps the modules of WebAssembly small.
constexpr std::string_view sheet =
#ifdef ROPEWALK_MODEL_ONLY
#include "rope_config/facts_of_families.inc"
#else
#include "rope_config/facts.inc"
#endif
    ;

json::Value row_of(std::string_view type) {
  if (type.empty() || type.find('"') != std::string_view::npos) return {};
  const std::size_t at = sheet.find("{\"type\":\"" + std::string(type) + "\"");
  if (at == std::string_view::npos) return {};
  Result<json::Value> row = json::parse(sheet.substr(at, sheet.find('\n', at) - at), "facts", "row");
  return row.ok() ? std::move(row).value() : json::Value();
}

}  // namespace

std::string_view sheet_of_facts() { return sheet; }

bool is_still(std::string_view type) {
  const std::size_t names = sheet.find("\"still\":\"");
  if (type.empty() || names == std::string_view::npos) return false;
  const std::size_t start = names + 9;
  const std::string types = " " + std::string(sheet.substr(start, sheet.find('"', start) - start)) + " ";
  return types.find(" " + std::string(type) + " ") != std::string::npos;
}

Facts::Facts(std::string_view model_type) : row_(row_of(model_type)) {
  if (has("text")) row_ = row_of(std::string(text("text")));
}

std::string_view Facts::text(std::string_view name, std::string_view usual) const {
  const json::Value* value = find(name);
  return value != nullptr && value->kind == json::Kind::text ? value->text : usual;
}

std::optional<double> Facts::number(std::string_view name) const {
  const json::Value* value = find(name);
  return value == nullptr ? std::nullopt : std::optional(value->real);
}

Pairing Facts::pairing() const {
  return text("pairing") == "interleaved" ? Pairing::interleaved : Pairing::half;
}

bool Facts::lists(std::string_view name, std::string_view layers) const {
  const json::Value* list = find(name);
  return list != nullptr &&
         std::ranges::any_of(list->items, [&](const json::Value& each) { return each.text == layers; });
}

const json::Value* Facts::layer(std::string_view type) const {
  const json::Value* layers = find("layers");
  return layers == nullptr ? nullptr : layers->find(type);
}

}  // namespace ropewalk::rope_config
