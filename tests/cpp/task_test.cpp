// The training tasks: each label is what a plain rule says of the ids, each batch is the same everywhere.
#include "ropewalk/task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tasks/english/english.hpp"

namespace task_test {

using namespace ropewalk;

using Words = std::vector<std::string>;

const char* const names[] = {"order", "copy", "period", "induction", "dyck", "needle", "markov", "english"};

struct Sequence {
  Words shown, asked;  // asked: empty where nothing is
  std::vector<std::int32_t> mask;
};

std::vector<Sequence> read(const Task& task, const TaskBatch& batch) {
  std::vector<Sequence> sequences(batch.batch());
  for (std::size_t i = 0; i < batch.input_ids().size(); ++i) {
    Sequence& sequence = sequences[i / batch.sequence()];
    sequence.shown.push_back(task.symbols()[static_cast<std::size_t>(batch.input_ids()[i])]);
    const std::int32_t label = batch.labels()[i];
    sequence.asked.push_back(label == -100 ? "" : task.symbols()[static_cast<std::size_t>(label)]);
    sequence.mask.push_back(batch.attention_mask()[i]);
  }
  return sequences;
}

bool letter(const std::string& word) { return word.size() == 1 && word[0] >= 'a' && word[0] <= 'p'; }
bool marker(const std::string& word) { return word[0] == '+' || word[0] == '-'; }

// The answers of each task, from the shown tokens alone. An empty word: nothing is asked there.
Words answers_of_order(const Words& shown, std::size_t) {
  Words answers(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i] == "[MASK]") answers[i] = shown[i - 1] < shown[i + 1] ? "<" : ">";
  }
  return answers;
}

Words answers_of_copy(const Words& shown, std::size_t distance) {
  Words answers(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (!marker(shown[i])) continue;
    const int offset = std::stoi(shown[i]);
    EXPECT_LE(std::abs(offset), static_cast<int>(distance));
    answers[i] = shown.at(i + static_cast<std::size_t>(offset));
  }
  return answers;
}

Words answers_of_period(const Words& shown, std::size_t distance) {
  Words answers(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    for (std::size_t j = i % distance; j < shown.size(); j += distance) {
      if (shown[j] == "[MASK]") continue;
      if (shown[i] == "[MASK]") {
        answers[i] = shown[j];
      } else {
        EXPECT_EQ(shown[i], shown[j]);
      }
    }
  }
  return answers;
}

Words answers_of_induction(const Words& shown, std::size_t) {
  Words answers(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i] != "[MASK]") continue;
    const std::string& before = shown.at(i - 1);
    EXPECT_EQ(std::count(shown.begin(), shown.end(), before), 2);
    const auto first = std::find(shown.begin(), shown.end(), before);
    EXPECT_LT(first - shown.begin(), static_cast<std::ptrdiff_t>(i) - 2);
    answers[i] = *(first + 1);
  }
  return answers;
}

Words answers_of_dyck(const Words& shown, std::size_t) {
  Words answers(shown.size()), open;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i] == "[PAD]") {
      EXPECT_EQ(i, shown.size() - 1);
    } else if (shown[i] == "(" || shown[i] == "[") {
      open.push_back(shown[i] == "(" ? ")" : "]");
    } else if (open.empty()) {
      ADD_FAILURE() << "closes nothing";
      break;
    } else {
      if (shown[i] == "[MASK]") {
        answers[i] = open.back();
      } else {
        EXPECT_EQ(shown[i], open.back());
      }
      open.pop_back();
    }
  }
  EXPECT_TRUE(open.empty());
  return answers;
}

Words answers_of_needle(const Words& shown, std::size_t distance) {
  Words answers(shown.size());
  const std::size_t last = shown.size() - 1;
  EXPECT_EQ(shown[last], "[MASK]");
  const std::string& key = shown[last - 1];
  EXPECT_TRUE(key >= "A" && key <= "H");
  EXPECT_EQ(std::count(shown.begin(), shown.end(), key), 2);
  const auto place = static_cast<std::size_t>(std::find(shown.begin(), shown.end(), key) - shown.begin());
  answers[last] = shown[place + 1];
  EXPECT_LE(last - place - 1, distance);
  EXPECT_GT(last - place - 1, distance / 2);
  std::map<std::string, int> keys;
  for (std::size_t i = 0; i + 2 < shown.size(); ++i) {
    if (letter(shown[i])) continue;
    EXPECT_EQ(++keys[shown[i]], 1);
    EXPECT_TRUE(letter(shown[i + 1]));
  }
  return answers;
}

