// Any bytes as the beginning of a GGUF file: what opens has its tensors inside the file, and both answers about its
// length agree.

#include "formats/gguf.hpp"

#include "formats/json/value.hpp"
#include "ropewalk/config.hpp"
#include "target.hpp"

namespace {

using namespace ropewalk;

void visit(const gguf::Value& value) {
  (void)value.whole();
  (void)value.real();
  (void)value.boolean();
  (void)value.text();
  gguf::Value item;
  for (gguf::Items items(value); items.next(item);) visit(item);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  const Result<std::uint64_t> needed = gguf::header_bytes(input.bytes(), size);
  const Result<gguf::Header> opened = gguf::Header::open(input.bytes(), size);
  if (!opened.ok()) {
    fuzz::require_words(opened.status());
    return 0;
  }
  fuzz::require(needed.ok() && needed.value() <= size, "a header that opens needs no more than is there");
  const gguf::Header& header = opened.value();
  for (const gguf::Header::Entry& entry : header.metadata()) {
    fuzz::require(header.find(entry.key) == &entry.value, "a value is found by its key", entry.key);
    visit(entry.value);
  }
  for (const gguf::Tensor& tensor : header.tensors()) {
    fuzz::require(header.tensor(tensor.name) == &tensor, "a tensor is found by its name", tensor.name);
    fuzz::require(tensor.offset <= size && tensor.bytes <= size - tensor.offset,
                  "a tensor lies inside the file", tensor.name);
  }
  const std::string metadata = gguf::metadata_to_json(header, 64);
  const Result<json::Value> read = json::parse(metadata, "fuzz", "the metadata");
  fuzz::require(read.ok(), "metadata become JSON", read.status().message());
  fuzz::require(json::parse(gguf::tensors_to_json(header), "fuzz", "the tensors").ok(),
                "tensors become JSON");
  if (const auto reading = try_read_rope_config(metadata); !reading.ok())
    fuzz::require_words(reading.status());
  return 0;
}
