#include "paraphrases.hpp"

#include <algorithm>
#include <stdexcept>

#include "frames.hpp"
#include "tasks/english/text_reader.hpp"

namespace ropewalk::train {

using trainer::english::Entry;
using trainer::english::form_index;
using trainer::english::TextReader;

namespace {

[[noreturn]] void fail(std::string_view what, std::string_view where) {
  throw std::runtime_error("paraphrases: " + std::string(what) + ": " + std::string(where));
}

template <class Visit>
void each_line(std::string_view text, Visit&& visit) {
  for (TextReader lines(text, '\n'); !lines.done();) visit(lines.next());
}

// The words of "called_on".
template <class Visit>
void each_word(std::string_view words, Visit&& visit) {
  for (TextReader each(words, '_'); !each.done();) visit(each.next());
}

bool is_named(const Entry& entry) { return entry.kind == "name"; }

}  // namespace

Paraphrases::Paraphrases() {
  for (const Entry& entry : lexicon_.entries) {
    if (!entry.plural) entries_.push_back(entry);
  }
  read_senses(paraphrase_senses);
  read_synonyms(paraphrase_synonyms);
  read_frames(paraphrase_frames);
  number_words();
}

void Paraphrases::read_senses(std::string_view text) {
  int lemma = entries_.back().lemma;
  each_line(text, [&](std::string_view line) {
    TextReader words(line, ' ');
    Entry entry{.kind = words.next(), .lemma = ++lemma};
    for (std::size_t form = 0; !words.done(); ++form) {
      const std::string_view word = words.next();
      if (word != "-") entry.forms[form] = word;
    }
    entries_.push_back(entry);
  });
}

void Paraphrases::read_synonyms(std::string_view text) {
  each_line(text, [&](std::string_view line) {
    TextReader words(line, ' ');
    std::vector<std::string_view>& others = synonyms_[words.next()];
    while (!words.done()) others.push_back(words.next());
  });
}

void Paraphrases::read_frames(std::string_view text) {
  each_line(text, [&](std::string_view line) {
    TextReader words(line, ' ');
    const std::string_view sign = words.next();
    if (sign == "*") {
      const std::string_view weight = words.next();
      frames_.push_back({.weight = static_cast<std::size_t>(std::stoul(std::string(weight)))});
      total_weight_ += frames_.back().weight;
    } else if (sign == ":") {
      read_slots(words.rest(), frames_.back());
    } else if (sign == "~") {
      Frame& frame = frames_.back();
      const auto slot_of = [&](char letter) {
        const auto found = std::ranges::find(frame.slots, letter, &Slot::letter);
        if (found == frame.slots.end()) fail("no such slot", line);
        return static_cast<std::size_t>(found - frame.slots.begin());
      };
      while (!words.done()) {
        const std::string_view pair = words.next();
        frame.swaps.push_back({slot_of(pair[0]), slot_of(pair[1])});
      }
    } else {
      read_phrasing(line, frames_.back());
    }
  });
}

// "A:person|name T:thing/gift V:use(T)"
void Paraphrases::read_slots(std::string_view line, Frame& frame) {
  for (TextReader slots(line, ' '); !slots.done();) {
    std::string_view rest = slots.next();
    Slot slot{.letter = rest[0]};
    rest.remove_prefix(2);
    if (const std::size_t open = rest.find('('); open != std::string_view::npos) {
      const auto given = std::ranges::find(frame.slots, rest[open + 1], &Slot::letter);
      if (given == frame.slots.end()) fail("no such slot", line);
      slot.given = static_cast<int>(given - frame.slots.begin());
      rest = rest.substr(0, open);
    }
    std::uint64_t classes = 0;
    if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
      classes = lexicon_.class_bit(rest.substr(slash + 1));
      if (classes == 0) fail("no such class", line);
      rest = rest.substr(0, slash);
    }
    for (TextReader kinds(rest, '|'); !kinds.done();) {
      const std::string_view kind = kinds.next();
      for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (entries_[i].kind == kind && (classes == 0 || (entries_[i].classes & classes) != 0))
          slot.domain.push_back(static_cast<int>(i));
      }
    }
    if (slot.domain.empty()) fail("nothing fits a slot", line);
    frame.slots.push_back(std::move(slot));
  }
}

