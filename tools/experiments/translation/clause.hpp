#pragma once

// Who did what to whom in a sentence of the generated English:
//
//   a brave sailor was given the letter by the queen who saw tom
//   ->  subject queen (relative: object tom, verb saw), recipient sailor (brave, indefinite), object letter, verb gave

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tasks/english/lexicon.hpp"

namespace ropewalk::translation {

struct Clause;

/// A noun with what belongs to it.
struct Phrase {
  const trainer::english::Entry* noun = nullptr;
  bool indefinite = false;
  std::vector<std::string_view> adjectives = {};
  /// Without the noun itself, whose part in it is the one that is missing.
  std::shared_ptr<const Clause> relative = {};
};

enum class Tense { past, present, future };

struct Clause {
  std::string_view time = {};  // yesterday, today, soon, tomorrow; or empty
  std::optional<Phrase> subject = {}, object = {}, recipient = {}, source = {}, place = {};
  std::string_view state = {};                    // the adjective of "was tired"; or empty
  const trainer::english::Entry* verb = nullptr;  // nullptr: to be
  Tense tense = Tense::past;
  bool negated = false;
};

/// One clause, or two with the word between them: and, but, before, after.
struct Sentence {
  Clause first;
  std::string_view link = {};
  std::optional<Clause> second = {};
};

/// The kinds of the lexicon's nouns, adjectives, verbs and times that sentences here consist of.
bool is_noun(const trainer::english::Entry& entry);
bool is_adjective(const trainer::english::Entry& entry);
bool is_verb(const trainer::english::Entry& entry);
bool is_time(const trainer::english::Entry& entry);

/// The sentence without its stop. Passives are told as what the agent did. Nothing for a sentence of another form. The
/// result views the lexicon.
std::optional<Sentence> parse(std::span<const std::string_view> words,
                              const trainer::english::Lexicon& lexicon);

}  // namespace ropewalk::translation
