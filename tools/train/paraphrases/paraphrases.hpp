// The same event in other words: for training an embedder and for measuring one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "tasks/english/lexicon.hpp"

namespace ropewalk::train {

// A frame and the entry in each of its slots. Two events are equal when they mean the same.
struct Event {
  std::size_t frame = 0;
  std::vector<int> entries;

  auto operator<=>(const Event&) const = default;
};

class Paraphrases {
 public:
  // Throws std::runtime_error for a fault in the tables.
  Paraphrases();

  // The vocabulary in alphabetical order. Words are indices into it.
  std::span<const std::string_view> words() const { return words_; }

  Event draw(Random& random) const;
  // An event with almost the same words: two entries have changed places, or one is another.
  Event neighbour(Random& random, const Event& event) const;

  // The phrasings that can tell the event: those of training, or those held out.
  std::vector<std::size_t> phrasings(const Event& event, bool held_out) const;
  // Replaces the texts by the event in two of its phrasings, with synonyms, articles and the last stop as they fall.
  void write_two(Random& random, const Event& event, bool held_out, std::vector<int>& one,
                 std::vector<int>& other) const;

  // Numbers of phrasings over all frames.
  std::size_t count(bool held_out) const;
  std::size_t frames() const { return frames_.size(); }

 private:
  struct Slot {
    char letter;
    std::vector<int> domain;  // entries
    int given = -1;           // the slot whose classes it shares
  };
  struct Piece {
    enum class Kind : std::uint8_t { word, phrase, form } kind;
    std::string_view word;
    std::size_t slot = 0;
    int form = 0;
  };
  struct Phrasing {
    bool held_out, pronouns_differ;
    std::vector<Piece> pieces;
  };
  struct Frame {
    std::size_t weight;
    std::vector<Slot> slots;
    std::vector<std::array<std::size_t, 2>> swaps;
    std::vector<Phrasing> phrasings;
  };

  void read_senses(std::string_view text);
  void read_synonyms(std::string_view text);
  void read_frames(std::string_view text);
  void read_slots(std::string_view line, Frame& frame);
  void read_phrasing(std::string_view line, Frame& frame);
  void number_words();
  const trainer::english::Entry& entry(const Event& event, std::size_t slot) const {
    return entries_[static_cast<std::size_t>(event.entries[slot])];
  }
  bool fits(const Frame& frame, std::span<const int> entries, std::size_t slot) const;
  bool tells(const Phrasing& phrasing, const Event& event) const;
  void write(Random& random, const Event& event, std::size_t phrasing, std::vector<int>& text) const;
  std::string_view say(Random& random, std::string_view word) const;
  void add(std::string_view words, std::vector<int>& text) const;

  trainer::english::Lexicon lexicon_;
  std::vector<trainer::english::Entry> entries_;
  std::map<std::string_view, std::vector<std::string_view>> synonyms_;
  std::vector<Frame> frames_;
  std::size_t total_weight_ = 0;
  std::vector<std::string_view> words_;
};

}  // namespace ropewalk::train
