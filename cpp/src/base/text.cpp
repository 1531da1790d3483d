#include "base/text.hpp"

namespace ropewalk {

std::string sentence(std::initializer_list<Piece> pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    if (piece.is_number) {
      text.append(text_of(piece.number));
    } else {
      text.append(piece.words);
    }
  }
  return text;
}

Status out_of_range(std::string_view function, std::string_view argument, std::string_view value,
                    std::string_view allowed) {
  return Status::refusal(Status::Code::range, {function, argument, value, allowed});
}

Status wrong_type(std::string_view function, std::string_view argument, std::string_view value,
                  std::string_view allowed) {
  return Status::refusal(Status::Code::type, {function, argument, value, allowed});
}

Status unsupported(std::string_view function, std::string_view argument, std::string_view value,
                   std::string_view allowed) {
  return Status::refusal(Status::Code::unsupported, {function, argument, value, allowed});
}

Status wrong_count(std::string_view function, std::string_view argument, std::size_t count,
                   std::string_view allowed) {
  const std::string value = text_of(count) + " elements";
  return Status::refusal(Status::Code::range, {function, argument, value, allowed},
                         sentence({"`", argument, "` has ", value, "; allowed: ", allowed}));
}

}  // namespace ropewalk