using Rule = Words (*)(const Words&, std::size_t);
const std::map<std::string, Rule> rules = {
    {"order", answers_of_order},         {"copy", answers_of_copy}, {"period", answers_of_period},
    {"induction", answers_of_induction}, {"dyck", answers_of_dyck}, {"needle", answers_of_needle},
};

TEST(Task, LabelsAreWhatAPlainRuleSays) {
  for (const auto& [name, rule] : rules) {
    for (const std::size_t distance : {0, 1, 4, 7, 33, 64, 200}) {
      const Result<Task> made = Task::make({.name = name, .distance = distance, .seed = 3});
      if (!made.ok()) continue;
      const Task& task = made.value();
      const std::size_t least = task.shortest_sequence();
      TaskBatch batch;
      for (const std::size_t sequence :
           {least, least + 1, least + 2, least + 5, least + 24, std::size_t{512}}) {
        for (const Split split : {Split::train, Split::validation}) {
          task.make_batch(split, sequence, 50, sequence, batch);
          for (const Sequence& row : read(task, batch)) {
            EXPECT_EQ(rule(row.shown, task.distance()), row.asked) << name << ' ' << sequence;
            EXPECT_LT(std::count(row.asked.begin(), row.asked.end(), ""), static_cast<int>(sequence)) << name;
            // Only what is asked for is hidden, and it is hidden: the label's token is not at its place.
            for (std::size_t i = 0; i < sequence; ++i) {
              EXPECT_NE(row.shown[i], row.asked[i]);
              EXPECT_EQ(row.shown[i] == "[MASK]" || marker(row.shown[i]), !row.asked[i].empty());
              EXPECT_EQ(row.mask[i], row.shown[i] == "[PAD]" ? 0 : 1);
            }
          }
        }
      }
    }
  }
}

TEST(Task, AnswersOfOrderOccurNowhere) {
  const Task task({.name = "order"});
  TaskBatch batch;
  task.make_batch(Split::train, 0, 64, 24, batch);
  for (const Sequence& row : read(task, batch)) {
    EXPECT_EQ(std::count(row.shown.begin(), row.shown.end(), "<"), 0);
    EXPECT_EQ(std::count(row.shown.begin(), row.shown.end(), ">"), 0);
    EXPECT_EQ(std::count(row.shown.begin(), row.shown.end(), "[MASK]"), 3);
  }
}

// Letters with the hidden ones put back.
Words whole(const Sequence& row) {
  Words words = row.shown;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!row.asked[i].empty()) words[i] = row.asked[i];
  }
  return words;
}

TEST(Task, MarkovFollowsOneTableNineTimesInTen) {
  const Task task({.name = "markov", .seed = 5});
  TaskBatch batch;
  std::map<std::string, std::map<std::string, int>> followers;
  double hidden = 0, all = 0;
  for (std::uint64_t index = 0; index < 40; ++index) {
    task.make_batch(Split::train, index, 32, 64, batch);
    for (const Sequence& row : read(task, batch)) {
      const Words words = whole(row);
      for (std::size_t i = 0; i < words.size(); ++i) {
        ASSERT_TRUE(letter(words[i]));
        EXPECT_EQ(row.shown[i] == "[MASK]", !row.asked[i].empty());
        hidden += row.asked[i].empty() ? 0 : 1, ++all;
        if (i >= 2) ++followers[words[i - 2] + words[i - 1]][words[i]];
      }
    }
  }
  EXPECT_NEAR(hidden / all, 0.15, 0.005);
  EXPECT_EQ(followers.size(), 256u);
  double regular = 0, total = 0;
  std::map<std::string, std::set<std::string>> reached;  // by the last letter
  for (const auto& [pair, counts] : followers) {
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [word, count] : counts) total += count;
    regular += most->second;
    reached[pair.substr(1)].insert(most->first);
  }
  EXPECT_NEAR(regular / total, 0.9 + 0.1 / 16, 0.005);
  for (const auto& [last, words] : reached) EXPECT_EQ(words.size(), 16u) << last;
  // The table is of the seed: both splits follow it, another seed has another.
  const auto agreement = [&](const Task& other, Split split) {
    double agrees = 0, count = 0;
    other.make_batch(split, 0, 64, 64, batch);
    for (const Sequence& row : read(other, batch)) {
      const Words words = whole(row);
      for (std::size_t i = 2; i < words.size(); ++i) {
        const auto& counts = followers[words[i - 2] + words[i - 1]];
        const auto most = std::max_element(counts.begin(), counts.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        agrees += most->first == words[i] ? 1 : 0, ++count;
      }
    }
    return agrees / count;
  };
  EXPECT_GT(agreement(task, Split::validation), 0.88);
  EXPECT_LT(agreement(Task({.name = "markov", .seed = 6}), Split::train), 0.15);
}

