// Reads the families of grammar_text.cpp and expands every choice that changes a text's length, so that
// `= {~F?A} V {~B} .` becomes, among others, the template  [D] [F] [A] [V] [B] .  with B a name.
#include "tasks/english/compiler.hpp"

#include <algorithm>
#include <cmath>

#include "tasks/english/text_reader.hpp"

namespace ropewalk::trainer::english {
namespace {

constexpr double first_kind_share = 0.7;
constexpr double adjective_share = 0.3;
constexpr double unstopped_share = 0.1;
constexpr double weight_unit = 1099511627776.0;  // 2^40: template weights are whole numbers of 2^-40
// While a line is read, a determiner is numbered from here, apart from the declared slots.
constexpr int determiner_base = 100;

bool is_letter(char c) { return c >= 'A' && c <= 'Z'; }

// Nouns and verbs are told apart within a text; two adjectives may be the same.
bool must_differ(std::string_view kind) { return kind != "trait" && kind != "mood" && kind != "quality"; }

}  // namespace

void Compiler::fail(std::string_view what, std::string_view where) {
  if (!grammar_.problem_.empty()) return;
  grammar_.problem_ = std::string(what) + ": " + std::string(where);
}

void Compiler::compile(std::string_view text) {
  std::vector<Family> families;
  for (TextReader lines(text, '\n'); !lines.done();) {
    const std::string_view line = lines.next();
    TextReader words(line, ' ');
    const std::string_view sign = words.next();
    if (sign == "*") {
      families.emplace_back();
      for (const char digit : words.next())
        families.back().weight = families.back().weight * 10 + (digit - '0');
    } else if (sign == ":") {
      read_slots(words.rest(), families.back());
    } else {
      const double weight = sign.size() == 1 ? 1 : sign[1] - '0';
      (sign[0] == '=' ? families.back().firsts : families.back().seconds).push_back({words.rest(), weight});
    }
  }
  double family_total = 0;
  for (const Family& family : families) family_total += family.weight;
  for (Family& family : families) {
    if (family.seconds.empty()) family.seconds.push_back({"", 1});
    double first_total = 0, second_total = 0;
    for (const Line& line : family.firsts) first_total += line.weight;
    for (const Line& line : family.seconds) second_total += line.weight;
    for (const Line& first : family.firsts) {
      for (const Line& second : family.seconds) {
        expand(family, first.text, second.text,
               family.weight / family_total * (first.weight / first_total) * (second.weight / second_total));
      }
    }
  }
}

// A:person|name Q:quality(T)
void Compiler::read_slots(std::string_view line, Family& family) {
  for (TextReader slots(line, ' '); !slots.done();) {
    std::string_view spec = slots.next();
    Declaration slot{spec[0], 0, {}};
    spec.remove_prefix(2);
    if (spec.back() == ')') {
      slot.given = spec[spec.size() - 2];
      spec.remove_suffix(3);
    }
    TextReader kinds(spec, '|');
    slot.kinds[0] = kinds.next();
    slot.kinds[1] = kinds.next();
    family.slots.push_back(slot);
  }
}

void Compiler::expand(const Family& family, std::string_view first, std::string_view second, double weight) {
  // Only the choices of slots that the text shows are expanded.
  std::vector<int> open;
  for (std::size_t i = 0; i < family.slots.size(); ++i) {
    const char letter = family.slots[i].letter;
    const bool shown = first.find(letter) != first.npos || second.find(letter) != second.npos;
    if (shown && !family.slots[i].kinds[1].empty()) open.push_back(static_cast<int>(i));
  }
  for (unsigned kinds = 0; kinds < 1u << open.size(); ++kinds) {
    unsigned variants = 1;  // 2 to the number of optional adjectives, known after the first variant
    for (unsigned adjectives = 0; adjectives < variants; ++adjectives) {
      Reading reading{std::vector<int>(family.slots.size(), 0), adjectives};
      double share = weight;
      for (std::size_t i = 0; i < open.size(); ++i) {
        reading.kind_of[open[i]] = kinds >> i & 1;
        share *= reading.kind_of[open[i]] == 0 ? first_kind_share : 1 - first_kind_share;
      }
      Template shape;
      for (const std::string_view part : {first, second}) {
        for (TextReader pieces(part, ' '); !pieces.done();) read_token(family, pieces.next(), reading, shape);
      }
      variants = 1u << reading.optional_seen;
      for (int i = 0; i < reading.optional_seen; ++i) {
        share *= adjectives >> i & 1 ? adjective_share : 1 - adjective_share;
      }
      add_slots(family, reading, shape);
      Template unstopped = shape;
      unstopped.tokens.pop_back();
      add_template(std::move(shape), share * (1 - unstopped_share));
      add_template(std::move(unstopped), share * unstopped_share);
    }
  }
}

void Compiler::add_template(Template shape, double share) {
  const int length = static_cast<int>(shape.tokens.size());
  if (length < shortest_text || length > longest_text) return;
  shape.weight = static_cast<std::uint64_t>(std::llround(share * weight_unit));
  grammar_.templates_.push_back(std::move(shape));
}

int Compiler::declared(const Family& family, char letter) {
  for (std::size_t i = 0; i < family.slots.size(); ++i) {
    if (family.slots[i].letter == letter) return static_cast<int>(i);
  }
  fail("undeclared slot", std::string_view(&letter, 1));
  return 0;
}

bool Compiler::is_name(const Family& family, const Reading& reading, int slot) const {
  return family.slots[slot].kinds[reading.kind_of[slot]] == "name";
}

// A fixed word, A, A.he, V.s/A or a phrase in braces.
void Compiler::read_token(const Family& family, std::string_view piece, Reading& reading, Template& shape) {
  if (piece.front() == '{') return read_phrase(family, piece.substr(1, piece.size() - 2), reading, shape);
  Token token;
  if (!is_letter(piece.front())) {
    token.word = fixed_word(piece);
    shape.tokens.push_back(token);
    return;
  }
  token.kind = TokenKind::form;
  token.slots[0] = declared(family, piece.front());
  const std::size_t slash = piece.find('/');
  if (slash != piece.npos) {
    token.kind = TokenKind::agreeing;
    token.slots[1] = declared(family, piece[slash + 1]);
    piece = piece.substr(0, slash);
  }
  token.form = form_index(piece.substr(std::min<std::size_t>(piece.size(), 2)));
  if (token.form < 0) return fail("unknown form", piece);
  shape.tokens.push_back(token);
}

// A noun phrase: [~ or %] [adjective [?]] noun. A name stands alone.
void Compiler::read_phrase(const Family& family, std::string_view macro, Reading& reading, Template& shape) {
  const char mark = macro.front();
  if (!is_letter(mark)) macro.remove_prefix(1);
  Token noun;
  noun.kind = TokenKind::form;
  noun.slots[0] = declared(family, macro.back());
  if (is_name(family, reading, noun.slots[0])) {
    shape.tokens.push_back(noun);
    return;
  }
  Token adjective = noun;
  bool described = macro.size() > 1;
  if (described) adjective.slots[0] = declared(family, macro.front());
  if (macro.size() > 2) described = reading.adjectives >> reading.optional_seen++ & 1;

  Token article;
  if (mark == '~' || mark == '%') {
    article.kind = mark == '~' ? TokenKind::determiner : TokenKind::indefinite;
    article.slots = {described ? adjective.slots[0] : noun.slots[0], noun.slots[0], -1};
    // Determiners are slots of their own; add_slots gives each its place.
    if (mark == '~') article.slots[2] = determiner_base + static_cast<int>(shape.tokens.size());
    for (const std::string_view word : {"the", "a", "an", "some"}) fixed_word(word);
  } else {
    article.word = fixed_word("the");
  }
  shape.tokens.push_back(article);
  if (described) shape.tokens.push_back(adjective);
  shape.tokens.push_back(noun);
}

// Makes the slots that the tokens and their conditions need, in the order of declaration, determiners last.
void Compiler::add_slots(const Family& family, const Reading& reading, Template& shape) {
  std::vector<bool> needed(family.slots.size(), false);
  for (const Token& token : shape.tokens) {
    for (const int slot : token.depends()) {
      if (slot < determiner_base) needed[slot] = true;
    }
  }
  for (std::size_t i = family.slots.size(); i-- > 0;) {
    if (needed[i] && family.slots[i].given != 0) needed[declared(family, family.slots[i].given)] = true;
  }
  std::vector<int> place(family.slots.size(), -1);
  for (std::size_t i = 0; i < family.slots.size(); ++i) {
    if (!needed[i]) continue;
    const std::string_view kind = family.slots[i].kinds[reading.kind_of[i]];
    Slot slot{domain(kind), -1, {}};
    if (family.slots[i].given != 0) {
      slot.given = place[declared(family, family.slots[i].given)];
      if (slot.given < 0) fail("a slot depends on a later one", kind);
    }
    for (std::size_t other = 0; must_differ(kind) && other < shape.slots.size(); ++other) {
      const Domain& mine = grammar_.domains_[slot.domain];
      const Domain& theirs = grammar_.domains_[shape.slots[other].domain];
      const bool overlap = std::any_of(mine.entries.begin(), mine.entries.end(), [&](int entry) {
        const auto& entries = grammar_.lexicon_.entries;
        return std::any_of(theirs.entries.begin(), theirs.entries.end(), [&](int theirs_entry) {
          return entries[theirs_entry].lemma == entries[entry].lemma;
        });
      });
      if (overlap) slot.unlike.push_back(static_cast<int>(other));
    }
    place[i] = static_cast<int>(shape.slots.size());
    shape.slots.push_back(slot);
  }
  for (Token& token : shape.tokens) {
    const std::size_t count = token.depends().size();
    for (std::size_t i = 0; i < count; ++i) {
      if (token.slots[i] < determiner_base) {
        token.slots[i] = place[token.slots[i]];
      } else {
        token.slots[i] = static_cast<int>(shape.slots.size());
        shape.slots.push_back({domain("determiner"), -1, {}});
      }
    }
  }
}

// kind, then * for either number or + for the plural, then /class
int Compiler::domain(std::string_view kind) {
  const auto known = std::find(domain_names_.begin(), domain_names_.end(), kind);
  if (known != domain_names_.end()) return static_cast<int>(known - domain_names_.begin());
  const std::size_t end = kind.find_first_of("*+/");
  const bool either = end != kind.npos && kind[end] == '*';
  const bool plural = end != kind.npos && kind[end] == '+';
  const std::size_t slash = kind.find('/');
  const Lexicon& lexicon = grammar_.lexicon_;
  const std::uint64_t classes = slash == kind.npos ? 0 : lexicon.class_bit(kind.substr(slash + 1));
  if (slash != kind.npos && classes == 0) fail("unknown class", kind);

  Domain made;
  made.has.resize(lexicon.entries.size(), 0);
  made.total_with.resize(lexicon.entries.size(), 0);
  for (std::size_t i = 0; i < lexicon.entries.size(); ++i) {
    const Entry& entry = lexicon.entries[i];
    if (entry.kind != kind.substr(0, end) || (classes != 0 && (entry.classes & classes) == 0)) continue;
    if (!either && entry.plural != plural) continue;
    made.entries.push_back(static_cast<int>(i));
    made.has[i] = 1;
    made.total += entry.weight;
    for (std::size_t other = 0; other < lexicon.entries.size(); ++other) {
      if (grammar_.goes_with(static_cast<int>(i), static_cast<int>(other)))
        made.total_with[other] += entry.weight;
    }
  }
  if (made.entries.empty()) fail("empty kind", kind);
  domain_names_.push_back(kind);
  grammar_.domains_.push_back(std::move(made));
  return static_cast<int>(grammar_.domains_.size()) - 1;
}

int Compiler::fixed_word(std::string_view word) {
  const auto known = std::find(grammar_.words_.begin(), grammar_.words_.end(), word);
  if (known != grammar_.words_.end()) return static_cast<int>(known - grammar_.words_.begin());
  grammar_.words_.push_back(word);
  return static_cast<int>(grammar_.words_.size()) - 1;
}

}  // namespace ropewalk::trainer::english
