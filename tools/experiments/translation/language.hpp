#pragma once

// A made-up language that sentences of the generated English are translated into, word by word the same everywhere:
//
//   the sailor who the kings saw gave anna a red letter
//   KING ri SAW ti ve ke SAILOR ANNA ni LETTER RED ka un o GAVE ti ba
//
// - The verb comes last: subject, place, source, recipient, object, verb. A relative clause comes before its noun, and what
//   happened before or after something else comes behind that.
// - Particles follow what they mark: o the object, ni the recipient or goal, ta the source, le the place, ri the plural, un
//   what is not definite, ke a relative clause.
// - Nouns have one of three classes, which their meaning does not tell. Adjectives are followed by the word of the class and
//   number of their noun, and verbs by that of their subject: ba and zi, ka and mi, lo and ve.
// - There is no passive: whoever does it is the subject.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/english/lexicon.hpp"
#include "translation/clause.hpp"

namespace ropewalk::translation {

class Language {
 public:
  /// `lexicon` outlives this.
  explicit Language(const trainer::english::Lexicon& lexicon);

  /// Particles, then stems.
  std::span<const std::string> words() const { return words_; }
  /// The stem of an English word: a noun's singular, a verb's past, an adjective or a time. It has to be one.
  const std::string& stem(std::string_view english) const { return stems_.find(english)->second; }
  /// The words of a sentence, which has no stop. Nothing for one of a form that parse() does not know.
  std::optional<std::vector<std::string>> translate(std::span<const std::string_view> sentence) const;

 private:
  const trainer::english::Lexicon& lexicon_;
  std::vector<std::string> words_;
  std::map<std::string, std::string, std::less<>> stems_;
};

}  // namespace ropewalk::translation