// The best guess by its definition: over all completions of a short sequence.
TEST(Task, BestOfMarkovIsThatOfAllCompletions) {
  const Task task({.name = "markov", .seed = 5});
  TaskBatch batch;
  // The table, from many letters.
  std::array<std::array<std::array<double, 16>, 16>, 16> counts{};
  for (std::uint64_t index = 0; index < 40; ++index) {
    task.make_batch(Split::train, index, 32, 64, batch);
    for (const Sequence& row : read(task, batch)) {
      const Words words = whole(row);
      for (std::size_t i = 2; i < words.size(); ++i)
        ++counts[words[i - 2][0] - 'a'][words[i - 1][0] - 'a'][words[i][0] - 'a'];
    }
  }
  const auto odds = [&](int a, int b, int c) {
    const auto& row = counts[a][b];
    return (std::max_element(row.begin(), row.end()) - row.begin() == c ? 0.9 : 0.0) + 0.1 / 16;
  };
  for (const std::size_t sequence : {3u, 5u, 7u}) {
    task.make_batch(Split::validation, 1, 40, sequence, batch);
    double loss = 0, right = 0, labels = 0;
    for (const Sequence& row : read(task, batch)) {
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < sequence; ++i) {
        if (!row.asked[i].empty()) places.push_back(i);
      }
      std::vector<int> words(sequence);
      for (std::size_t i = 0; i < sequence; ++i) words[i] = row.shown[i][0] - 'a';
      std::vector<std::array<double, 16>> sums(places.size());
      const auto completions = static_cast<std::size_t>(std::pow(16, places.size()));
      for (std::size_t one = 0; one < completions; ++one) {
        for (std::size_t k = 0, rest = one; k < places.size(); ++k, rest /= 16) words[places[k]] = rest % 16;
        double product = 1;
        for (std::size_t i = 2; i < sequence; ++i) product *= odds(words[i - 2], words[i - 1], words[i]);
        for (std::size_t k = 0; k < places.size(); ++k) sums[k][words[places[k]]] += product;
      }
      for (std::size_t k = 0; k < places.size(); ++k) {
        double all = 0;
        for (const double sum : sums[k]) all += sum;
        const int answer = row.asked[places[k]][0] - 'a';
        loss -= std::log(sums[k][answer] / all);
        right += sums[k][answer] >= *std::max_element(sums[k].begin(), sums[k].end()) * (1 - 1e-9) ? 1 : 0;
        ++labels;
      }
    }
    const Evaluation best = task.best(batch);
    EXPECT_NEAR(best.loss, loss / labels, 1e-9) << sequence;
    // Guesses that are equally good may be told apart by rounding.
    EXPECT_NEAR(best.accuracy, right / labels, sequence == 3 ? 0.5 : 0.1) << sequence;
  }
  task.make_batch(Split::validation, 0, 64, 64, batch);
  const Evaluation best = task.best(batch);
  std::printf("  markov at best: loss %.3f, accuracy %.3f\n", best.loss, best.accuracy);
  EXPECT_GT(best.loss, 0.05);
  EXPECT_LT(best.loss, 0.4);
  EXPECT_GT(best.accuracy, 0.9);
}

