#include "model/builder.hpp"

namespace ropewalk::model {

std::uint64_t Builder::vector(std::string_view role, std::string_view suffix, std::size_t size,
                              parameters::Initial initial) {
  const std::string own = name(role, suffix), regular = names_->of(role, layer_) + std::string(suffix);
  const std::uint64_t offset = table_->add(own, {size}, initial, false);
  // PyTorch saves a bias that two modules share under either name.
  if (own != regular) table_->add_alias(offset, regular);
  return offset;
}

// A family may name a single parameter apart, as BERT does with the bias of the decoder.
std::string Builder::name(std::string_view role, std::string_view suffix) const {
  const std::string whole = std::string(role) + std::string(suffix);
  if (std::optional<std::string> own = names_->find(whole, layer_)) return *std::move(own);
  return names_->of(role, layer_) + std::string(suffix);
}

}  // namespace ropewalk::model
