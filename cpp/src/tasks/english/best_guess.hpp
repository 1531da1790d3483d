// The best possible guess: the exact probability of every word at every hidden place, given the others.
//
//   the captain gave the rope to the ? .       captain 0 (one gives to another), sailor 1/20, queen 1/20, ...
//   ...
//
// Each template of the text's length is a small Bayesian network over its slots. Bucket elimination (Dechter,
// 1999) sums out the slots from the last to the first, and the derivative of that sum, taken backwards
// (Darwiche, 2003), gives all the posteriors at once.
#pragma once

#include <span>
#include <vector>

#include "tasks/english/grammar.hpp"

namespace ropewalk::trainer::english {

// posterior: (number of hidden places, words), rows summing to 1; all 0 if the grammar cannot make the text.
// Hidden where masked[i] != 0; text[i] is then not looked at.
void best_guess(const Grammar& grammar, std::span<const int> text, std::span<const unsigned char> masked,
                std::vector<double>& posterior);

// The probability that the grammar draws this text; 0 if it cannot make it.
double probability(const Grammar& grammar, std::span<const int> text);

}  // namespace ropewalk::trainer::english
