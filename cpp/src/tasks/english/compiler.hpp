// Expands the grammar's text into flat templates: it turns the line `= {~A} V {~Q?T} .` into
//
//   [D] [A] [V] [E] [T] .     [D] [A] [V] [E] [Q] [T] .     [A] [V] [E] [T] .   (A a name)   ...
//
// where D and E choose between `the` and `a`. Each template's weight is the product of the choices it stands
// for.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tasks/english/grammar.hpp"

namespace ropewalk::trainer::english {

class Compiler {
 public:
  explicit Compiler(Grammar& grammar) : grammar_(grammar) {}

  // Fills the grammar's templates, domains, and words in order of appearance; or its problem.
  void compile(std::string_view text);

 private:
  struct Line {
    std::string_view text;
    double weight;
  };
  struct Declaration {
    char letter;
    char given;                             // 0 when none
    std::array<std::string_view, 2> kinds;  // the second empty when there is no choice
  };
  struct Family {
    double weight = 0;
    std::vector<Declaration> slots;
    std::vector<Line> firsts, seconds;
  };
  // One way to read a line: which kind each declared slot has, and which optional adjectives are there.
  struct Reading {
    std::vector<int> kind_of;
    unsigned adjectives = 0;
    int optional_seen = 0;
  };

  void read_slots(std::string_view line, Family& family);
  void expand(const Family& family, std::string_view first, std::string_view second, double weight);
  void add_template(Template shape, double share);
  void read_token(const Family& family, std::string_view piece, Reading& reading, Template& shape);
  void read_phrase(const Family& family, std::string_view macro, Reading& reading, Template& shape);
  void add_slots(const Family& family, const Reading& reading, Template& shape);
  int declared(const Family& family, char letter);
  bool is_name(const Family& family, const Reading& reading, int slot) const;
  int domain(std::string_view kind);
  int fixed_word(std::string_view word);
  void fail(std::string_view what, std::string_view where);

  Grammar& grammar_;
  std::vector<std::string_view> domain_names_;
};

}  // namespace ropewalk::trainer::english
