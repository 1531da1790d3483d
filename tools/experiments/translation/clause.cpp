#include "translation/clause.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace ropewalk::translation {

using trainer::english::Entry;
using trainer::english::Lexicon;

namespace {

bool among(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Forms of a verb, by their place in Entry::forms.
enum Form { past, base, third, participle };

/// Reads from left to right; a function that returns false or nothing has found another form of sentence.
class Parser {
 public:
  Parser(std::span<const std::string_view> words, const Lexicon& lexicon)
      : words_(words), lexicon_(lexicon) {}

  std::optional<Sentence> sentence() {
    Sentence sentence;
    if (!clause(sentence.first)) return {};
    if (ended()) return sentence;
    if (take(",") && next() != "but") return {};
    if (!among(next(), {"and", "but", "before", "after"})) return {};
    sentence.link = words_[at_++];
    sentence.second.emplace();
    if (!clause(*sentence.second) || !ended()) return {};
    return sentence;
  }

 private:
  bool ended() const { return at_ == words_.size(); }
  std::string_view next() const { return ended() ? std::string_view() : words_[at_]; }
  bool take(std::string_view word) {
    if (next() != word) return false;
    ++at_;
    return true;
  }

  template <class Is>
  const Entry* find(Is is) const {
    const auto found = std::ranges::find_if(lexicon_.entries, is);
    return ended() || found == lexicon_.entries.end() ? nullptr : &*found;
  }
  template <class Is>
  const Entry* take_if(Is is) {
    const Entry* const found = find(is);
    if (found != nullptr) ++at_;
    return found;
  }
  const Entry* take_verb(std::initializer_list<Form> forms) {
    return take_if([&](const Entry& entry) {
      return is_verb(entry) &&
             std::ranges::any_of(forms, [&](Form form) { return entry.forms[form] == next(); });
    });
  }
  bool at_name() const {
    return find([&](const Entry& entry) { return entry.kind == "name" && entry.forms[0] == next(); }) !=
           nullptr;
  }
  bool at_phrase() const { return among(next(), {"the", "a", "an", "some"}) || at_name(); }

  std::optional<Phrase> phrase() {
    if (!at_phrase()) return {};
    Phrase phrase;
    if (!at_name()) phrase.indefinite = words_[at_++] != "the";
    const auto adjective = [&](const Entry& entry) {
      return is_adjective(entry) && entry.forms[0] == next();
    };
    while (const Entry* const found = take_if(adjective)) phrase.adjectives.push_back(found->forms[0]);
    phrase.noun = take_if([&](const Entry& entry) { return is_noun(entry) && entry.forms[0] == next(); });
    if (phrase.noun == nullptr) return {};
    if (!take("who") && !take("that")) return phrase;
    auto relative = std::make_shared<Clause>();
    if (!relative_clause(*relative)) return {};
    phrase.relative = std::move(relative);
    return phrase;
  }

  bool relative_clause(Clause& clause) {
    if (!at_phrase()) return predicate(clause, {"to", "by"});
    if (!(clause.subject = phrase())) return false;
    clause.verb = take_verb({past});
    if (clause.verb == nullptr) return false;
    if (at_phrase() && !(clause.object = phrase())) return false;
    if (!take("to")) return true;
    // "who the king gave a letter to": the one that it was given to is the missing part.
    return at_phrase() ? (clause.recipient = phrase()).has_value() : clause.object.has_value();
  }

  bool clause(Clause& clause) {
    if (const Entry* const time =
            take_if([&](const Entry& entry) { return is_time(entry) && entry.forms[0] == next(); }))
      clause.time = time->forms[0];
    clause.subject = phrase();
    return clause.subject && predicate(clause, {"to", "from", "at", "in", "on", "by"});
  }

  /// Parses the predicate. A relative clause has no subject before it.
  bool predicate(Clause& clause, std::initializer_list<std::string_view> prepositions) {
    if (among(next(), {"was", "were", "is", "are"})) {
      clause.tense = among(words_[at_++], {"was", "were"}) ? Tense::past : Tense::present;
      clause.verb = take_verb({participle});
      return clause.verb != nullptr ? passive(clause, prepositions) : being(clause);
    }
    if (take("did")) {
      if (!take("not")) return false;
      clause.negated = true;
      clause.verb = take_verb({base});
    } else if (take("will")) {
      clause.tense = Tense::future;
      clause.verb = take_verb({base});
    } else if ((clause.verb = take_verb({past})) == nullptr) {
      clause.tense = Tense::present;
      clause.verb = take_verb({third});
    }
    if (clause.verb == nullptr || (at_phrase() && !(clause.object = phrase()))) return false;
    std::optional<Phrase> agent;
    return more(clause, agent, prepositions) && !agent;
  }

  bool being(Clause& clause) {
    const Entry* const state =
        take_if([&](const Entry& entry) { return is_adjective(entry) && entry.forms[0] == next(); });
    if (state != nullptr) {
      clause.state = state->forms[0];
      return true;
    }
    if (!among(next(), {"at", "in", "on"})) return false;
    ++at_;
    return (clause.place = phrase()).has_value();
  }

  /// "was given the letter by the queen", "was seen by the queen"
  bool passive(Clause& clause, std::initializer_list<std::string_view> prepositions) {
    std::optional<Phrase> before = std::exchange(clause.subject, std::nullopt);
    if (at_phrase()) {
      if (!(clause.object = phrase())) return false;
      clause.recipient = std::move(before);
    } else {
      clause.object = std::move(before);
    }
    std::optional<Phrase> agent;
    if (!more(clause, agent, prepositions) || !agent) return false;
    clause.subject = std::move(agent);
    return true;
  }

  bool more(Clause& clause, std::optional<Phrase>& agent,
            std::initializer_list<std::string_view> prepositions) {
    while (among(next(), prepositions)) {
      const std::string_view preposition = words_[at_++];
      std::optional<Phrase>& part = preposition == "to"     ? clause.recipient
                                    : preposition == "from" ? clause.source
                                    : preposition == "by"   ? agent
                                                            : clause.place;
      if (part || !(part = phrase())) return false;
    }
    return true;
  }

  std::span<const std::string_view> words_;
  const Lexicon& lexicon_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_noun(const Entry& entry) { return among(entry.kind, {"person", "name", "animal", "thing", "place"}); }
bool is_adjective(const Entry& entry) { return among(entry.kind, {"trait", "mood", "quality", "colour"}); }
bool is_verb(const Entry& entry) {
  return among(entry.kind, {"give", "show", "take", "meet", "use", "go", "do", "chase"});
}
bool is_time(const Entry& entry) { return among(entry.kind, {"day", "soon"}); }

std::optional<Sentence> parse(std::span<const std::string_view> words, const Lexicon& lexicon) {
  return Parser(words, lexicon).sentence();
}

}  // namespace ropewalk::translation
