// Any text as JSON: what is read can be searched, and its texts can be quoted and read again.

#include "formats/json/value.hpp"
#include "target.hpp"

namespace {

using namespace ropewalk;

void visit(const json::Value& value) {
  for (const json::Value& item : value.items) visit(item);
  for (const json::Member& member : value.members) {
    fuzz::require(value.find(member.name) == &member.value, "a member is found by its name", member.name);
    visit(member.value);
  }
  if (value.kind != json::Kind::text) return;
  const Result<json::Value> again =
      json::parse(json::quoted(std::string_view(value.text)), "fuzz", "a quoted text");
  // A long text is cut when it is quoted, since messages quote it.
  if (value.text.size() <= 40) {
    fuzz::require(again.ok() && again.value().text == value.text, "a quoted text reads as itself",
                  value.text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const Result<json::Value> value = json::parse(input.text(), "fuzz", "the input", {1 << 16, 1 << 12});
  if (value.ok()) {
    visit(value.value());
  } else {
    fuzz::require_words(value.status());
  }
  return 0;
}
