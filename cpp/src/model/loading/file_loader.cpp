#include "model/loading/file_loader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.hpp"

namespace ropewalk::model {
namespace {

Status cut_short(std::uint64_t size, std::uint64_t expected) {
  return Status::malformed(sentence({"safetensors: the file has ", static_cast<double>(size),
                                     " bytes; allowed: ", static_cast<double>(expected),
                                     ", as its header says (MetadataIncompleteBuffer)"}));
}

}  // namespace

Result<std::size_t> FileLoader::read_header(std::size_t file, std::span<const std::byte> bytes,
                                            std::optional<std::uint64_t> size) {
  Part& part = parts_[file];
  part.size = size;
  std::size_t taken = 0;
  if (part.here < sizeof part.start) {
    taken = std::min(sizeof part.start - part.here, bytes.size());
    std::memcpy(part.start + part.here, bytes.data(), taken);
    part.here += taken;
    if (part.here < sizeof part.start && size == part.here)
      return Safetensors::header_size({part.start, part.here}).status();
    if (part.here < sizeof part.start) return taken;
    ROPEWALK_LET(length, Safetensors::header_size(part.start));
    if (size && *size < length) return Safetensors::open_header(part.start, size).status();
    ROPEWALK_TRY(part.text.allocate(static_cast<std::size_t>(length), "safetensors: header"));
    std::memcpy(part.text.data(), part.start, sizeof part.start);
  }
  const std::size_t rest = std::min(part.text.size() - part.here, bytes.size() - taken);
  if (rest != 0) std::memcpy(part.text.data() + part.here, bytes.data() + taken, rest);
  part.here += rest;
  taken += rest;
  if (part.here < part.text.size()) return taken;
  ROPEWALK_LET(opened, Safetensors::open_header(part.text.span(), size));
  part.header.emplace(std::move(opened));
  part.text = {};
  part.position = part.here;
  return taken;
}

Result<ModelSize> FileLoader::match() {
  std::uint64_t download = 0;
  for (Part& part : parts_) {
    if (!part.header) {
      if (part.here < sizeof part.start) return Safetensors::header_size({part.start, part.here}).status();
      return cut_short(part.here, part.text.size());
    }
    download += part.header->size();
    headers_.push_back(*std::move(part.header));
  }
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    std::vector<const SafetensorsTensor*>& tensors = parts_[i].tensors;
    for (const SafetensorsTensor& tensor : headers_[i].tensors()) tensors.push_back(&tensor);
    // One without elements begins where the next does.
    std::ranges::sort(tensors, {}, [](const SafetensorsTensor* tensor) {
      return std::pair(tensor->begin, tensor->bytes());
    });
  }
  std::vector<std::span<const SafetensorsTensor>> files;
  for (const Safetensors& header : headers_) files.push_back(header.tensors());
  ROPEWALK_TRY(loader_.match(spec_, files, options_));
  return loader_.size(download);
}

Status FileLoader::read(std::size_t file, std::span<const std::byte> bytes) {
  Part& part = parts_[file];
  while (!bytes.empty()) {
    if (part.tensor == part.tensors.size())
      return cut_short(part.position + bytes.size(), headers_[file].size());
    const SafetensorsTensor& tensor = *part.tensors[part.tensor];
    const std::uint64_t left = tensor.begin + tensor.bytes() - part.position;
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(left, bytes.size()));
    loader_.read(tensor, bytes.first(count));
    part.position += count;
    bytes = bytes.subspan(count);
    if (count == left) ++part.tensor;
  }
  return {};
}

Result<Model> FileLoader::finish() {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].position != headers_[i].size()) return cut_short(parts_[i].position, headers_[i].size());
  }
  return loader_.finish();
}

}  // namespace ropewalk::model
