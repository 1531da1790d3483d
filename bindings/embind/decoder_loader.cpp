// Decoders from files that arrive in pieces.

#include "loading.hpp"
#include "ropewalk/decoder.hpp"
#include "threads.hpp"

namespace {

using Loading = ropewalk::embind::Loading<ropewalk::DecoderLoader, ropewalk::Decoder>;

/// A context of 0 is not given. Without a configuration there is one file, in GGUF. null when something is refused.
Loading* make_decoder_loader(std::uintptr_t config, std::size_t config_size, std::size_t files, int precision,
                             std::size_t context, bool screen) {
  using namespace ropewalk;
  if (!embind::have_memory(embind::lists_of_a_model + 4 * config_size)) return nullptr;
  DecoderOptions options{
      .precision = static_cast<Precision>(precision), .screen = screen, .threads = embind::threads()};
  if (context != 0) options.context = context;
  if (config_size == 0) return Loading::make(DecoderLoader::make_gguf(options));
  return Loading::make(DecoderLoader::make(embind::text_at(config, config_size), files, options));
}

/// Between match and reserve. Makes the text: the metadata of a GGUF file about its vocabulary, arrays included.
int gguf_tokenizer(const Loading& loading) {
  namespace embind = ropewalk::embind;
  return embind::guarded([&] {
    ropewalk::Result<std::string> text = loading.loader.try_gguf_tokenizer();
    if (text.ok()) embind::answer(std::move(text).value());
    return text.status();
  });
}

/// How much is left; -1 when something is missing.
double prepare(Loading& loading) {
  namespace embind = ropewalk::embind;
  if (!embind::have_memory(embind::lists_of_a_model)) return -1;
  const ropewalk::Result<std::size_t> left = loading.loader.try_prepare();
  if (!left.ok()) return embind::keep(left.status()), -1;
  return static_cast<double>(left.value());
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_decoder_loader) {
  Loading::bind("DecoderLoader").function("ggufTokenizer", &gguf_tokenizer).function("prepare", &prepare);
  emscripten::function("makeDecoderLoader(config, configSize, files, precision, context, screen)",
                       &make_decoder_loader, emscripten::return_value_policy::take_ownership());
}
