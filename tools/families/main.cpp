// Facts about the families of models that C++ reads:
//   ropewalk_families                          a line of JSON for each family: its heads, and its form in GGUF files
//   ropewalk_families measure encoder|decoder  from a config.json on standard input: parameters, bytes of loaded weights, and
//                                              with 8 bits the milliseconds of 128 tokens, or of one token after 64; null
//                                              where the weights take more than MOST bytes

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/half.hpp"
#include "base/random.hpp"
#include "formats/json/value.hpp"
#include "model/families/family.hpp"
#include "model/families/list.hpp"
#include "model/gguf/model.hpp"
#include "model/model.hpp"
#include "options/write.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/loading.hpp"

namespace ropewalk::model {
#define ROPEWALK_DECLARE(family) extern const Family family;
ROPEWALK_ENCODER_FAMILIES(ROPEWALK_DECLARE)
ROPEWALK_FIXED_FAMILIES(ROPEWALK_DECLARE)
ROPEWALK_CAUSAL_FAMILIES(ROPEWALK_DECLARE)
ROPEWALK_DECODER_FAMILIES(ROPEWALK_DECLARE)
}  // namespace ropewalk::model

namespace {

using namespace ropewalk;

constexpr std::uint64_t MOST = std::uint64_t{4} << 30;

using json::quoted;
using options::json_of;
using options::Writer;

/// The name within a checkpoint of the base class.
std::string_view name_of(const model::Names& names, std::string_view role) {
  for (const std::span<const model::Name> some : {names.base, names.heads}) {
    for (const model::Name& each : some) {
      if (each.role == role) return each.name;
    }
  }
  return {};
}

std::string gguf_of(const model::Family& family) {
  const model::GgufForm& form = family.gguf;
  if (form.architecture.empty()) return "null";
  Writer names, keys, switches, texts;
  const auto add = [&](const model::Name& each) {
    if (const std::string_view name = name_of(family.names, each.role); !name.empty())
      names.add(each.name, quoted(name));
  };
  for (const model::Name& each : model::usual_gguf_names()) {
    const bool is_own =
        std::ranges::any_of(form.names, [&](const model::Name& own) { return own.role == each.role; });
    if (!is_own) add(each);
  }
  for (const model::Name& each : form.names) add(each);
  keys.add(form.epsilon.name, quoted(form.epsilon.key));
  for (const model::GgufKey& each : form.keys) keys.add(each.name, quoted(each.key));
  for (const model::GgufSwitch& each : form.switches) switches.add(each.name, quoted(each.tensor));
  for (const model::GgufText& each : form.texts) texts.add(each.name, quoted(each.value));
  Writer whole;
  whole.add("architecture", quoted(form.architecture));
  whole.add("names", std::move(names).object());
  whole.add("keys", std::move(keys).object());
  whole.add("switches", std::move(switches).object());
  whole.add("texts", std::move(texts).object());
  whole.add("groups", json_of(form.groups_keys));
  return std::move(whole).object();
}

void print(std::string_view runs, const model::Family& family) {
  std::string heads;
  for (const model::HeadKind& kind : model::head_kinds()) {
    if (model::has_head(family, kind)) heads += (heads.empty() ? "" : ",") + quoted(kind.name);
  }
  Writer line;
  line.add("family", quoted(family.name));
  line.add("type", quoted(family.model_type));
  line.add("runs", quoted(runs));
  line.add("trains", json_of(runs == "encoder" && family.trainable));
  line.add("heads", "[" + heads + "]");
  line.add("gguf", gguf_of(family));
  std::printf("%s\n", std::move(line).object().c_str());
}

/// The header of a bfloat16 file with all parameters, and the bytes behind it.
std::string header_of(const model::Model& model, std::uint64_t& bytes) {
  Writer header;
  bytes = 0;
  for (const model::parameters::Parameter& parameter : model.table().all()) {
    std::string shape;
    for (const std::uint64_t extent : parameter.shape)
      shape += (shape.empty() ? "" : ",") + std::to_string(extent);
    const std::uint64_t begin = bytes;
    bytes += parameter.size * 2;
    Writer tensor;
    tensor.add("dtype", quoted("BF16"));
    tensor.add("shape", "[" + shape + "]");
    tensor.add("data_offsets", "[" + std::to_string(begin) + "," + std::to_string(bytes) + "]");
    header.add(parameter.name, std::move(tensor).object());
  }
  std::string text = std::move(header).object();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t size = text.size();
  std::string whole(sizeof(size), '\0');
  std::memcpy(whole.data(), &size, sizeof(size));
  return whole + text;
}

template <class Loader>
ModelSize match(Loader& loader, const std::string& header, std::uint64_t bytes) {
  raise(loader.try_read_header(0, std::as_bytes(std::span(header)), header.size() + bytes));
  return raise(loader.try_match());
}

/// Reads normal numbers of deviation 0.02, the same million again and again.
template <class Loader>
auto finish(Loader& loader, std::uint64_t bytes) {
  raise(loader.try_reserve());
  Random random(7);
  std::vector<std::uint16_t> numbers(1 << 20);
  for (std::uint16_t& number : numbers) number = to_bfloat16(0.02F * static_cast<float>(random.normal()));
  const std::span<const std::byte> piece = std::as_bytes(std::span(numbers));
  for (std::uint64_t at = 0; at < bytes; at += piece.size())
    raise(loader.try_read(
        0, piece.first(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), bytes - at)))));
  return raise(loader.try_finish());
}

