// Cuts the lexicon's and the grammar's tables into lines and words without copying them:
//
//   TextReader words("the  rope", ' ');  words.next() -> "the", then "rope", then done.
#pragma once

#include <string_view>

namespace ropewalk::trainer::english {

class TextReader {
 public:
  TextReader(std::string_view text, char separator) : rest_(text), separator_(separator) { skip(); }

  bool done() const { return rest_.empty(); }

  // The next non-empty piece; empty when done.
  std::string_view next() {
    const std::string_view piece = rest_.substr(0, rest_.find(separator_));
    rest_.remove_prefix(piece.size());
    skip();
    return piece;
  }

  std::string_view rest() const { return rest_; }

 private:
  void skip() {
    while (!rest_.empty() && rest_.front() == separator_) rest_.remove_prefix(1);
  }

  std::string_view rest_;
  char separator_;
};

}  // namespace ropewalk::trainer::english
