// The grammar: families of texts, each a first part (what happened) and a second (what follows from it).
//
//   the captain gave the rope to the sailor . now the sailor has the rope .
//   the kings who the girl saw were tired . who was late ? the girl .
//
// A family is a line `* weight name`, its slots, its first parts `=` and its second parts `+` (a number after
// the sign is a weight; a family without `+` has whole texts). Every first part is followed by every second.
//
//   A:person|name    slot A: seven in ten a person, three in ten a name. Nouns and verbs of overlapping slots
//                    are always different ones.
//   T:thing/gift     only of class gift;  T:thing* singular or plural, T:thing+ plural
//   Q:quality(T)     shares a class with T: goes with it
//   .                one text in ten lacks its last stop, as when someone types in a hurry
//   A  A.he  V.done  the slot's word, or another form of it;  V.s/A: V in the present tense agreeing with A
//   {A}              the captain, or anna;  {~A} the or a captain;  {%A} a captain, some water
//   {~FA}  {~F?A}    with the adjective F, or with it three times in ten
#include "tasks/english/grammar_text.hpp"

namespace ropewalk::trainer::english {

const std::string_view grammar_text = R"(
* 9 give
: A:person|name B:person|name T:thing/gift V:give Q:quality(T) F:trait L:place
=3 {~F?A} V {~Q?T} to {~B} .
=2 {~A} V {~B} {~Q?T} .
= {~Q?T} was V.done to {B} by {~F?A} .
= {~B} was V.done {~T} by {~F?A} .
= it was {A} who V {~T} to {B} .
+
+2 now {B} has {T} .
+2 {B} thanked {A} .
+ {A} no longer has {T} .
+2 {B} V.back T.him from {A} .
+2 who has {T} now ? {B} .
+2 who V {T} ? {A} .
+ then B.he thanked A.him .
+2 then {B} carried T.him to the L .
+ {B} was happy and thanked A.him .

* 5 take
: A:person|name B:person|name T:thing/gift V:take Q:quality(T) F:trait L:place
=3 {~F?A} V {~Q?T} from {~B} .
= {~Q?T} was V.done from {B} by {~A} .
= it was {A} who V {~T} from {B} .
+
+2 now {A} has {T} .
+ {B} no longer has {T} .
+ who had {T} first ? {B} .
+2 who has {T} now ? {A} .
+2 then {A} carried T.him to the L .
+ B.he saw that A.he had T.him .

* 3 show
: A:person|name B:person|name T:thing/gift V:show Q:quality(T) F:trait
=2 {~F?A} V {~Q?T} to {~B} .
= {~Q?T} was V.done to {B} by {~A} .
+
+2 {A} still has {T} .
+ who has {T} now ? {A} .
+2 {B} wanted to buy T.him from A.him .
+ then {B} bought T.him . now {B} has {T} .

* 6 meet
: A:person|name B:person|name V:meet F:trait G:trait L:place M:mood
=3 {~F?A} V {~G?B} L.at the L .
=2 {~B} was V.done by {~F?A} L.at the L .
= it was {B} who {A} V L.at the L .
= it was {A} who V {B} L.at the L .
+
+2 who V {B} ? {A} .
+2 who did {A} V.base ? {B} .
+2 {B} was M , but {A} was not .
+ A.he was M when A.he V B.him .
+ then {A} went home and {B} slept there .

* 9 relative
: A:person* B:person* V:meet W:do S:go M:mood N:mood F:trait L:place
=2 the A who V {F?B} A.was M . who B.was N ? the B .
=2 the A who {F?B} V A.was M . who B.was N ? the B .
=3 the A who V the B A.was M .
=3 the A who the B V A.was M .
=2 {F?A} who V the B W . A.he A.was M .
=2 {F?A} who the B V W . A.he A.was M .
=2 the B who the A V S to the L . who A.was M ? the A .
=2 the B V the A who W . who W ? the A .
= the A who V the B A.is M now , but the B B.is not .
= the A who the B V A.is M now , but the B B.is not .

* 6 relative_give
: A:person B:person T:thing/gift V:give M:mood L:place S:go
=2 the A who V {~T} to the B S to the L .
=2 the B who the A V {~T} to S to the L .
=2 {~T} that the A V to the B was L.at the L .
= the A who was V.done {~T} by the B S to the L .
+
+2 who V {T} ? the A .
+ the A and the B were M .

* 4 relative_help
: A:person B:person V:meet T:thing/gift L:place M:mood Q:quality(T)
=2 the A who V the B carried {~Q?T} to the L .
=2 the A who the B V carried {~Q?T} to the L .
= the B V the A who carried {~Q?T} to the L .
+2 A.he left T.him there .
+ who carried {T} ? the A .
+ now {T} is L.at the L and the A is M .
+ then the B found T.him there .

* 9 use
: V:use A:person*|name T:thing(V) Q:quality(T) F:trait L:place D:day B:person
=4 {~F?A} V {~Q?T} L.at the L .
=3 {~Q?T} was V.done by {~F?A} .
=2 D {A} V {~Q?T} L.at the L .
= it was {A} who V {~Q?T} .
+2
+ who V {T} ? {A} .
+ what did {A} V.base ? {T} .
+ A.he did it L.at the L .
+ the B saw A.him there .
+ {T} belongs to the B .

* 7 tense
: V:use A:person*|name T:thing(V) Q:quality(T) F:trait L:place D:day S:soon
=3 every day {~F?A} V.s/A {~Q?T} .
=3 S {~F?A} will V.base {~Q?T} .
=2 D {~F?A} V {~Q?T} .
= A.his friend V.s {~T} every day .
= D {A} V {~T} , and S A.he will V.base T.him again .
= {A} will V.base {~Q?T} , as A.he V T.him D .

* 5 trade
: A:person*/worker V:use(A) T:thing(V) Q:quality(T) F:trait L:place
=3 {F?A} V {%Q?T} L.at the L .
=2 the A often V.s/A {%Q?T} .
=2 {%Q?T} was V.done by {F?A} .
+2
+ A.he often V.s/A T.him .
+ what did the A V.base ? {%T} .

* 6 motion
: A:person|name B:person|name L:place M:place S:go F:trait
=3 {~F?A} S from the L to the M .
=2 first {~A} S to the L , then A.he S to the M .
=2 {~A} S to the M after A.he was L.at the L .
=2 {~A} was L.at the L before A.he S to the M .
=2 before A.he S to the M , {A} was L.at the L .
+
+2 now {A} is M.at the M .
+2 where is {A} now ? M.at the M .
+2 A.he is no longer L.at the L .
+ {B} is still L.at the L .
+ {B} waited for A.him M.at the M .

* 5 control
: A:person|name B:person|name U:use T:thing(U) O:order Q:quality(T)
=3 {~A} O {~B} to U.base {~Q?T} . then {B} U T.him .
=3 {~A} promised {~B} to U.base {~Q?T} . then {A} U T.him .
=2 {A} O {B} to U.base {~Q?T} . who U T.him ? {B} .
=2 {A} promised {B} to U.base {~Q?T} . who U T.him ? {A} .
= {B} was asked by {A} to U.base {~T} , so B.he U T.him .

* 6 comparison
: A:person|name B:person|name C:comparison E:person F:person D:person
=3 {A} is C than {B} . {B} is C.inverse than {A} .
=2 {A} is C than {B} . who is C ? {A} .
=2 {A} is C than {B} . who is C.inverse ? {B} .
=2 the E is C than the F and the F is C than the D . who is the C.most ? the E .
=2 the E is C than the F and the F is C than the D . the E is C than the D .

* 6 two_events
: V:use W:use A:person|name B:person|name T:thing(V) U:thing(W) X:order_word
=3 {A} V {~T} and {B} W {~U} .
=2 {A} V {~T} , but {B} W {~U} .
=2 {A} V {~T} X {B} W {~U} .
+2 who V {T} ? {A} .
+2 who W {U} ? {B} .
+2 what did {A} V.base ? {T} .
+2 what did {B} W.base ? {U} .

* 3 order
: A:person|name B:person|name V:do W:do
=2 {~A} V before {~B} W . who was first ? {A} .
=2 {~A} V after {~B} W . who was first ? {B} .
= {A} V before {B} W , so {B} W after {A} V .
= {A} V after {B} W , so {B} W before {A} V .
= {A} and {B} V , but then {A} W .

* 3 negation
: A:person|name B:person|name V:use T:thing(V) Q:quality(T)
=3 {A} did not V.base {~Q?T} , but {B} did .
=2 {A} V {~Q?T} , but {B} did not .
+
+ so {B} V {T} , not {A} .

* 4 answer
: A:person|name B:person|name V:use T:thing(V) Q:quality(T)
=3 {A} did not V.base {~Q?T} , but {B} did . who V T.him ? {B} .
=3 {A} V {~Q?T} , but {B} did not . who V T.him ? {A} .

* 4 need
: N:need A:person*|name T:thing(N) Q:quality(T) F:trait
=3 {~F?A} A.was N.back , so A.he N {~Q?T} .
=2 {~F?A} N {%Q?T} because A.he A.was N.back .
=2 {A} A.is N.back and will N.base {%T} .
= when A.he A.is N.back , {A} will N.base {%Q?T} .

* 6 feeling
: A:person|name B:person|name V:give W:take T:thing/gift Q:quality(T)
=3 {A} was happy because {B} V A.him {~Q?T} . now {A} has T.him .
=2 {A} was sad because {B} W A.his T . now {B} has T.him .
=2 because {B} W A.his T , {A} was angry .
=2 {B} was sad because B.he V {~T} to {A} .
= {B} was happy because B.he W {~T} from {A} .

* 4 count
: K:count A:person|name B:person|name T:thing+/common
=2 {A} had K T and gave one to {B} . now A.he has K.less .
=2 {A} had K T and got one from {B} . now A.he has K.more .
=2 {A} had K T . {B} took one T.one , so now there are K.less .
= {A} had K T . {B} brought one T.one , so now there are K.more .
=2 {B} gave one T.one to {A} , who had K before . A.he has K.more now .

* 4 swap
: A:person|name B:person|name T:thing/gift U:thing/gift
=3 {A} had {~T} and {B} had {~U} . they changed .
=2 {A} gave {~T} to {B} for {~U} .
+2 now {A} has {U} .
+2 now {B} has {T} .
+ who has {T} now ? {B} .
+ who has {U} now ? {A} .

* 4 tell
: A:person|name B:person|name C:person V:use T:thing(V) W:do
=2 {A} told {B} that the C V {~T} .
= {A} heard from {B} that the C V {~T} .
+2 who V {T} ? the C .
+ now {B} and {A} know that the C V T.him .

* 4 inside
: T:thing/small C:thing/holder L:place A:person
=2 the A put {~T} in {~C} and left {C} L.at the L .
= {~T} is in {~C} , and {C} is L.at the L .
+2 where is {T} ? in {C} .
+2 where is {C} ? L.at the L .
+ so {T} is L.at the L .

* 4 place
: T:thing/common U:thing/common X:side L:place M:place Y:compass
=2 {~T} is X {~U} . {U} is X.inverse {T} .
=2 {~T} is X {~U} . what is X.inverse {T} ? {U} .
=3 the L is Y of the M . the M is Y.inverse of the L .
=2 the L is Y of the M . what is Y.inverse of the L ? the M .

* 4 colour
: T:thing/common U:thing/common C:colour E:colour A:person|name
=2 {T} is C and {U} is E .
= A.his T is C , but A.his U is E .
= {A} has {%CT} and {%EU} .
+ what is C ? {T} .
+ what is E ? {U} .
+ so {U} is E .

* 4 agreement
: T:thing*/common U:thing*/common L:place Q:quality(T) C:colour A:person|name
=3 the T near the U T.is Q , but the U U.is not .
=2 the T L.at the L T.is C .
=2 there T.is {%Q?T} L.at the L . T.he T.is C .
=2 {A} has {~Q?T} . T.he T.is in the L .
= A.his T T.was near the U . T.he T.was Q .

* 3 animals
: E:animal H:animal V:chase A:person|name L:place M:mood
=3 the E V the H L.at the L .
=2 the H was V.done by the E L.at the L .
+2 the H ran away and the E came back .
+ the H was M , but the E was not .
+2 then {A} took the H home .
= the E that V the H belongs to {A} . the H does not .
= the E that the H V belongs to {A} . the H does not .

* 2 together
: A:person|name B:person|name S:go L:place V:do M:mood T:thing/gift W:give C:person
=2 {A} and {B} S to the L . they V there .
=2 {A} and {B} W {~T} to the C . the C thanked them .
= {A} and {B} were M , but the C was not .
= the C W {~T} to {A} and {B} . they have T.him now .
)";

}  // namespace ropewalk::trainer::english
