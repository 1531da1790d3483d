#include "model/gguf/loader.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "formats/gguf_weights.hpp"

namespace ropewalk::model {
namespace {

/// Weights that are converted together. A whole number of blocks of every type.
constexpr std::size_t values_at_once = 8192;

}  // namespace

Result<std::size_t> GgufLoader::read_header(std::span<const std::byte> bytes,
                                            std::optional<std::uint64_t> size) {
  const std::size_t before = text_.size();
  size_ = size;
  ROPEWALK_TRY(check_memory(2 * (before + bytes.size()), "gguf: header"));
  text_.insert(text_.end(), bytes.begin(), bytes.end());
  if (text_.size() < needed_) return bytes.size();
  const std::uint64_t file_size = size.value_or(gguf::unknown_size);
  ROPEWALK_LET(needed, gguf::header_bytes(text_, file_size));
  needed_ = needed;
  if (text_.size() < needed_) return bytes.size();
  text_.resize(static_cast<std::size_t>(needed_));
  ROPEWALK_LET(opened, gguf::Header::open(text_, file_size));
  header_.emplace(std::move(opened));
  position_ = needed_;
  return text_.size() - before;
}

Result<ModelSize> GgufLoader::match(bool predicts) {
  // A file that ended within its header.
  if (!header_) return gguf::header_bytes(text_, text_.size()).status();
  ROPEWALK_LET(read, read_gguf(*header_));
  model_ = std::move(read);
  if (!predicts)
    std::erase_if(model_.spec.heads, [](const HeadSpec& head) { return head.kind == "causal_lm"; });
  std::vector<SafetensorsTensor>& tensors = model_.tensors;
  std::uint64_t end = needed_;
  // The factors stand apart from the parameters, which are matched by name; a view of all others needs them in rows.
  const std::span<const SafetensorsTensor> all = tensors;
  std::vector<std::span<const SafetensorsTensor>> files;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const gguf::Tensor& tensor = header_->tensors()[i];
    end = tensor.offset + tensor.bytes;
    const auto factors =
        std::ranges::find(model_.factors, std::string_view(tensors[i].name), &RopeFactors::name);
    const bool is_factors = factors != model_.factors.end();
    parts_.push_back({.type = tensor.type,
                      .begin = tensor.offset,
                      .end = end,
                      .tensor = is_factors ? nullptr : &tensors[i],
                      .factors = is_factors ? &*factors : nullptr});
    if (!is_factors) continue;
    factors->values.clear();
    files.push_back(all.subspan(begin, i - begin));
    begin = i + 1;
  }
  files.push_back(all.subspan(begin));
  Status status = loader_.match(model_.spec, files, options_);
  if (status.ok()) status = values_.allocate(values_at_once, "gguf: weights");
  if (!status.ok()) return status;
  return loader_.size(size_.value_or(end));
}

Result<std::string> GgufLoader::tokenizer() const { return metadata_of("tokenizer."); }
Result<std::string> GgufLoader::metadata() const { return metadata_of(""); }

Result<std::string> GgufLoader::metadata_of(std::string_view prefix) const {
  // The text grows by doubling.
  ROPEWALK_TRY(check_memory(4 * text_.size(), "gguf: the vocabulary"));
  return gguf::metadata_to_json(*header_, UINT64_MAX, prefix);
}

Status GgufLoader::reserve(std::optional<std::uint64_t> limit) {
  header_.reset();
  text_ = {};
  return loader_.reserve(limit);
}

Status GgufLoader::read(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    // Between tensors, and behind the last, there may be bytes that mean nothing.
    const Part* const part = part_ < parts_.size() ? &parts_[part_] : nullptr;
    const bool gap = part == nullptr || position_ < part->begin;
    const std::uint64_t until = part == nullptr ? UINT64_MAX : gap ? part->begin : part->end;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(until - position_, bytes.size()));
    if (!gap) take(*part, bytes.first(count));
    position_ += count;
    bytes = bytes.subspan(count);
    if (!gap && position_ == part->end) ++part_;
  }
  return {};
}

void GgufLoader::take(const Part& part, std::span<const std::byte> bytes) {
  if (part.type->elements == 1 && part.tensor != nullptr) return loader_.read(*part.tensor, bytes);
  const std::size_t block = part.type->bytes;
  if (!carry_.empty()) {
    const auto rest = bytes.first(std::min(block - carry_.size(), bytes.size()));
    carry_.insert(carry_.end(), rest.begin(), rest.end());
    bytes = bytes.subspan(rest.size());
    if (carry_.size() < block) return;
    take_blocks(part, carry_);
    carry_.clear();
  }
  const std::size_t most = values_at_once / part.type->elements * block;
  while (bytes.size() >= block) {
    const auto blocks = bytes.first(std::min(most, bytes.size() / block * block));
    take_blocks(part, blocks);
    bytes = bytes.subspan(blocks.size());
  }
  carry_.assign(bytes.begin(), bytes.end());
}

void GgufLoader::take_blocks(const Part& part, std::span<const std::byte> blocks) {
  const std::span<float> values =
      values_.span().first(blocks.size() / part.type->bytes * part.type->elements);
  gguf::read_blocks(*part.type, blocks, values);
  if (part.tensor != nullptr) return loader_.read(*part.tensor, std::as_bytes(values));
  part.factors->values.insert(part.factors->values.end(), values.begin(), values.end());
}

Result<Model> GgufLoader::finish() {
  if (part_ < parts_.size()) {
    return Status::malformed(
        sentence({"gguf: the file has ", static_cast<double>(position_),
                  " bytes; allowed: ", static_cast<double>(parts_.back().end), ", as its header says"}));
  }
  if (!model_.factors.empty()) {
    ROPEWALK_LET(ropes, ropes_of_gguf(model_.metadata, model_.spec, model_.factors));
    ROPEWALK_TRY(loader_.set_ropes(std::move(ropes)));
  }
  return loader_.finish();
}

}  // namespace ropewalk::model
