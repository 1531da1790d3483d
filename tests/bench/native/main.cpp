// Answers requests, one per line on standard input, so that the bench can take its samples in turn with
// others':
//   make <key> <words of a candidate>   ->  "ok" or "error <why>"
//   sample <key> <iterations>           ->  milliseconds
//   drop <key>                          ->  "ok"
//   architecture                        ->  its name

#include <chrono>
#include <iostream>
#include <map>
#include <sstream>

#include "candidate.hpp"
#include "ropewalk/architecture.hpp"

namespace {

bench::Made make(const bench::Words& words) {
  if (words.empty()) return {std::nullopt, "no candidate"};
  return words[0] == "rotate" ? bench::make_rotation(words) : bench::make_model(words);
}

double sample(const bench::Candidate& candidate, long iterations) {
  const auto begun = std::chrono::steady_clock::now();
  for (long i = 0; i < iterations; ++i) candidate.run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace

int main() {
  std::map<std::string, bench::Candidate> candidates;
  std::cout.precision(12);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream input(line);
    std::string request, key;
    input >> request >> key;
    const auto found = candidates.find(key);
    if (request == "architecture") {
      std::cout << ropewalk::architecture();
    } else if (request == "make") {
      bench::Words words;
      for (std::string word; input >> word;) words.push_back(word);
      bench::Made made = make(words);
      if (made.candidate) candidates[key] = std::move(*made.candidate);
      std::cout << (made.candidate ? "ok" : "error " + made.error);
    } else if (found == candidates.end()) {
      std::cout << "error no candidate " << key;
    } else if (request == "sample") {
      long iterations = 0;
      input >> iterations;
      std::cout << sample(found->second, iterations);
    } else {
      candidates.erase(found);
      std::cout << "ok";
    }
    std::cout << std::endl;
  }
}
