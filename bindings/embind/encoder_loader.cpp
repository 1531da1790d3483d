// Encoders from files that arrive in pieces.

#include "encoder_model.hpp"
#include "loading.hpp"
#include "threads.hpp"

namespace {

using Loading = ropewalk::embind::Loading<ropewalk::EncoderLoader, ropewalk::embind::EncoderModel>;

/// For so many files of weights. null when the configuration is refused.
Loading* make_encoder_loader(std::uintptr_t config, std::size_t config_size, std::size_t files,
                             int precision) {
  using namespace ropewalk;
  if (!embind::have_memory(embind::lists_of_a_model + 4 * config_size)) return nullptr;
  return Loading::make(EncoderLoader::make(embind::text_at(config, config_size), files,
                                           static_cast<Precision>(precision), embind::threads()));
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_encoder_loader) {
  Loading::bind("EncoderLoader");
  emscripten::function("makeEncoderLoader(config, configSize, files, precision)", &make_encoder_loader,
                       emscripten::return_value_policy::take_ownership());
}
