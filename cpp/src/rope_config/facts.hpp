#pragma once

// The sheet of facts: what the class of each `model_type` takes for its rope where a configuration is silent, what it
// ignores and what it refuses. tools/facts/sheet.py writes the rows by running the classes of Transformers. The members
// of a row are described in bindings/ts/analysis/check/facts.ts, which reads the same text.

#include <optional>
#include <string_view>

#include "formats/json/value.hpp"
#include "ropewalk/pairing.hpp"

namespace ropewalk::rope_config {

/// The whole sheet: one JSON object in each line, the first with the version and the types that do not rotate. A module
/// that holds models alone has the rows of its families alone.
std::string_view sheet_of_facts();

/// True for a `model_type` of Transformers whose positions are not rotary.
bool is_still(std::string_view type);

/// One row. It leaves out whatever most types share.
class Facts {
 public:
  /// The row of a type, that of its text model where it has one; an empty row for a type that is not in the sheet.
  explicit Facts(std::string_view model_type);

  /// True for a type that is in the sheet.
  bool known() const { return row_.kind == json::Kind::object; }
  /// True for a class that was run, so that its defaults are known. Code of a checkpoint is known by its pairing alone, and
  /// RoFormers have keys of our own, of which Transformers' class reads none.
  bool is_class() const { return known() && !has("code") && !has("axes") && text("type") != "roformer"; }
  const json::Value* find(std::string_view name) const { return row_.find(name); }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::string_view text(std::string_view name, std::string_view usual = {}) const;
  std::optional<double> number(std::string_view name) const;
  Pairing pairing() const;
  /// True if the list `name` ("scaling" or "flat") has the type of layers.
  bool lists(std::string_view name, std::string_view layers) const;
  /// The row of a type of layers; nullptr where all layers rotate alike.
  const json::Value* layer(std::string_view type) const;

 private:
  json::Value row_;
};

}  // namespace ropewalk::rope_config