TEST(Task, EnglishIsTextsOfTheGrammar) {
  const Task task({.name = "english", .seed = 5});
  const trainer::English english;
  TaskBatch batch;
  double words_seen = 0, hidden = 0;
  for (const std::size_t sequence : {30u, 31u, 64u, 512u}) {
    task.make_batch(Split::train, 0, 20, sequence, batch);
    for (const Sequence& row : read(task, batch)) {
      ASSERT_EQ(row.shown[0], "[CLS]");
      const Words words = whole(row);
      std::vector<int> text;
      bool padding = false;
      for (std::size_t i = 1; i < words.size(); ++i) {
        padding = padding || words[i] == "[PAD]";
        EXPECT_EQ(row.mask[i], padding ? 0 : 1);
        EXPECT_EQ(words[i] == "[PAD]", padding);
        if (padding) continue;
        EXPECT_EQ(row.shown[i] == "[MASK]", !row.asked[i].empty());
        if (words[i] != "[SEP]") {
          text.push_back(english.index(words[i]));
          hidden += row.asked[i].empty() ? 0 : 1, ++words_seen;
          ASSERT_GE(text.back(), 0);
          continue;
        }
        // A text of the grammar: its words are possible given each other.
        std::vector<unsigned char> mask(text.size(), 0);
        mask[0] = 1;
        std::vector<double> odds;
        english.posterior(text, mask, odds);
        EXPECT_GT(odds[static_cast<std::size_t>(text[0])], 0);
        text.clear();
      }
      EXPECT_TRUE(text.empty());
      EXPECT_GT(std::count(words.begin(), words.end(), "[SEP]"), sequence / 64);
    }
  }
  EXPECT_NEAR(hidden / words_seen, 0.15, 0.02);
  task.make_batch(Split::validation, 0, 100, 64, batch);
  const Evaluation best = task.best(batch);
  std::printf("  english at best: loss %.3f, accuracy %.3f\n", best.loss, best.accuracy);
  EXPECT_GT(best.loss, 0.3);
  EXPECT_LT(best.loss, 0.7);
  EXPECT_GT(best.accuracy, 0.75);
  EXPECT_LT(best.accuracy, 0.86);
}

TEST(Task, BestIsPerfectWhereNothingIsRandom) {
  TaskBatch batch;
  for (const auto& [name, rule] : rules) {
    const Task task({.name = name});
    task.make_batch(Split::validation, 0, 4, 40, batch);
    EXPECT_EQ(task.best(batch).loss, 0);
    EXPECT_EQ(task.best(batch).accuracy, 1);
  }
}

std::uint64_t hash(const TaskBatch& batch) {
  std::uint64_t value = 0xcbf29ce484222325u;  // FNV-1a
  for (const auto& part : {batch.input_ids(), batch.attention_mask(), batch.labels()}) {
    for (const std::int32_t number : part) {
      value = (value ^ static_cast<std::uint32_t>(number)) * 0x100000001b3u;
    }
  }
  return value;
}

// tests/ts/task.test.ts has the same numbers.
TEST(Task, BatchesAreTheSameEverywhere) {
  const std::map<std::string, std::uint64_t> pinned = {
      {"order", 0xd319cb770951aa32u},     {"copy", 0x7d79a5e44197aa0du},    {"period", 0x1505c040d8b23b85u},
      {"induction", 0x0845ac3abe478e44u}, {"dyck", 0x4a328c0c9ca75de1u},    {"needle", 0x4bd17e35ac99df95u},
      {"markov", 0xfcf46c908e99c360u},    {"english", 0xd60318074d9e7c77u},
  };
  for (const char* name : names) {
    const Task task({.name = name, .seed = 7}), again({.name = name, .seed = 7}),
        other({.name = name, .seed = 8});
    TaskBatch batch, twin;
    task.make_batch(Split::train, 3, 4, 40, batch);
    EXPECT_EQ(hash(batch), pinned.at(name)) << name << ' ' << hash(batch);
    const std::uint64_t first = hash(batch);
    again.make_batch(Split::train, 9, 7, 64, twin);  // what was made before does not matter
    again.make_batch(Split::train, 3, 4, 40, twin);
    EXPECT_EQ(hash(twin), first) << name;
    other.make_batch(Split::train, 3, 4, 40, twin);
    EXPECT_NE(hash(twin), first) << name;
    task.make_batch(Split::train, 4, 4, 40, twin);
    EXPECT_NE(hash(twin), first) << name;
    // Nor does the number of rows.
    task.make_batch(Split::train, 3, 9, 40, twin);
    EXPECT_TRUE(std::equal(batch.labels().begin(), batch.labels().end(), twin.labels().begin())) << name;
    EXPECT_TRUE(std::equal(batch.input_ids().begin(), batch.input_ids().end(), twin.input_ids().begin()));
  }
}

