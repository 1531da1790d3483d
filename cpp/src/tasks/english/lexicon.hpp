// The words of the generated English and what goes with what, read from the table in lexicon.cpp:
//
//   person he sailor sailors : sea        ->  sailor (he, him, his, was, is, has) and sailors (they, ...)
//   thing letter letters : gift small read ->  something one can give, pocket and read
//   use read read reads read : read       ->  a verb for whatever is of class `read`
//
// Two entries go together (verb and object, adjective and noun) when they share a class.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ropewalk::trainer::english {

inline constexpr int form_count = 10;

// One sense in one number: `sailor` and `sailors` are two entries with the same lemma.
struct Entry {
  std::string_view kind;                             // person, thing, give, ...: the first word of its line
  std::array<std::string_view, form_count> forms{};  // see form_index; empty where the entry has no such form
  std::array<int, form_count> words{};               // the same forms as indices into the vocabulary
  std::uint64_t classes = 0;                         // what it goes with, one bit per class name
  int lemma = 0;                                     // equal for the singular and the plural of one noun
  int weight = 1;                                    // how often it is drawn, relative to its neighbours
  bool plural = false;
  bool some = false;   // takes `some` where others take `a`: plurals and mass nouns
  bool vowel = false;  // takes `an`
};

struct Lexicon {
  std::vector<Entry> entries;
  std::vector<std::string_view> class_names;  // name of each bit of Entry::classes

  Lexicon();

  // The bit of a class name, 0 when no entry has it.
  std::uint64_t class_bit(std::string_view name) const;
};

// The place of a named form in Entry::forms, -1 when there is none: nouns have `one` (the singular), `he`,
// `him`, `his`, `was`, `is`, `has` and `at`; verbs `base`, `s`, `done` and `back`; pairs `inverse` and
// `most`; counts `less` and `more`. The form without a name (the noun, the verb's past) is 0.
int form_index(std::string_view name);

}  // namespace ropewalk::trainer::english
