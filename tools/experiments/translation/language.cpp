#include "translation/language.hpp"

#include <cstddef>
#include <utility>

namespace ropewalk::translation {
namespace {

using trainer::english::Entry;

constexpr std::string_view particles[] = {"o",  "ni", "ta", "le",  "ri",  "un", "ke", "na", "es", "ti", "sa",
                                          "fu", "vo", "da", "pel", "sul", "ba", "zi", "ka", "mi", "lo", "ve"};
constexpr std::string_view agreement[3][2] = {{"ba", "zi"}, {"ka", "mi"}, {"lo", "ve"}};
constexpr std::pair<std::string_view, std::string_view> links[] = {
    {"and", "vo"}, {"but", "da"}, {"before", "pel"}, {"after", "sul"}};

/// Two syllables, others for each number below 75 * 75.
std::string made_up(std::size_t number) {
  constexpr std::string_view consonants = "ptkbdgmnszlrvfh", vowels = "aeiou";
  constexpr std::size_t syllables = consonants.size() * vowels.size();
  const auto syllable = [&](std::size_t i) {
    return std::string{consonants[i % consonants.size()], vowels[i / consonants.size() % vowels.size()]};
  };
  return syllable(number % syllables) + syllable((7 * (number / syllables) + 13 * number) % syllables);
}

std::string_view agreement_with(const Entry& noun) { return agreement[noun.lemma % 3][noun.plural ? 1 : 0]; }

std::string_view tense_word(Tense tense) {
  return tense == Tense::past ? "ti" : tense == Tense::present ? "sa" : "fu";
}

class Writer {
 public:
  explicit Writer(const Language& language) : language_(language) {}

  std::vector<std::string> write(const Sentence& sentence) && {
    const bool backwards = sentence.link == "before" || sentence.link == "after";
    if (!sentence.second) {
      add(sentence.first, nullptr);
      return std::move(text_);
    }
    add(backwards ? *sentence.second : sentence.first, nullptr);
    for (const auto& [english, word] : links) {
      if (english == sentence.link) add(word);
    }
    add(backwards ? sentence.first : *sentence.second, nullptr);
    return std::move(text_);
  }

 private:
  void add(std::string_view word) { text_.emplace_back(word); }
  void add_stem(std::string_view english) { text_.push_back(language_.stem(english)); }

  void add(const std::optional<Phrase>& phrase, std::string_view particle) {
    if (!phrase) return;
    const Entry& noun = *phrase->noun;
    if (phrase->relative) {
      add(*phrase->relative, &noun);
      add("ke");
    }
    add_stem(noun.forms[static_cast<std::size_t>(trainer::english::form_index("one"))]);
    if (noun.plural) add("ri");
    for (const std::string_view adjective : phrase->adjectives) {
      add_stem(adjective);
      add(agreement_with(noun));
    }
    if (phrase->indefinite) add("un");
    if (!particle.empty()) add(particle);
  }

  /// `head`: the noun of a relative clause, its subject if it has no other.
  void add(const Clause& clause, const Entry* head) {
    const std::string_view agrees = agreement_with(clause.subject ? *clause.subject->noun : *head);
    if (!clause.time.empty()) add_stem(clause.time);
    add(clause.subject, "");
    add(clause.place, "le");
    add(clause.source, "ta");
    add(clause.recipient, "ni");
    add(clause.object, "o");
    if (!clause.state.empty()) add_stem(clause.state);
    if (clause.negated) add("na");
    if (clause.verb == nullptr) {
      add("es");
    } else {
      add_stem(clause.verb->forms[0]);
    }
    add(tense_word(clause.tense));
    add(agrees);
  }

  const Language& language_;
  std::vector<std::string> text_;
};

}  // namespace

Language::Language(const trainer::english::Lexicon& lexicon)
    : lexicon_(lexicon), words_(std::begin(particles), std::end(particles)) {
  for (const Entry& entry : lexicon.entries) {
    const bool noun = is_noun(entry);
    if (!noun && !is_adjective(entry) && !is_verb(entry) && !is_time(entry)) continue;
    const auto form = static_cast<std::size_t>(noun ? trainer::english::form_index("one") : 0);
    const auto [place, added] = stems_.try_emplace(std::string(entry.forms[form]));
    if (!added) continue;
    place->second = made_up(stems_.size() - 1);
    words_.push_back(place->second);
  }
}

std::optional<std::vector<std::string>> Language::translate(
    std::span<const std::string_view> sentence) const {
  const std::optional<Sentence> parsed = parse(sentence, lexicon_);
  if (!parsed) return {};
  return Writer(*this).write(*parsed);
}

}  // namespace ropewalk::translation