void Paraphrases::read_phrasing(std::string_view line, Frame& frame) {
  Phrasing phrasing{.held_out = line[0] == '!', .pronouns_differ = line[1] == '*', .pieces = {}};
  if (!phrasing.held_out && line[0] != '=') fail("a line begins with neither = nor !", line);
  line.remove_prefix(phrasing.pronouns_differ ? 2 : 1);
  for (TextReader words(line, ' '); !words.done();) {
    const std::string_view word = words.next();
    const bool phrase = word[0] == '{';
    const char letter = word[phrase ? 1 : 0];
    const auto slot = std::ranges::find(frame.slots, letter, &Slot::letter);
    if (slot == frame.slots.end()) {
      if (letter >= 'A' && letter <= 'Z') fail("no such slot", line);
      phrasing.pieces.push_back({.kind = Piece::Kind::word, .word = word});
      continue;
    }
    const std::size_t dot = word.find('.');
    const int form = dot == std::string_view::npos ? 0 : form_index(word.substr(dot + 1));
    if (form < 0) fail("no such form", line);
    phrasing.pieces.push_back({.kind = phrase ? Piece::Kind::phrase : Piece::Kind::form,
                               .word = {},
                               .slot = static_cast<std::size_t>(slot - frame.slots.begin()),
                               .form = form});
  }
  frame.phrasings.push_back(std::move(phrasing));
}

void Paraphrases::number_words() {
  const auto keep = [&](std::string_view words) {
    each_word(words, [&](std::string_view word) { words_.push_back(word); });
  };
  const auto keep_all = [&](std::string_view word) {
    keep(word);
    if (const auto found = synonyms_.find(word); found != synonyms_.end()) {
      for (const std::string_view other : found->second) keep(other);
    }
  };
  for (const std::string_view word : {"the", "a", "an", "some", "."}) keep(word);
  for (const Frame& frame : frames_) {
    for (const Phrasing& phrasing : frame.phrasings) {
      for (const Piece& piece : phrasing.pieces) {
        if (piece.kind == Piece::Kind::word) {
          keep_all(piece.word);
          continue;
        }
        for (const int i : frame.slots[piece.slot].domain) {
          const std::string_view word = entries_[static_cast<std::size_t>(i)].forms[piece.form];
          if (!word.empty()) keep_all(word);
        }
      }
    }
  }
  std::ranges::sort(words_);
  words_.erase(std::ranges::unique(words_).begin(), words_.end());
}

// True if the entry of a slot goes with those of the slots before it, and is none of them.
bool Paraphrases::fits(const Frame& frame, std::span<const int> entries, std::size_t slot) const {
  const Entry& own = entries_[static_cast<std::size_t>(entries[slot])];
  for (std::size_t other = 0; other < slot; ++other) {
    if (entries_[static_cast<std::size_t>(entries[other])].lemma == own.lemma) return false;
  }
  const int given = frame.slots[slot].given;
  if (given < 0) return true;
  return (own.classes &
          entries_[static_cast<std::size_t>(entries[static_cast<std::size_t>(given)])].classes) != 0;
}

Event Paraphrases::draw(Random& random) const {
  Event event;
  std::uint64_t place = random.below(total_weight_);
  while (place >= frames_[event.frame].weight) place -= frames_[event.frame++].weight;
  const Frame& frame = frames_[event.frame];
  event.entries.resize(frame.slots.size());
  for (std::size_t slot = 0; slot < frame.slots.size(); ++slot) {
    const std::vector<int>& domain = frame.slots[slot].domain;
    do {
      event.entries[slot] = domain[static_cast<std::size_t>(random.below(domain.size()))];
    } while (!fits(frame, event.entries, slot));
  }
  return event;
}

