// Documents of 640 tokens: [CLS], everyday texts of the generated English, and an account of who did what to whom.
//
//   ... the sailor cut the rope . anna helped hugo . rosa was visited by tom . clara thanked peter . ...
//
// No other text names a person, so that the account is all that tells two documents apart which are about the same
// people. To pre-train on, a document gives its account again and again, each time in another order and with other
// verbs in the passive. To match, it gives it once, in a stretch of its tokens.
#include <algorithm>
#include <array>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "base/random.hpp"
#include "data.hpp"
#include "tasks/english/english.hpp"
#include "tasks/english/token_ids.hpp"
#include "train/masking.hpp"

namespace ropewalk::experiments {
namespace {

using namespace trainer::english;

constexpr std::array names = {"anna", "clara", "rosa", "nora", "tom", "hugo", "peter", "paul"};
// Their participles look like their past.
constexpr std::array verbs = {"helped", "visited", "followed", "thanked"};
constexpr std::size_t events = names.size() / 2;

constexpr std::size_t document_length = 640;
// Where the account of a document that is matched may begin. It ends before the next stretch does.
constexpr std::array<std::size_t, 5> stretches = {1, 128, 256, 512, document_length};
constexpr std::size_t longest_text = 28, longest_account = 6 * events;
// Texts between two tellings of an account.
constexpr std::size_t texts_between = 2;

struct Event {
  std::int32_t agent, verb, patient;
};
using Account = std::array<Event, events>;

template <class List>
void shuffle(Random& random, List& list) {
  for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random.below(i)]);
}

class Documents : public Data {
 public:
  std::size_t vocab_size() const override { return trainer::english::vocab_size(english_); }

 protected:
  explicit Documents(std::uint64_t seed) : random_(Random(seed).fork(stream)) {}

  Account draw_account(Random& random) const {
    auto people = names;
    shuffle(random, people);
    Account account;
    for (std::size_t i = 0; i < events; ++i) {
      account[i] = {id_of_word(people[2 * i]), id_of_word(verbs[random.below(verbs.size())]),
                    id_of_word(people[2 * i + 1])};
    }
    return account;
  }

  // anna helped hugo . | hugo was helped by anna .
  void tell(Random& random, Account account, std::vector<std::int32_t>& text) const {
    shuffle(random, account);
    for (const auto& [agent, verb, patient] : account) {
      if (random.below(2) == 0)
        text.insert(text.end(), {agent, verb, patient, stop_});
      else
        text.insert(text.end(), {patient, was_, verb, by_, agent, stop_});
    }
  }

  // One that names nobody.
  void add_text(Random& random, std::vector<std::int32_t>& text) const {
    const auto is_name = [&](int word) { return std::ranges::find(people_, id_of(word)) != people_.end(); };
    std::vector<int> words;
    do {
      english_.sample(random, words);
    } while (std::ranges::any_of(words, is_name));
    for (const int word : words) text.push_back(id_of(word));
  }

  Random random_of(Split split, std::uint64_t number) const {
    return random_.fork(static_cast<std::uint64_t>(split)).fork(number);
  }

  std::int32_t id_of_word(std::string_view word) const {
    const int index = english_.index(word);
    if (index < 0) throw std::invalid_argument("the generated English has no word " + std::string(word));
    return id_of(index);
  }

 private:
  static constexpr std::uint64_t stream = 47;
  trainer::English english_;
  Random random_;
  std::int32_t stop_ = id_of_word("."), was_ = id_of_word("was"), by_ = id_of_word("by");
  std::array<std::int32_t, names.size()> people_ = [this] {
    std::array<std::int32_t, names.size()> ids;
    std::ranges::transform(names, ids.begin(), [this](const char* name) { return id_of_word(name); });
    return ids;
  }();
};

// To pre-train on: which words are hidden?
class Accounts : public Documents {
 public:
  explicit Accounts(std::uint64_t seed) : Documents(seed) {}

  Objective objective() const override { return Objective::masked_language_model; }
  double chance() const override { return 0; }

