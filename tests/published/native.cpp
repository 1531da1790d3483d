// Runs a published model with the native library, for `npm run test:published`:
//   ropewalk_published encoder MODEL PRECISION IDS OUT    OUT: the sentence vector of each line of IDS; MODEL is a folder,
//                                                         or a GGUF file of a model that takes means
//   ropewalk_published decoder FILE PRECISION IDS OUT     OUT: for each line of IDS the mean negative log-likelihood of the
//                                                         ids after the first, GREEDY tokens, and the logits of the first,
//                                                         the middle and the last position
// IDS has a text in each line. Everything in OUT is float32, little-endian. A model that is refused is said on standard
// error, with exit code 3.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "ropewalk/decoder.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/sentence.hpp"

namespace {

using Ids = std::vector<std::int32_t>;

constexpr int GREEDY = 24;
constexpr std::size_t PIECE = 64;
constexpr int REFUSED = 3;

std::optional<std::string> read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

std::vector<Ids> read_ids(const char* path) {
  std::ifstream file(path);
  std::vector<Ids> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    all.emplace_back(std::istream_iterator<std::int32_t>(words), std::istream_iterator<std::int32_t>());
  }
  return all;
}

void write(std::ofstream& out, std::span<const float> values) {
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
}

/// The files beside the model that say how hidden states become a vector.
std::vector<ropewalk::ModelFile> sentence_files(const std::filesystem::path& folder,
                                                std::vector<std::pair<std::string, std::string>>& kept) {
  const std::optional<std::string> modules = read(folder / "modules.json");
  const ropewalk::SentenceFileNames names = ropewalk::raise(ropewalk::sentence_file_names(modules));
  if (modules) kept.emplace_back("modules.json", *modules);
  for (const auto* list : {&names.needed, &names.optional})
    for (const std::string& name : *list)
      if (std::optional<std::string> text = read(folder / name)) kept.emplace_back(name, std::move(*text));
  std::vector<ropewalk::ModelFile> files;
  for (const auto& [name, text] : kept) files.push_back({name, bytes(text)});
  return files;
}

void encode(const std::filesystem::path& folder, ropewalk::Precision precision, const std::vector<Ids>& texts,
            std::ofstream& out) {
  const bool is_gguf = folder.extension() == ".gguf";
  const std::string weights = read(is_gguf ? folder : folder / "model.safetensors").value();
  ropewalk::Encoder encoder =
      is_gguf ? ropewalk::raise(ropewalk::Encoder::make_gguf(bytes(weights), precision))
              : ropewalk::Encoder(read(folder / "config.json").value(), bytes(weights), precision);
  std::vector<std::pair<std::string, std::string>> kept;
  ropewalk::SentenceModules modules(sentence_files(folder, kept), encoder.spec().hidden, precision);
  for (const Ids& ids : texts) {
    const ropewalk::EncoderOutput states =
        encoder.forward({.input_ids = ids, .sequence = ids.size()}, {.logits = false});
    write(out, modules.run({.hidden_states = states.last_hidden_state, .sequence = ids.size()}).embedding);
  }
}

std::int32_t likeliest(std::span<const float> logits) {
  return static_cast<std::int32_t>(std::ranges::max_element(logits) - logits.begin());
}

double surprise(std::span<const float> logits, std::int32_t id) {
  const double most = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float value : logits) sum += std::exp(value - most);
  return most + std::log(sum) - logits[static_cast<std::size_t>(id)];
}

void decode_text(const ropewalk::Decoder& model, const Ids& ids, std::ofstream& out) {
  ropewalk::KeyCache cache = model.cache();
  const std::size_t positions[] = {0, ids.size() / 2, ids.size() - 1};
  std::vector<float> logits;
  double sum = 0;
  std::vector<float> greedy;
  for (std::size_t from = 0; from < ids.size(); from += PIECE) {
    const std::size_t count = std::min(PIECE, ids.size() - from);
    const std::span<const float> all = cache.feed(std::span(ids).subspan(from, count), {.all = true});
    const std::size_t size = all.size() / count;
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const float> row = all.subspan(i * size, size);
      for (const std::size_t at : positions)
        if (at == from + i) logits.insert(logits.end(), row.begin(), row.end());
      if (from + i + 1 < ids.size()) sum += surprise(row, ids[from + i + 1]);
      if (from + i + 1 == ids.size()) greedy.push_back(static_cast<float>(likeliest(row)));
    }
  }
  while (greedy.size() < GREEDY) {
    const std::int32_t next = static_cast<std::int32_t>(greedy.back());
    greedy.push_back(static_cast<float>(likeliest(cache.feed({&next, 1}))));
  }
  const float likelihood = static_cast<float>(sum / static_cast<double>(ids.size() - 1));
  write(out, {&likelihood, 1});
  write(out, greedy);
  write(out, logits);
}

void decode(const std::filesystem::path& path, ropewalk::Precision precision, const std::vector<Ids>& texts,
            std::ofstream& out) {
  const std::string file = read(path).value();
  const ropewalk::Decoder model =
      ropewalk::raise(ropewalk::Decoder::make_gguf(bytes(file), {.precision = precision, .context = 1024}));
  for (const Ids& ids : texts) decode_text(model, ids, out);
}

}  // namespace

int main(int count, char** words) {
  if (count != 6) {
    std::cerr << "ropewalk_published encoder|decoder MODEL float32|int8 IDS OUT\n";
    return 2;
  }
  const bool is_int8 = std::string_view(words[3]) == "int8";
  const ropewalk::Precision precision = is_int8 ? ropewalk::Precision::int8 : ropewalk::Precision::float32;
  const std::vector<Ids> texts = read_ids(words[4]);
  std::ofstream out(words[5], std::ios::binary);
  try {
    (std::string_view(words[1]) == "encoder" ? encode : decode)(words[2], precision, texts, out);
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return REFUSED;
  }
  out.flush();
  return out ? 0 : 1;
}
