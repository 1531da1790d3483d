// The table of words: one sense a line, its forms, and after the colon the classes it goes with. It makes
//
//   sailor sailors he him his, letter letters it them, read reads, a brave queen, some fresh water ...
#include "tasks/english/lexicon.hpp"

#include "tasks/english/text_reader.hpp"

namespace ropewalk::trainer::english {
namespace {

// Columns: person and name: pronoun, singular, plural. thing: singular, plural or `-`. place: preposition,
// name. Verbs: past, base, third person, participle, then for `give` what the receiver did, for `need` the
// state.
constexpr std::string_view table = R"(
person she captain captains : sea worker
person he sailor sailors : sea worker
person she pilot pilots : sea worker
person she cook cooks : kitchen worker
person he baker bakers : kitchen worker
person he farmer farmers : kitchen worker
person she smith smiths : craft worker
person he carpenter carpenters : craft worker
person she weaver weavers : craft worker
person she painter painters : craft worker
person he teacher teachers : letters worker
person she poet poets : letters worker
person he doctor doctors : letters worker
person he merchant merchants : letters worker
person she singer singers : music worker
person he king kings :
person she queen queens :
person he boy boys :
person she girl girls :
person he uncle uncles :
person she aunt aunts :
name she anna
name she clara
name she rosa
name she nora
name he tom
name he hugo
name he peter
name he paul
animal dog
animal cat
animal horse
animal gull
thing rope ropes : gift mend cut long common made
thing net nets : gift mend cut common made
thing oar oars : gift mend wood long common made
thing lamp lamps : gift light metal bright common made
thing candle candles : gift small light bright common made
thing fire - : light bright
thing box boxes : gift open build paint wood holder common made
thing chest chests : gift open build paint wood holder common made
thing basket baskets : gift mend holder common made
thing bag bags : gift open mend holder common made
thing bottle bottles : gift open holder common made
thing letter letters : gift small read write long made
thing book books : gift read write long common made
thing map maps : gift small read write made
thing story stories : read write long made
thing song songs : write sing long made
thing tune tunes : play sing long made
thing key keys : gift small metal common made
thing coin coins : gift small metal common made
thing ring rings : gift small metal wear made
thing knife knives : gift small metal sharp wash common made
thing cup cups : gift small metal wash common made
thing bell bells : gift metal loud play common made
thing drum drums : gift loud play mend common made
thing flute flutes : gift small wood loud play made
thing hat hats : gift wear wool wash common made
thing coat coats : gift wear wool wash mend made
thing shirt shirts : gift wear wool wash mend made
thing apple apples : gift small eat cut food
thing orange oranges : gift small eat cut food
thing egg eggs : gift small eat boil food
thing fish - : gift eat boil catch food
thing crab crabs : gift eat boil catch food
thing bread - : mass gift eat cut bake food
thing cake cakes : gift eat cut bake food
thing cheese - : mass gift eat cut food
thing soup - : mass eat boil food
thing water - : mass drink boil
thing milk - : mass drink boil food
thing tea - : mass drink boil
thing wine - : mass drink food
thing boat boats : sail build paint mend wood common made
thing ship ships : sail build paint mend wood common made
thing door doors : open paint build wood made
thing window windows : open paint wash made
place at harbour
place on beach
place on island
place at lighthouse
place on deck
place in cabin
place in kitchen
place in cellar
place at market
place in shop
place at school
place in castle
place in village
place on bridge
place at river
place in forest
place in garden
trait old
trait young
trait tall
trait brave
trait kind
trait clever
trait honest
trait strong
mood tired
mood happy
mood sad
mood angry
mood late
mood ready
mood afraid
quality old : made
quality new : made
quality heavy : holder metal sail wood
quality broken : mend
quality golden : metal
quality wooden : wood
quality woollen : wool
quality warm : wool bake boil
quality long : long
quality bright : bright
quality loud : loud
quality sharp : sharp
quality empty : holder
quality fresh : food drink
quality sweet : food
colour red
colour blue
colour green
colour black
colour white
give gave give gives given got
give sold sell sells sold bought
give sent send sends sent got
give handed hand hands handed took
give lent lend lends lent borrowed
give brought bring brings brought got
show showed show shows shown
show offered offer offers offered
take took take takes taken
take bought buy buys bought
take borrowed borrow borrows borrowed
take stole steal steals stolen
meet helped help helps helped
meet saw see sees seen
meet followed follow follows followed
meet called call calls called
meet heard hear hears heard
meet visited visit visits visited
meet taught teach teaches taught
meet found find finds found
meet watched watch watches watched
meet thanked thank thanks thanked
use read read reads read : read letters
use wrote write writes written : write letters
use ate eat eats eaten : eat kitchen
use drank drink drinks drunk : drink
use opened open opens opened : open
use mended mend mends mended : mend craft
use lit light lights lit : light
use played play plays played : play music
use sang sing sings sung : sing music
use sailed sail sails sailed : sail sea
use built build builds built : build craft
use painted paint paints painted : paint craft
use baked bake bakes baked : bake kitchen
use cut cut cuts cut : cut kitchen
use caught catch catches caught : catch sea
use washed wash washes washed : wash
use wore wear wears worn : wear
use carried carry carries carried : gift
use lost lose loses lost : gift
use hid hide hides hidden : gift
need ate eat - eaten hungry : eat
need drank drink - drunk thirsty : drink
need wore wear - worn cold : wear
need read read - read bored : read
order asked
order told
order ordered
go went go goes
go walked walk walks
go ran run runs
go came come comes
do slept sleep sleeps
do laughed laugh laughs
do waited wait waits
do danced dance dances
do swam swim swims
do smiled smile smiles
do fell fall falls
do worked work works
chase chased - - chased
chase followed - - followed
chase heard - - heard
chase watched - - watched
comparison older younger oldest
comparison younger older youngest
comparison taller shorter tallest
comparison shorter taller shortest
comparison stronger weaker strongest
comparison weaker stronger weakest
comparison faster slower fastest
comparison slower faster slowest
order_word before after
order_word after before
side above below
side below above
compass north south
compass south north
compass east west
compass west east
count three two four
count four three five
count five four six
day yesterday
day today
soon tomorrow
soon soon
)";

constexpr std::array<std::string_view, form_count> singular_he = {"",    "",    "he", "him",
                                                                  "his", "was", "is", "has"};
constexpr std::array<std::string_view, form_count> singular_she = {"",    "",    "she", "her",
                                                                   "her", "was", "is",  "has"};
constexpr std::array<std::string_view, form_count> singular_it = {"",    "",    "it", "it",
                                                                  "its", "was", "is", "has"};
constexpr std::array<std::string_view, form_count> plural_they = {"",      "",     "they", "them",
                                                                  "their", "were", "are",  "have"};

bool starts_with_vowel_sound(std::string_view word) {
  return word == "honest" || std::string_view("aeiou").find(word.front()) != std::string_view::npos;
}

bool is_noun(std::string_view kind) {
  return kind == "person" || kind == "name" || kind == "animal" || kind == "thing" || kind == "place";
}

}  // namespace

