// Calls of ropewalk.h and ropewalk_models.h in any order, with null pointers, counts that fit nothing and handles of
// other calls: each answers a status that its error repeats, and a call that fails writes nothing. Arrays are as long as
// the call says, so that a read or a write beyond them is seen.

#include "c_models.hpp"
#include "c_rotation.hpp"

namespace {

using namespace ropewalk::fuzz::c;
using ropewalk::fuzz::Numbers;
using ropewalk::fuzz::require;

void destroy(Numbers& numbers, State& state) {
  switch (numbers.whole(0, 3)) {
    case 0:
      return state.ropes.remove(numbers);
    case 1:
      return state.encoders.remove(numbers);
    case 2:
      return state.decoders.remove(numbers);
    default:
      return state.caches.remove(numbers);
  }
}

void choose_architecture(Numbers& numbers) {
  const char* const names[] = {"sse2", "avx2", "avx512", "", "mmx", nullptr};
  succeeded(ropewalk_use_architecture(names[numbers.whole(0, 5)]), "use_architecture");
  require(*ropewalk_architecture() != '\0', "an instruction set is in use");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr int most_calls = 64;
  Numbers numbers(data, size);
  State state;
  for (int call = 0; call < most_calls && !numbers.ended(); ++call) {
    switch (numbers.whole(0, 15)) {
      case 0:
        make_rope(numbers, state);
        break;
      case 1:
        describe_rope(numbers, state);
        break;
      case 2:
      case 3:
        rotate(numbers, state);
        break;
      case 4:
        table(numbers, state);
        break;
      case 5:
        rotate_by(numbers);
        break;
      case 6:
        convert(numbers);
        break;
      case 7:
        make_encoder(numbers, state);
        break;
      case 8:
        set_sentence(numbers, state);
        break;
      case 9:
        forward(numbers, state);
        break;
      case 10:
        describe_encoder(numbers, state);
        break;
      case 11:
        make_decoder(numbers, state);
        break;
      case 12:
        make_cache(numbers, state);
        break;
      case 13:
        feed(numbers, state);
        break;
      case 14:
        change_cache(numbers, state);
        break;
      default:
        if (numbers.flag())
          save(numbers, state);
        else if (numbers.flag())
          choose_architecture(numbers);
        else
          destroy(numbers, state);
    }
  }
  return 0;
}
