#include "rope_config/names.hpp"

#include <algorithm>

#include "formats/json/known_names.hpp"

namespace ropewalk::rope_config {
namespace {

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void unknown(const Keys& keys, std::string_view key, std::span<const std::string_view> known, bool say_all) {
  std::string message(function);
  message.append(": unknown key `").append(keys.path()).append(key.substr(0, 60)).append("`");
  if (const std::string_view name = json::nearest(key, known); !name.empty()) {
    message.append("; did you mean `").append(keys.path()).append(name).append("`?");
  } else if (say_all) {
    message.append("; allowed:");
    for (const std::string_view each : known) message.append(" `").append(each).append("`");
  } else {
    message.append("; no rule reads it");
  }
  keep_first(keys.status(), Status::type(std::move(message)));
}

}  // namespace

bool speaks_of_rope(std::string_view key) {
  for (;;) {
    const std::string_view word = key.substr(0, key.find('_'));
    if (word.starts_with("rope") || word.starts_with("rotary") || word == "mrope") return true;
    if (word.size() == key.size()) return false;
    key.remove_prefix(word.size() + 1);
  }
}

void check_dictionary(const Keys& keys, std::span<const std::string_view> known,
                      std::span<const std::string_view> others, std::string_view owner) {
  for (const json::Member& member : keys.object().members) {
    if (contains(known, member.name)) continue;
    if (!contains(others, member.name)) return unknown(keys, member.name, known, true);
    std::string message(function);
    message.append(": `").append(keys.path()).append(member.name).append("` is not a key of ").append(owner);
    message.append("; allowed:");
    for (const std::string_view each : known) message.append(" `").append(each).append("`");
    return keep_first(keys.status(), Status::type(std::move(message)));
  }
}

void check_top_level(const Keys& keys, std::span<const std::string_view> known) {
  for (const json::Member& member : keys.object().members) {
    if (member.value.kind == json::Kind::null || contains(known, member.name)) continue;
    const bool misspelt = std::any_of(known.begin(), known.end(), [&](std::string_view each) {
      return ((speaks_of_rope(each) && each.size() >= 8) || each.size() > 20) &&
             member.name.size() <= each.size() + 2 && json::changes(member.name, each) <= 2;
    });
    if (misspelt || speaks_of_rope(member.name)) return unknown(keys, member.name, known, false);
  }
}

}  // namespace ropewalk::rope_config