/// Processor time of the fastest of at least five runs, which together take a second; milliseconds. Other programs change it
/// less than time on the clock.
double fastest(const std::function<void()>& run) {
  run();
  double best = 0, all = 0;
  for (int runs = 0; runs < 5 || all < 1000; ++runs) {
    const std::clock_t start = std::clock();
    run();
    const double time = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (runs == 0 || time < best) best = time;
    all += time;
  }
  return best;
}

void measure(bool decodes) {
  const std::string config{std::istreambuf_iterator<char>(std::cin), {}};
  Spec spec = raise(spec_from_config(config));
  if (decodes && spec.heads.empty()) spec.heads = {model::head_of(spec, *model::find_head_kind("causal_lm"))};
  std::uint64_t bytes = 0;
  const std::string header =
      header_of(raise(model::Model::lay_out(spec, nn::Compute::in(Precision::float32))), bytes);
  ModelSize size, in_8_bits;
  double milliseconds = -1;
  std::vector<std::int32_t> ids(128);
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<std::int32_t>((5 + 7 * i) % spec.vocabulary);
  if (decodes) {
    DecoderLoader plain = raise(DecoderLoader::make(config, 1, {}));
    size = match(plain, header, bytes);
    DecoderLoader loader =
        raise(DecoderLoader::make(config, 1, {.precision = Precision::int8, .context = 128}));
    in_8_bits = match(loader, header, bytes);
    if (in_8_bits.loaded <= MOST) {
      const Decoder model = finish(loader, bytes);
      KeyCache cache = model.cache(), start = model.cache();
      start.feed(std::span(ids).first(64));
      int fed = 64;
      milliseconds = fastest([&] {
        if (fed == 64) cache = start.fork();
        cache.feed(std::span(ids).subspan(static_cast<std::size_t>(fed), 1));
        fed = fed == 79 ? 64 : fed + 1;
      });
    }
  } else {
    EncoderLoader plain = raise(EncoderLoader::make(config, 1));
    size = match(plain, header, bytes);
    EncoderLoader loader = raise(EncoderLoader::make(config, 1, Precision::int8));
    in_8_bits = match(loader, header, bytes);
    if (in_8_bits.loaded <= MOST) {
      Encoder model = finish(loader, bytes);
      milliseconds = fastest([&] { model.forward({ids, 1, ids.size()}); });
    }
  }
  const std::string time = milliseconds < 0 ? "null" : std::to_string(milliseconds);
  std::printf("{\"parameters\":%llu,\"float32\":%llu,\"int8\":%llu,\"milliseconds\":%s}\n",
              static_cast<unsigned long long>(size.parameters), static_cast<unsigned long long>(size.loaded),
              static_cast<unsigned long long>(in_8_bits.loaded), time.c_str());
}

}  // namespace

int main(int count, char** words) {
  if (count == 3 && std::string_view(words[1]) == "measure") {
    try {
      measure(std::string_view(words[2]) == "decoder");
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
    return 0;
  }
#define ROPEWALK_ENCODER(family) print("encoder", model::family);
#define ROPEWALK_CAUSAL(family) print("both", model::family);
#define ROPEWALK_DECODER(family) print("decoder", model::family);
  ROPEWALK_ENCODER_FAMILIES(ROPEWALK_ENCODER)
  ROPEWALK_FIXED_FAMILIES(ROPEWALK_ENCODER)
  ROPEWALK_CAUSAL_FAMILIES(ROPEWALK_CAUSAL)
  ROPEWALK_DECODER_FAMILIES(ROPEWALK_DECODER)
}
