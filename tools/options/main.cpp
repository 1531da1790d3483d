// Prints the tables of all options as JSON.

#include <cstdio>
#include <string>

#include "tables.hpp"

int main() {
  const std::string text = ropewalk::options::tables_to_json();
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
