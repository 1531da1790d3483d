// text \n text \n ...: letters of the generated English, each row from the beginning of a text.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/random.hpp"
#include "data.hpp"
#include "tasks/english/english.hpp"

namespace ropewalk::experiments {
namespace {

class Characters : public Data {
 public:
  explicit Characters(std::uint64_t seed) : random_(Random(seed).fork(stream)) {
    std::set<char> all = {' ', '\n'};
    for (const std::string_view word : english_.words()) all.insert(word.begin(), word.end());
    for (const char each : all) id_of_[static_cast<unsigned char>(each)] = static_cast<std::int32_t>(++size_);
    // The likeliest letter of all, for whoever sees nothing.
    const Rows rows = make(Split::validation, 1000, 64, 256);
    std::array<std::size_t, 256> counts{};
    for (const std::int32_t id : rows.labels) ++counts[static_cast<std::size_t>(id)];
    chance_ =
        static_cast<double>(*std::ranges::max_element(counts)) / static_cast<double>(rows.labels.size());
  }

  Objective objective() const override { return Objective::causal_language_model; }
  std::size_t vocab_size() const override { return size_ + 1; }  // id 0 is padding
  double chance() const override { return chance_; }
  Rows make(Split split, std::uint64_t index, std::size_t count, std::size_t length) const override {
    Rows rows;
    rows.count = count, rows.length = length;
    const Random batch = random_.fork(static_cast<std::uint64_t>(split)).fork(index);
    std::vector<int> words;
    for (std::size_t row = 0; row < count; ++row) {
      Random random = batch.fork(row);
      std::string text = "\n";
      while (text.size() <= length) {
        english_.sample(random, words);
        for (std::size_t i = 0; i < words.size(); ++i) {
          if (i > 0) text += ' ';
          text += english_.words()[static_cast<std::size_t>(words[i])];
        }
        text += '\n';
      }
      for (std::size_t i = 0; i < length; ++i) {
        rows.ids.push_back(id_of_[static_cast<unsigned char>(text[i])]);
        rows.labels.push_back(id_of_[static_cast<unsigned char>(text[i + 1])]);
      }
    }
    return rows;
  }

 private:
  static constexpr std::uint64_t stream = 41;
  trainer::English english_;
  Random random_;
  std::array<std::int32_t, 256> id_of_{};
  std::size_t size_ = 0;
  double chance_ = 0;
};

}  // namespace

std::unique_ptr<Data> make_characters(std::uint64_t seed) { return std::make_unique<Characters>(seed); }

}  // namespace ropewalk::experiments