TEST(Task, SplitsShareNoSequence) {
  for (const char* name : names) {
    if (std::string(name) == "dyck") continue;  // the few short ones cannot but recur
    // A pattern of five letters recurs by chance in a thousand.
    const Task task({.name = name, .distance = std::string(name) == "period" ? 12u : 0u});
    TaskBatch batch;
    std::set<Words> seen;
    std::size_t rows = 0;
    for (const Split split : {Split::train, Split::validation}) {
      for (std::uint64_t index = 0; index < 50; ++index) {
        task.make_batch(split, index, 16, 48, batch);
        for (const Sequence& row : read(task, batch)) seen.insert(whole(row)), ++rows;
      }
    }
    EXPECT_EQ(seen.size(), rows) << name;
  }
  const Task dyck({.name = "dyck"});
  TaskBatch train, validation;
  dyck.make_batch(Split::train, 0, 16, 48, train);
  dyck.make_batch(Split::validation, 0, 16, 48, validation);
  EXPECT_NE(hash(train), hash(validation));
}

TEST(Task, ClassesAreBalancedAndChanceIsWhatItSays) {
  for (const char* name : names) {
    const Task task({.name = name, .seed = 2});
    TaskBatch batch;
    std::map<std::int32_t, double> counts;
    double all = 0;
    for (const std::size_t sequence : {30u, 64u, 200u}) {
      for (std::uint64_t index = 0; index < 200 || all < 30000; ++index) {
        task.make_batch(Split::train, index, 32, sequence, batch);
        for (const std::int32_t label : batch.labels()) {
          if (label != -100) ++counts[label], ++all;
        }
      }
    }
    double most = 0, least = all;
    for (const auto& [label, count] : counts) most = std::max(most, count), least = std::min(least, count);
    std::printf("  %-9s %2zu answers, the commonest %.4f of %.0f\n", name, counts.size(), most / all, all);
    EXPECT_NEAR(most / all, task.chance_accuracy(), 0.006) << name;
    if (std::string(name) == "english") continue;
    EXPECT_EQ(static_cast<double>(counts.size()), 1 / task.chance_accuracy()) << name;
    EXPECT_NEAR(least / all, task.chance_accuracy(), 0.006) << name;
  }
}

TEST(Task, SaysWhatItIs) {
  for (const char* name : names) {
    Task task({.name = name});
    EXPECT_EQ(task.name(), name);
    EXPECT_EQ(task.description().back() == '.' || task.description().back() == '?', true);
    EXPECT_EQ(task.vocab_size(), task.symbols().size());
    EXPECT_EQ(task.symbols()[0], "[PAD]");
    std::set<std::string> distinct(task.symbols().begin(), task.symbols().end());
    EXPECT_EQ(distinct.size(), task.vocab_size());
    EXPECT_LE(task.vocab_size(), std::string(name) == "english" ? 500u : 32u);
    const Task moved = std::move(task);
    EXPECT_EQ(moved.name(), name);
  }
  EXPECT_EQ(Task({.name = "copy"}).distance(), 4u);
  EXPECT_EQ(Task({.name = "period"}).distance(), 5u);
  EXPECT_EQ(Task({.name = "needle"}).distance(), 16u);
  EXPECT_EQ(Task({.name = "needle", .distance = 256}).distance(), 256u);
  EXPECT_EQ(Task({.name = "dyck"}).distance(), 0u);
}