int form_index(std::string_view name) {
  struct Named {
    std::string_view name;
    int index;
  };
  constexpr Named names[] = {{"", 0},     {"one", 1},     {"he", 2},   {"him", 3},  {"his", 4}, {"was", 5},
                             {"is", 6},   {"has", 7},     {"at", 8},   {"base", 1}, {"s", 2},   {"done", 3},
                             {"back", 4}, {"inverse", 1}, {"most", 2}, {"less", 1}, {"more", 2}};
  for (const Named& named : names) {
    if (named.name == name) return named.index;
  }
  return -1;
}

std::uint64_t Lexicon::class_bit(std::string_view name) const {
  for (std::size_t i = 0; i < class_names.size(); ++i) {
    if (class_names[i] == name) return std::uint64_t{1} << i;
  }
  return 0;
}

Lexicon::Lexicon() {
  // The two determiners are drawn like any other word, so that the choice between them is scored like any
  // other.
  entries.push_back({.kind = "determiner", .forms = {"the"}, .lemma = 0, .weight = 3});
  entries.push_back({.kind = "determiner", .forms = {"a"}, .lemma = 1, .weight = 2});
  int lemma = 2;
  for (TextReader lines(table, '\n'); !lines.done(); ++lemma) {
    const std::string_view line = lines.next();
    const std::size_t colon = line.find(" :");
    TextReader words(line.substr(0, colon), ' ');
    Entry entry;
    entry.kind = words.next();
    entry.lemma = lemma;
    if (colon != std::string_view::npos) {
      for (TextReader classes(line.substr(colon + 2), ' '); !classes.done();) {
        const std::string_view name = classes.next();
        if (class_bit(name) == 0) class_names.push_back(name);
        entry.classes |= class_bit(name);
      }
    }
    if (!is_noun(entry.kind)) {
      for (int form = 0; !words.done(); ++form) {
        const std::string_view word = words.next();
        if (word != "-") entry.forms[form] = word;
      }
      entry.vowel = starts_with_vowel_sound(entry.forms[0]);
      entries.push_back(entry);
      continue;
    }
    entry.forms = singular_it;
    if (entry.kind == "person" || entry.kind == "name") {
      entry.forms = words.next() == "he" ? singular_he : singular_she;
    }
    if (entry.kind == "place") entry.forms[form_index("at")] = words.next();
    entry.forms[0] = entry.forms[form_index("one")] = words.next();
    entry.vowel = starts_with_vowel_sound(entry.forms[0]);
    entry.some = (entry.classes & class_bit("mass")) != 0;
    entries.push_back(entry);
    const std::string_view plural = words.next();
    if (plural.empty() || plural == "-") continue;
    const std::string_view one = entry.forms[0];
    entry.forms = plural_they;
    entry.forms[0] = plural;
    entry.forms[form_index("one")] = one;
    entry.plural = entry.some = true;
    entries.push_back(entry);
  }
}

}  // namespace ropewalk::trainer::english
