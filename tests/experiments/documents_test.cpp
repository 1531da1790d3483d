// The documents of the experiments: the same for the same seed, and as their comments say.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "../../tools/experiments/data.hpp"
#include "tasks/english/token_ids.hpp"

namespace ropewalk::experiments {
namespace {

using Words = std::vector<std::string>;

const std::set<std::string> people = {"anna", "clara", "rosa", "nora", "tom", "hugo", "peter", "paul"};
bool is_name(const std::string& word) { return people.contains(word); }

// The words of a row, with hidden ones put back.
Words words_of(const Rows& rows, std::size_t row) {
  static const trainer::English english;
  Words words;
  for (std::size_t i = row * rows.length; i < (row + 1) * rows.length; ++i) {
    const bool hidden = !rows.labels.empty() && rows.labels[i] >= 0;
    words.emplace_back(trainer::english::token_of(english, hidden ? rows.labels[i] : rows.ids[i]));
  }
  return words;
}

// "anna helped hugo" of every sentence with a name, the passive turned round; the last may be cut off.
std::vector<std::string> told(const Words& words) {
  std::vector<std::string> events;
  for (std::size_t i = 0; i + 5 < words.size(); ++i) {
    if (!is_name(words[i]) || is_name(words[i - 1]) || words[i - 1] == "by") continue;
    if (is_name(words[i + 2])) events.push_back(words[i] + " " + words[i + 1] + " " + words[i + 2]);
    if (words[i + 1] == "was") events.push_back(words[i + 4] + " " + words[i + 2] + " " + words[i]);
    i += words[i + 1] == "was" ? 5 : 3;
  }
  return events;
}

std::set<std::string> account_of(const Rows& rows, std::size_t row) {
  const auto events = told(words_of(rows, row));
  return {events.begin(), events.end()};
}

std::string exchanged(const std::string& event) {
  std::istringstream words(event);
  std::string agent, verb, patient;
  words >> agent >> verb >> patient;
  return patient + " " + verb + " " + agent;
}

TEST(Documents, AreTheSameForTheSameSeedAndOthersForAnother) {
  for (const char* task : {"accounts", "matching"}) {
    const Rows one = make_data(task, 0, 5)->make(Split::train, 3, 4, 640);
    EXPECT_EQ(one.ids, make_data(task, 0, 5)->make(Split::train, 3, 4, 640).ids) << task;
    EXPECT_NE(one.ids, make_data(task, 0, 6)->make(Split::train, 3, 4, 640).ids) << task;
    EXPECT_NE(one.ids, make_data(task, 0, 5)->make(Split::train, 4, 4, 640).ids) << task;
    EXPECT_NE(one.ids, make_data(task, 0, 5)->make(Split::validation, 3, 4, 640).ids) << task;
  }
}

TEST(Documents, ToPreTrainOnTellOneAccountAgainAndAgain) {
  const Rows rows = make_data("accounts", 0, 1)->make(Split::train, 0, 8, 640);
  std::set<std::set<std::string>> accounts;
  for (std::size_t row = 0; row < rows.count; ++row) {
    EXPECT_GE(told(words_of(rows, row)).size(), 4u * 6);
    const auto account = account_of(rows, row);
    EXPECT_EQ(account.size(), 4u);
    std::set<std::string> named;
    for (const std::string& word : words_of(rows, row)) {
      if (is_name(word)) named.insert(word);
    }
    EXPECT_EQ(named, people);
    accounts.insert(account);
  }
  EXPECT_EQ(accounts.size(), rows.count);
}

TEST(Documents, HideAboutOneWordInSeven) {
  const Rows rows = make_data("accounts", 0, 1)->make(Split::train, 0, 32, 256);
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < rows.ids.size(); ++i) {
    EXPECT_EQ(rows.labels[i] >= 0, rows.ids[i] == trainer::english::mask_id);
    hidden += rows.labels[i] >= 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(hidden) / static_cast<double>(rows.ids.size()), 0.15, 0.02);
}

TEST(Documents, MatchInPairsWhoseOthersExchangeTheRoles) {
  const Rows rows = make_data("matching", 0, 1)->make(Split::train, 0, 16, 640);
  for (std::size_t first = 0; first < rows.count; first += 4) {
    const auto account = account_of(rows, first);
    ASSERT_EQ(account.size(), 4u);
    std::set<std::string> other;
    for (const std::string& event : account) other.insert(exchanged(event));
    EXPECT_EQ(account_of(rows, first + 1), account);
    EXPECT_EQ(account_of(rows, first + 2), other);
    EXPECT_EQ(account_of(rows, first + 3), other);
    // In other surroundings.
    EXPECT_NE(words_of(rows, first), words_of(rows, first + 1));
  }
}

TEST(Documents, GiveTheirAccountOnceInTheStretchThatIsAskedFor) {
  constexpr std::array<std::size_t, 5> stretches = {1, 128, 256, 512, 640};
  for (std::size_t i = 0; i + 1 < stretches.size(); ++i) {
    const Rows rows = make_data("matching", stretches[i], 1)->make(Split::validation, 1, 32, 640);
    for (std::size_t row = 0; row < rows.count; ++row) {
      const Words words = words_of(rows, row);
      EXPECT_EQ(std::ranges::count_if(words, is_name), 8);
      const auto first = std::ranges::find_if(words, is_name) - words.begin();
      const auto last = std::find_if(words.rbegin(), words.rend(), is_name).base() - words.begin();
      EXPECT_GE(first, static_cast<std::ptrdiff_t>(stretches[i]));
      EXPECT_LE(last, static_cast<std::ptrdiff_t>(stretches[i + 1]));
    }
  }
}

TEST(Documents, AShorterInputIsTheBeginningOfALongerOne) {
  for (const char* task : {"accounts", "matching"}) {
    const auto data = make_data(task, 0, 1);
    const Rows whole = data->make(Split::validation, 2, 4, 640),
               part = data->make(Split::validation, 2, 4, 128);
    for (std::size_t row = 0; row < 4; ++row) {
      const Words words = words_of(whole, row);
      EXPECT_EQ(words_of(part, row), Words(words.begin(), words.begin() + 128)) << task;
    }
  }
}

TEST(Documents, BeyondTheInputNobodyKnows) {
  const auto best = [](std::size_t begin, std::size_t length) {
    const auto data = make_data("matching", begin, 1);
    return data->best(data->make(Split::validation, 0, 4, length)).accuracy;
  };
  EXPECT_EQ(best(0, 128), 0.625);
  EXPECT_EQ(best(0, 512), 0.875);
  EXPECT_EQ(best(0, 640), 1);
  EXPECT_EQ(best(256, 256), 0.5);
  EXPECT_EQ(best(256, 512), 1);
}

TEST(Documents, RefuseWhatTheyDoNotHold) {
  EXPECT_THROW(make_data("matching", 100, 1), std::invalid_argument);
  EXPECT_THROW(make_data("matching", 640, 1), std::invalid_argument);
  EXPECT_THROW(make_data("matching", 0, 1)->make(Split::train, 0, 6, 128), std::invalid_argument);
  EXPECT_THROW(make_data("matching", 0, 1)->make(Split::train, 0, 4, 641), std::invalid_argument);
}

}  // namespace
}  // namespace ropewalk::experiments
