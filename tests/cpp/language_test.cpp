// The made-up language on sentences that were translated by hand. Words in capitals are its stems.

#include "translation/language.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "tasks/english/english.hpp"

namespace ropewalk::translation {
namespace language_test {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

struct Dictionary {
  trainer::English english;
  Language language{english.grammar().lexicon()};

  /// The translation as one text; "-" where there is none.
  std::string translation(const std::string& sentence) const {
    const std::vector<std::string> words = words_of(sentence);
    const auto found = language.translate(std::vector<std::string_view>(words.begin(), words.end()));
    return found ? joined(*found) : "-";
  }
  /// "KING ri" with the stem of king.
  std::string spelt(const std::string& gloss) const {
    std::vector<std::string> words = words_of(gloss);
    for (std::string& word : words) {
      if (std::isupper(static_cast<unsigned char>(word[0])) == 0) continue;
      for (char& each : word) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
      word = language.stem(word);
    }
    return joined(words);
  }
  /// The words of the class of a noun: in the singular and in the plural.
  std::string agreement(const std::string& noun, bool plural = false) const {
    for (const trainer::english::Entry& entry : english.grammar().lexicon().entries) {
      if (entry.forms[0] != noun) continue;
      const char* const words[3][2] = {{"ba", "zi"}, {"ka", "mi"}, {"lo", "ve"}};
      return words[entry.lemma % 3][plural ? 1 : 0];
    }
    return "?";
  }
  static std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
  }
};

TEST(Language, PutsTheVerbLast) {
  const Dictionary d;
  EXPECT_EQ(d.translation("the sailor gave the letter to anna"),
            d.spelt("SAILOR ANNA ni LETTER o GAVE ti " + d.agreement("sailor")));
  EXPECT_EQ(d.translation("clara walked from the harbour to the market"),
            d.spelt("CLARA HARBOUR ta MARKET ni WALKED ti " + d.agreement("clara")));
  EXPECT_EQ(d.translation("yesterday tom read some books at the school"),
            d.spelt("YESTERDAY TOM SCHOOL le BOOK ri un o READ ti " + d.agreement("tom")));
}

TEST(Language, AgreesInClassAndNumber) {
  const Dictionary d;
  EXPECT_EQ(d.translation("the old kings lost a red letter"),
            d.spelt("KING ri OLD " + d.agreement("kings", true) + " LETTER RED " + d.agreement("letter") +
                    " un o LOST ti " + d.agreement("kings", true)));
  // Three neighbours of the lexicon have the three classes.
  EXPECT_EQ((std::set<std::string>{d.agreement("captain"), d.agreement("sailor"), d.agreement("pilot")}),
            (std::set<std::string>{"ba", "ka", "lo"}));
}

TEST(Language, TellsPassivesAsWhatTheAgentDid) {
  const Dictionary d;
  const std::string active = d.translation("the queen gave the ring to paul");
  EXPECT_EQ(active, d.spelt("QUEEN PAUL ni RING o GAVE ti " + d.agreement("queen")));
  EXPECT_EQ(d.translation("the ring was given to paul by the queen"), active);
  EXPECT_EQ(d.translation("paul was given the ring by the queen"), active);
}

TEST(Language, PutsRelativeClausesBeforeTheirNoun) {
  const Dictionary d;
  const std::string sailor = d.agreement("sailor"), kings = d.agreement("kings", true);
  EXPECT_EQ(d.translation("the sailor who saw the kings was tired"),
            d.spelt("KING ri o SAW ti " + sailor + " ke SAILOR TIRED es ti " + sailor));
  EXPECT_EQ(d.translation("the sailor who the kings saw was tired"),
            d.spelt("KING ri SAW ti " + kings + " ke SAILOR TIRED es ti " + sailor));
  EXPECT_EQ(d.translation("the sailor who the kings gave a cup to went to the castle"),
            d.spelt("KING ri CUP un o GAVE ti " + kings + " ke SAILOR CASTLE ni WENT ti " + sailor));
  EXPECT_EQ(
      d.translation("a cup that the kings gave to the sailor was in the castle"),
      d.spelt("KING ri SAILOR ni GAVE ti " + kings + " ke CUP un CASTLE le es ti " + d.agreement("cup")));
}

TEST(Language, HasTensesNegationAndTwoClauses) {
  const Dictionary d;
  const std::string rosa = d.agreement("rosa"), hugo = d.agreement("hugo");
  EXPECT_EQ(d.translation("tomorrow rosa will open the door"),
            d.spelt("TOMORROW ROSA DOOR o OPENED fu " + rosa));
  EXPECT_EQ(d.translation("rosa did not open the door"), d.spelt("ROSA DOOR o na OPENED ti " + rosa));
  EXPECT_EQ(d.translation("rosa slept before hugo laughed"),
            d.spelt("HUGO LAUGHED ti " + hugo + " pel ROSA SLEPT ti " + rosa));
  EXPECT_EQ(d.translation("rosa slept , but hugo laughed"),
            d.spelt("ROSA SLEPT ti " + rosa + " da HUGO LAUGHED ti " + hugo));
}

TEST(Language, IsSilentAboutOtherForms) {
  const Dictionary d;
  for (const char* sentence : {"", "the", "the sailor", "who was late", "anna is taller than tom",
                               "the ring was given to paul", "the sailor slept the", "it was anna who slept"})
    EXPECT_EQ(d.translation(sentence), "-") << sentence;
}

TEST(Language, HasOneStemForEachWordAndTheSameEverywhere) {
  const Dictionary d;
  const auto words = d.language.words();
  EXPECT_EQ(std::set<std::string>(words.begin(), words.end()).size(), words.size());
  EXPECT_EQ(d.language.stem("captain"), "papa");
  EXPECT_EQ(d.language.stem("cook"), "bazi");
}

TEST(Language, TranslatesTwoFifthsOfFirstSentencesOfTheGeneratedEnglish) {
  const Dictionary d;
  const Random all(1);
  std::vector<int> text;
  std::size_t translated = 0;
  constexpr std::size_t count = 4000;
  for (std::size_t i = 0; i < count; ++i) {
    Random random = all.fork(i);
    d.english.sample(random, text);
    std::vector<std::string_view> sentence;
    for (const int word : text) {
      const std::string_view each = d.english.words()[static_cast<std::size_t>(word)];
      if (each == "." || each == "?") break;
      sentence.push_back(each);
    }
    translated += d.language.translate(sentence) ? 1 : 0;
  }
  EXPECT_GT(translated, 2 * count / 5);
}

}  // namespace language_test
}  // namespace ropewalk::translation
