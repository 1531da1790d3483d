// [CLS] the sailor who the kings saw was tired . [SEP]        1: was agrees with sailor
// [CLS] the queen who saw the kings was late . [SEP] she was late . [SEP]        1: the second follows
// [CLS] the poet saw the cook . [SEP] the cook was seen by the poet . [SEP]      1: three roles of three are the same
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "base/random.hpp"
#include "data.hpp"
#include "tasks/english/english.hpp"
#include "tasks/english/token_ids.hpp"

namespace ropewalk::experiments {
namespace {

using namespace trainer::english;

// A line that is drawn: one or two sentences, and its answer.
struct Line {
  std::string first, second;
  double answer;
};

constexpr const char* people[] = {"captain", "sailor",  "baker",  "farmer",  "doctor",   "poet", "king",
                                  "queen",   "teacher", "singer", "painter", "merchant", "cook", "pilot"};
constexpr const char* met[] = {"saw", "helped", "visited", "followed", "heard", "thanked"};
constexpr const char* been_met[] = {"seen", "helped", "visited", "followed", "heard", "thanked"};
constexpr const char* moods[] = {"tired", "happy", "late", "hungry", "angry", "afraid", "sad", "thirsty"};
constexpr const char* women[] = {"queen", "girl", "aunt"};
constexpr const char* men[] = {"king", "boy", "uncle"};

bool coin(Random& random) { return random.below(2) == 1; }

template <std::size_t N>
std::string pick(Random& random, const char* const (&words)[N]) {
  return words[random.below(N)];
}

/// One that is not `other`.
template <std::size_t N>
std::string pick_but(Random& random, const char* const (&words)[N], const std::string& other) {
  for (;;) {
    std::string word = pick(random, words);
    if (word != other) return word;
  }
}

std::string clause(Random& random, const std::string& between) {
  const std::string verb = pick(random, met);
  return coin(random) ? "who the " + between + " " + verb : "who " + verb + " the " + between;
}

Line acceptability(Random& random) {
  const std::string subject = pick(random, people), other = pick_but(random, people, subject);
  const bool plural = coin(random), good = coin(random), differs = random.below(10) < 7;
  const std::string between = plural == differs ? other : other + "s";
  return {"the " + subject + (plural ? "s " : " ") + clause(random, between) +
              (plural == good ? " were " : " was ") + pick(random, moods) + " .",
          "", good ? 1.0 : 0.0};
}

Line coreference(Random& random) {
  const bool plural = coin(random), woman = coin(random), other_woman = coin(random);
  const std::string subject = woman ? pick(random, women) : pick(random, men);
  const std::string other = other_woman ? pick_but(random, women, subject) : pick_but(random, men, subject);
  const std::string mood = pick(random, moods);
  const std::string first = "the " + subject + (plural ? "s " : " ") +
                            clause(random, plural ? other : other + "s") + (plural ? " were " : " was ") +
                            mood + " .";
  const std::string one = ((plural ? other_woman : woman) ? "she was " : "he was ") + mood + " .";
  const bool follows = coin(random);
  return {first, follows == plural ? "they were " + mood + " ." : one, follows ? 1.0 : 0.0};
}

Line similarity(Random& random) {
  const std::string agent = pick(random, people), patient = pick_but(random, people, agent);
  const std::size_t verb = random.below(std::size(met));
  // The same roles, the roles exchanged, or each part drawn anew half of the time.
  std::string other_agent = agent, other_patient = patient;
  std::size_t other_verb = verb;
  const std::size_t kind = random.below(3);
  if (kind == 1) std::swap(other_agent, other_patient);
  if (kind == 2) {
    if (coin(random)) other_agent = pick_but(random, people, patient);
    if (coin(random)) other_patient = pick_but(random, people, other_agent);
    if (coin(random)) other_verb = random.below(std::size(met));
  }
  const std::string second =
      coin(random)
          ? "the " + other_agent + " " + met[other_verb] + " the " + other_patient + " ."
          : "the " + other_patient + " was " + been_met[other_verb] + " by the " + other_agent + " .";
  const int same = int{agent == other_agent} + int{patient == other_patient} + int{verb == other_verb};
  return {"the " + agent + " " + met[verb] + " the " + patient + " .", second, same / 3.0};
}

class Glue : public Data {
 public:
  Glue(Line (*draw)(Random&), bool regression, std::uint64_t seed)
      : draw_(draw), regression_(regression), random_(Random(seed).fork(stream)) {}

  Objective objective() const override {
    return regression_ ? Objective::regression : Objective::classification;
  }
  std::size_t vocab_size() const override { return trainer::english::vocab_size(english_); }
  std::size_t classes() const override { return regression_ ? 1 : 2; }
  double chance() const override { return regression_ ? NAN : 0.5; }
  // Nobody need be wrong. Regression has no accuracy.
  Evaluation best(const Rows&) const override { return {.loss = 0, .accuracy = regression_ ? NAN : 1}; }

  Rows make(Split split, std::uint64_t index, std::size_t count, std::size_t length) const override {
    Rows rows;
    rows.count = count, rows.length = length;
    rows.ids.assign(count * length, pad_id);
    rows.mask.assign(count * length, 0);
    const Random lines = random_.fork(static_cast<std::uint64_t>(split));
    for (std::size_t row = 0; row < count; ++row) {
      const std::uint64_t number = index * count + row;
      Random random = lines.fork(split == Split::train ? number % train_lines : number);
      const Line line = draw_(random);
      std::size_t at = row * length;
      const auto add = [&](std::int32_t id) {
        if (at == (row + 1) * length) throw std::invalid_argument("a line is longer than its row");
        rows.ids[at] = id;
        rows.mask[at++] = 1;
      };
      add(begin_id);
      for (const std::string& sentence : {line.first, line.second}) {
        std::istringstream words(sentence);
        for (std::string word; words >> word;) add(id_of_word(word));
        if (!sentence.empty()) add(end_id);
      }
      if (regression_) rows.targets.push_back(static_cast<float>(line.answer));
      if (!regression_) rows.labels.push_back(line.answer > 0.5 ? 1 : 0);
    }
    return rows;
  }

 private:
  static constexpr std::uint64_t stream = 43, train_lines = 2000;

  std::int32_t id_of_word(const std::string& word) const {
    const int index = english_.index(word);
    if (index < 0) throw std::invalid_argument("the generated English has no word " + word);
    return id_of(index);
  }

  trainer::English english_;
  Line (*draw_)(Random&);
  bool regression_;
  Random random_;
};

}  // namespace

std::unique_ptr<Data> make_glue(const std::string& name, std::uint64_t seed) {
  if (name == "acceptability") return std::make_unique<Glue>(acceptability, false, seed);
  if (name == "coreference") return std::make_unique<Glue>(coreference, false, seed);
  if (name == "similarity") return std::make_unique<Glue>(similarity, true, seed);
  return nullptr;
}

}  // namespace ropewalk::experiments
