// Frames: kinds of events, each with many ways to say it.
//
//   the captain gave the rope to the sailor .      it was the rope that the sailor was given by the captain
//   the seaman got the rope from the captain       the sailor met the captain . she gave him the rope
//
// A frame is a line `* weight name`, its slots, the slots that may change places for a neighbour (`~`: the same words,
// another meaning), and its phrasings:
//
//   =  learned in training                     !  held out: training has no text of this form
//   =* !*  only where the pronouns of A and B differ, so that `he` and `she` tell who is who
//
//   A:person|name    slot A: a person or a name;  T:thing/gift  of class gift;  T:thing(V)  shares a class with V
//   {A}              the captain, or anna; a thing is `the rope` or `a rope`
//   A.he  V.done     the slot's word, or another form of it
#include "frames.hpp"

namespace ropewalk::train {

const std::string_view paraphrase_frames = R"(
* 10 give
: A:person|name B:person|name T:thing/gift V:transfer
~ AB
= {A} V {T} to {B}
= {A} V {B} {T}
= {T} was V.done to {B} by {A}
= {B} was V.done {T} by {A}
= it was {A} who V {T} to {B}
= it was to {B} that {A} V {T}
= {B} V.back {T} from {A}
= {A} had {T} and V it to {B}
= {A} met {B} and V B.him {T}
= {B} came to {A} , who V B.him {T}
= what {A} V to {B} was {T}
=* {A} saw {B} . A.he V B.him {T}
=* {B} was with {A} when A.he V B.him {T}
! {T} was what {A} V {B}
! it was {T} that {B} was V.done by {A}
! {B} wanted {T} , so {A} V it to B.him
!* {B} met {A} . A.he V {T} to B.him

* 6 take
: A:person|name B:person|name T:thing/gift V:seize
~ AB
= {A} V {T} from {B}
= {T} was V.done from {B} by {A}
= it was {A} who V {T} from {B}
= it was from {B} that {A} V {T}
= {B} had {T} until {A} V it
= {A} went to {B} and V {T} from B.him
= {T} of {B} was V.done by {A}
= {A} V {T} that {B} had
= {B} lost {T} when {A} V it
=* {A} saw {B} . A.he V {T} from B.him
! what {A} V from {B} was {T}
! {B} had {T} , but {A} V it from B.him
! it was {T} that was V.done from {B} by {A}
!* {B} met {A} . A.he V B.his T

* 10 meet
: A:person|name|animal B:person|name|animal V:meet
~ AB
= {A} V {B}
= {B} was V.done by {A}
= it was {A} who V {B}
= it was {B} who {A} V
= {B} was the one who {A} V
= {A} was the one who V {B}
= {A} came to {B} and V B.him
= what {A} did was to V.base {B}
= the one who was V.done by {A} was {B}
=* {A} came to {B} . A.he V B.him
=* {B} came to {A} . A.he V B.him
! it was {B} who was V.done by {A}
! the one who V {B} was {A}
! the one who {A} V was {B}
! {B} came to {A} and was V.done by A.him
!* when {B} came to {A} , A.he V B.him

* 8 use
: V:use A:person|name T:thing(V)
= {A} V {T}
= {T} was V.done by {A}
= it was {A} who V {T}
= it was {T} that {A} V
= what {A} V was {T}
= {A} found {T} and V it
= {A} took {T} . A.he V it
= {A} wanted to V.base {T} and did
= the one who V {T} was {A}
! {T} was what {A} V
! it was {T} that was V.done by {A}
! {A} had {T} , which A.he V
! {A} was the one who V {T}

* 6 use_at
: V:use A:person|name T:thing(V) L:place
= {A} V {T} L.at {L}
= L.at {L} , {A} V {T}
= {T} was V.done by {A} L.at {L}
= it was L.at {L} that {A} V {T}
= {A} went to {L} and V {T} there
= {A} was L.at {L} , where A.he V {T}
= {A} took {T} to {L} and V it there
= it was {A} who V {T} L.at {L}
= {A} came to {L} . A.he V {T}
! {A} was L.at {L} when A.he V {T}
! L.at {L} , {T} was V.done by {A}
! {L} was where {A} V {T}
! {A} took {T} to {L} . there A.he V it

* 8 motion
: A:person|name|animal L:place M:place S:travel
~ LM
= {A} S from {L} to {M}
= {A} S to {M} from {L}
= from {L} , {A} S to {M}
= {A} left {L} and S to {M}
= {A} was L.at {L} . then A.he S to {M}
= before A.he S to {M} , {A} was L.at {L}
= {A} S to {M} after A.he left {L}
= it was {A} who S from {L} to {M}
= it was to {M} that {A} S from {L}
! {A} was L.at {L} before A.he S to {M}
! to {M} {A} S from {L}
! after {A} left {L} , A.he S to {M}
! first {A} was L.at {L} , then A.he S to {M}

* 6 comparison
: A:person|name B:person|name C:compare
~ AB
= {A} is C than {B}
= {B} is C.inverse than {A}
= of {A} and {B} , {A} is C
= of {A} and {B} , {B} is C.inverse
= of {B} and {A} , {A} is C
= it is {A} who is C than {B}
= next to {A} , {B} is C.inverse
= {A} is C , {B} is C.inverse
= the C one of {A} and {B} is {A}
! it is {B} who is C.inverse than {A}
! next to {B} , {A} is C
! {A} , not {B} , is the C one
! the C.inverse one of {A} and {B} is {B}
! of {B} and {A} , {B} is C.inverse

* 4 position
: T:thing/common U:thing/common X:height
~ TU
= {T} is X {U}
= {U} is X.inverse {T}
= X {U} is {T}
= X.inverse {T} is {U}
= it is {T} that is X {U}
= what is X.inverse {T} is {U}
= there is {T} X {U}
! it is {U} that is X.inverse {T}
! what is X {U} is {T}
! there is {U} X.inverse {T}

* 4 compass
: L:place M:place Y:direction
~ LM
= {L} is Y of {M}
= {M} is Y.inverse of {L}
= Y of {M} is {L}
= it is {L} that is Y of {M}
= what is Y.inverse of {L} is {M}
= from {M} one goes Y to {L}
! Y.inverse of {L} is {M}
! it is {M} that is Y.inverse of {L}
! what is Y of {M} is {L}
! from {L} one goes Y.inverse to {M}

* 5 ask
: A:person|name B:person|name U:use T:thing(U) O:demand
~ AB
= {A} O {B} to U.base {T}
= {B} was O by {A} to U.base {T}
= it was {A} who O {B} to U.base {T}
= {A} came to {B} and O B.him to U.base {T}
= {A} O that {B} should U.base {T}
= {B} had to U.base {T} , as {A} O
= what {A} O {B} was to U.base {T}
! {T} was what {A} O {B} to U.base
! it was {B} who {A} O to U.base {T}
! {A} O that {T} should be U.done by {B}

* 3 promise
: A:person|name B:person|name U:use T:thing(U)
~ AB
= {A} promised {B} to U.base {T}
= {A} promised {B} that A.he would U.base {T}
= it was {A} who promised {B} to U.base {T}
= {A} came to {B} and promised to U.base {T}
= to U.base {T} was what {A} promised {B}
= {B} heard {A} promise to U.base {T}
! what {A} promised {B} was to U.base {T}
! {A} made a promise to {B} . A.he would U.base {T}
! {B} was promised by {A} that {T} would be U.done

* 6 sequence
: A:person|name B:person|name V:act W:act
~ AB VW
= {A} V before {B} W
= {B} W after {A} V
= before {B} W , {A} V
= after {A} V , {B} W
= first {A} V , then {B} W
= {A} V and then {B} W
= {B} did not W.base until {A} V
! {A} V first , and {B} W later
! {B} W when {A} had V.done
! {B} W . before that {A} V

* 5 trade
: A:person|name B:person|name T:thing/gift U:thing/gift
~ AB TU
= {A} gave {T} to {B} for {U}
= {B} gave {U} to {A} for {T}
= {A} got {U} from {B} for {T}
= {B} got {T} from {A} for {U}
= {A} gave {B} {T} and got {U}
= {B} gave {A} {U} and got {T}
= for {U} , {A} gave {T} to {B}
! for {T} , {A} got {U} from {B}
! {B} gave {U} and got {T} from {A}
! {T} went from {A} to {B} , and {U} from {B} to {A}

* 3 inside
: T:thing/small C:thing/holder
= {T} is in {C}
= {C} holds {T}
= in {C} is {T}
= there is {T} in {C}
= what {C} holds is {T}
= {T} was put in {C}
! what is in {C} is {T}
! it is {T} that {C} holds
! {C} is where {T} is

* 6 feeling
: A:person|name B:person|name V:meet M:mood
~ AB
= {A} was M because {B} V A.him
= because {B} V A.him , {A} was M
= {B} V {A} , so A.he was M
= {A} , who was V.done by {B} , was M
= {A} , who {B} V , was M
= that {B} V A.him made {A} M
=* {A} was M . {B} had V.done A.him
! {A} was V.done by {B} and was M
! {B} made {A} M , for B.he V A.him
!* {B} V {A} . A.he was M then
)";