Event Paraphrases::neighbour(Random& random, const Event& event) const {
  const Frame& frame = frames_[event.frame];
  Event other = event;
  if (!frame.swaps.empty() && random.chance(0.6)) {
    const auto [a, b] = frame.swaps[static_cast<std::size_t>(random.below(frame.swaps.size()))];
    std::swap(other.entries[a], other.entries[b]);
    return other;
  }
  for (;;) {
    other = event;
    const auto changed = static_cast<std::size_t>(random.below(frame.slots.size()));
    const std::vector<int>& domain = frame.slots[changed].domain;
    other.entries[changed] = domain[static_cast<std::size_t>(random.below(domain.size()))];
    bool good = other != event;
    for (std::size_t slot = 0; good && slot < frame.slots.size(); ++slot)
      good = fits(frame, other.entries, slot);
    // A verb that is the only one of its kind changes nothing.
    if (good || random.chance(0.02)) return good ? other : draw(random);
  }
}

bool Paraphrases::tells(const Phrasing& phrasing, const Event& event) const {
  if (phrasing.pronouns_differ &&
      entry(event, 0).forms[form_index("he")] == entry(event, 1).forms[form_index("he")])
    return false;
  return std::ranges::all_of(phrasing.pieces, [&](const Piece& piece) {
    return piece.kind != Piece::Kind::form || !entry(event, piece.slot).forms[piece.form].empty();
  });
}

std::vector<std::size_t> Paraphrases::phrasings(const Event& event, bool held_out) const {
  std::vector<std::size_t> found;
  const Frame& frame = frames_[event.frame];
  for (std::size_t i = 0; i < frame.phrasings.size(); ++i) {
    if (frame.phrasings[i].held_out == held_out && tells(frame.phrasings[i], event)) found.push_back(i);
  }
  return found;
}

std::size_t Paraphrases::count(bool held_out) const {
  std::size_t sum = 0;
  for (const Frame& frame : frames_)
    sum += static_cast<std::size_t>(std::ranges::count(frame.phrasings, held_out, &Phrasing::held_out));
  return sum;
}

std::string_view Paraphrases::say(Random& random, std::string_view word) const {
  const auto found = synonyms_.find(word);
  if (found == synonyms_.end() || random.chance(0.5)) return word;
  return found->second[static_cast<std::size_t>(random.below(found->second.size()))];
}

void Paraphrases::add(std::string_view words, std::vector<int>& text) const {
  each_word(words, [&](std::string_view word) {
    const auto place = std::ranges::lower_bound(words_, word);
    text.push_back(static_cast<int>(place - words_.begin()));
  });
}

void Paraphrases::write(Random& random, const Event& event, std::size_t phrasing,
                        std::vector<int>& text) const {
  text.clear();
  for (const Piece& piece : frames_[event.frame].phrasings[phrasing].pieces) {
    if (piece.kind == Piece::Kind::word) {
      add(say(random, piece.word), text);
      continue;
    }
    const Entry& said = entry(event, piece.slot);
    const std::string_view word = say(random, said.forms[piece.form]);
    if (piece.kind == Piece::Kind::phrase && !is_named(said)) {
      const bool any = said.kind == "thing" && random.chance(0.3);
      const bool vowel = std::string_view("aeiou").find(word[0]) != std::string_view::npos;
      add(!any ? "the" : said.some ? "some" : vowel ? "an" : "a", text);
    }
    add(word, text);
  }
  if (random.chance(0.5)) add(".", text);
}

void Paraphrases::write_two(Random& random, const Event& event, bool held_out, std::vector<int>& one,
                            std::vector<int>& other) const {
  const std::vector<std::size_t> own = phrasings(event, held_out);
  const auto first = static_cast<std::size_t>(random.below(own.size()));
  const auto step = 1 + static_cast<std::size_t>(random.below(own.size() - 1));
  write(random, event, own[first], one);
  write(random, event, own[(first + step) % own.size()], other);
}

}  // namespace ropewalk::train