  Rows make(Split split, std::uint64_t index, std::size_t count, std::size_t length) const override {
    Rows rows;
    rows.count = count, rows.length = length;
    const trainer::Masking masking{.masked = 1,
                                   .replaced = 0,
                                   .mask_id = mask_id,
                                   .vocab_size = static_cast<std::int32_t>(vocab_size()),
                                   .special_ids = special_ids};
    for (std::size_t row = 0; row < count; ++row) {
      Random random = random_of(split, index * count + row);
      const Account account = draw_account(random);
      std::vector<std::int32_t> text = {begin_id};
      while (text.size() < length) {
        for (std::size_t i = 0; i < texts_between; ++i) add_text(random, text);
        tell(random, account, text);
      }
      text.resize(length);
      std::vector<std::int32_t> labels(length);
      Random hiding = random.fork(0);
      trainer::mask(masking, hiding, text, labels);
      rows.ids.insert(rows.ids.end(), text.begin(), text.end());
      rows.labels.insert(rows.labels.end(), labels.begin(), labels.end());
    }
    return rows;
  }
};

// Asks which of two documents gives the same account as a third. Four rows are two pairs: in the second, who did something
// and to whom it was done have changed places.
class Matching : public Documents {
 public:
  Matching(std::size_t begin, std::uint64_t seed) : Documents(seed), begin_(begin) {
    if (begin != 0 && std::find(stretches.begin(), stretches.end() - 1, begin) == stretches.end() - 1) {
      throw std::invalid_argument("matching: no account begins at token " + std::to_string(begin));
    }
  }

  Objective objective() const override { return Objective::contrastive; }
  std::size_t judged_together() const override { return 4; }
  double chance() const override { return 0.5; }

  // Nobody knows what lies beyond the input.
  Evaluation best(const Rows& rows) const override {
    double seen = 0, all = 0;
    for (std::size_t i = 0; i + 1 < stretches.size(); ++i) {
      if (begin_ != 0 && stretches[i] != begin_) continue;
      all += 1;
      seen += stretches[i + 1] <= rows.length ? 1 : 0;
    }
    return {.loss = (1 - seen / all) * std::numbers::ln2, .accuracy = 0.5 + 0.5 * seen / all};
  }

  // A shorter row is the beginning of the longer one of the same number.
  Rows make(Split split, std::uint64_t index, std::size_t count, std::size_t length) const override {
    if (count % 4 != 0 || length > document_length) {
      throw std::invalid_argument("matching: rows come in fours, of at most 640 tokens");
    }
    Rows rows;
    rows.count = count, rows.length = length;
    for (std::size_t row = 0; row < count; ++row) {
      Random together = random_of(split, (index * count + row) / 4);
      Account account = draw_account(together);
      const std::size_t drawn = together.below(stretches.size() - 1);
      if (row % 4 >= 2) {
        for (Event& event : account) std::swap(event.agent, event.patient);
      }
      Random random = together.fork(row % 4);
      const std::vector<std::int32_t> text =
          document(random, account, begin_ == 0 ? stretches[drawn] : begin_);
      rows.ids.insert(rows.ids.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
    }
    return rows;
  }

 private:
  std::vector<std::int32_t> document(Random& random, const Account& account, std::size_t begin) const {
    const std::size_t end = *(std::ranges::find(stretches, begin) + 1);
    const std::size_t at = begin + random.below(end - begin - longest_text - longest_account);
    std::vector<std::int32_t> text = {begin_id};
    while (text.size() < at) add_text(random, text);
    tell(random, account, text);
    while (text.size() < document_length) add_text(random, text);
    text.resize(document_length);
    return text;
  }

  std::size_t begin_;  // 0: any stretch
};

}  // namespace

std::unique_ptr<Data> make_documents(const std::string& name, std::size_t distance, std::uint64_t seed) {
  if (name == "accounts") return std::make_unique<Accounts>(seed);
  if (name == "matching") return std::make_unique<Matching>(distance, seed);
  return nullptr;
}

}  // namespace ropewalk::experiments