// As the table of tasks/english/lexicon.cpp: the kind, then past, base, third person, participle and what the receiver
// did; for pairs, the inverse.
const std::string_view paraphrase_senses = R"(
transfer gave give gives given got
transfer sold sell sells sold bought
transfer lent lend lends lent borrowed
transfer sent send sends sent -
transfer handed hand hands handed -
transfer brought bring brings brought -
transfer showed show shows shown -
transfer offered offer offers offered -
seize took take takes taken
seize stole steal steals stolen
seize hid hide hides hidden
travel went go goes gone
travel ran run runs run
travel sailed sail sails sailed
travel danced dance dances danced
compare older younger
compare taller shorter
compare stronger weaker
compare faster slower
height above below
direction north south
direction east west
demand asked
demand ordered
act slept sleep sleeps slept
act laughed laugh laughs laughed
act waited wait waits waited
act swam swim swims swum
act smiled smile smiles smiled
act fell fall falls fallen
act worked work works worked
act sang sing sings sung
)";

// Each word of a line may stand for the first. Every second time one does.
const std::string_view paraphrase_synonyms = R"(
sailor seaman mariner
captain skipper
doctor physician
boy lad
girl lass
king ruler
merchant trader
teacher tutor
carpenter joiner
farmer peasant
singer vocalist
painter artist
poet bard
pilot navigator
dog hound
cat kitten
horse pony
rope line
net mesh
lamp lantern
box crate
chest trunk
bag sack
bottle flask
letter note
book volume
map chart
story tale
tune melody
knife blade
cup mug
flute pipe
coat jacket
boat dinghy
ship vessel
harbour port
beach shore
island isle
cabin hut
market fair
shop store
castle fortress
forest wood
helped assisted
help assist
saw noticed
see notice
seen noticed
found discovered
find discover
visited called_on
visit call_on
taught instructed
teach instruct
watched observed
watch observe
thanked praised
thank praise
mended repaired fixed
mend repair fix
opened unlocked
open unlock
built made constructed
build make construct
lost mislaid
lose mislay
caught trapped
catch trap
washed cleaned
wash clean
wrote penned
write pen
written penned
hid concealed
hide conceal
hidden concealed
went travelled
go travel
ran raced
got received
sent mailed
send mail
lent loaned
lend loan
offered proposed
showed presented
shown presented
asked begged
ordered commanded
slept rested
sleep rest
worked laboured
work labour
tired weary
happy glad
sad unhappy
angry furious
afraid scared
faster quicker
above over
below under
)";

}  // namespace ropewalk::train