TEST(Task, RefusesByName) {
  const auto message = [](const TaskOptions& options, Status::Code code = Status::Code::range) {
    const Result<Task> made = Task::make(options);
    EXPECT_FALSE(made.ok());
    EXPECT_EQ(made.status().code(), code);
    return made.status().message();
  };
  EXPECT_EQ(message({.name = "sort\n"}, Status::Code::type),
            "task: `name` is \"sort\\u000a\"; allowed: one of order, copy, period, induction, dyck, needle, "
            "markov, "
            "english");
  EXPECT_EQ(message({.name = ""}, Status::Code::type).substr(0, 17), "task: `name` is \"");
  EXPECT_EQ(message({.name = "order", .distance = 5}),
            "task: `distance` is 5; allowed: 0, since order has none");
  EXPECT_EQ(message({.name = "copy", .distance = 65}),
            "task: `distance` is 65; allowed: 1 to 64 for copy, or 0 for its default of 4");
  EXPECT_EQ(message({.name = "needle", .distance = 3}),
            "task: `distance` is 3; allowed: 4 to 4096 for needle, or 0 for its default of 16");
  EXPECT_EQ(message({.name = "period", .distance = SIZE_MAX}).substr(0, 20), "task: `distance` is ");

  const Task task({.name = "needle"});
  TaskBatch batch;
  EXPECT_EQ(task.try_make_batch(Split::train, 0, 2, 17, batch).message(),
            "batch: `sequence` is 17; allowed: a whole number from 18 to 65536 for needle");
  Evaluation best;
  EXPECT_EQ(task.try_best(batch, best).message(),
            "best: `batch` is empty; allowed: a batch that this task made");
  task.make_batch(Split::train, 0, 2, 18, batch);
  const std::uint64_t before = hash(batch);
  EXPECT_EQ(task.try_make_batch(Split::train, 0, 0, 20, batch).message(),
            "batch: `batch` is 0; allowed: a whole number from 1 to 838860 for sequences of 20 tokens");
  EXPECT_FALSE(task.try_make_batch(Split::train, 0, SIZE_MAX, 20, batch).ok());
  EXPECT_FALSE(task.try_make_batch(Split::train, 0, 1, SIZE_MAX, batch).ok());
  EXPECT_EQ(hash(batch), before);
  EXPECT_EQ(Task({.name = "dyck"}).try_best(batch, best).message(),
            "best: `batch` is of another task; allowed: a batch that this task made");
}

// Two layers of 32 channels, as the pilot had them.
Evaluation learn(const Task& task, const char* encoding, std::size_t steps, std::size_t test_sequence) {
  const std::string config =
      R"({"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64,
          "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0, "initializer_range": 0.1,
          "position_encoding": ")" +
      std::string(encoding) + R"(", "vocab_size": )" + std::to_string(task.vocab_size()) + "}";
  Trainer trainer({.spec = raise(spec_from_config(config)),
                   .seed = 1,
                   .optimizer = {.learning_rate = 4e-3, .warmup_steps = 20, .total_steps = steps}});
  TaskBatch batch;
  for (std::size_t step = 0; step < steps; ++step) {
    task.make_batch(Split::train, step, 16, 24, batch);
    trainer.train(batch);
  }
  task.make_batch(Split::validation, 0, 256, test_sequence, batch);
  const Evaluation evaluation = trainer.evaluate(batch);
  std::printf("  %s, %s: loss %.3f, accuracy %.3f at length %zu\n", std::string(task.name()).c_str(),
              encoding, evaluation.loss, evaluation.accuracy, test_sequence);
  return evaluation;
}

TEST(Task, RopeLearnsOrderAndTheSymmetricOnesCannot) {
  const Task task({.name = "order", .seed = 1});
  EXPECT_GT(learn(task, "rope", 250, 24).accuracy, 0.95);
  EXPECT_GT(learn(task, "rope", 250, 48).accuracy, 0.9);
  for (const char* encoding : {"alibi", "none"}) {
    const Evaluation evaluation = learn(task, encoding, 250, 24);
    EXPECT_NEAR(evaluation.accuracy, 0.5, 0.06) << encoding;
    EXPECT_GT(evaluation.loss, 0.69) << encoding;
  }
}

TEST(Task, RopeLearnsToCopy) {
  EXPECT_GT(learn(Task({.name = "copy", .distance = 2, .seed = 1}), "rope", 300, 24).accuracy, 0.8);
}

}  // namespace task_test
