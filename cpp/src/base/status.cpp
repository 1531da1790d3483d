#include "ropewalk/status.hpp"

#include <array>

namespace ropewalk {
namespace {

constexpr char between = '\0';

/// Function, argument, value, allowed and problem, in the form of Status::data(). If the problem is a whole
/// sentence, the function is the part before its first colon.
std::array<std::string_view, 5> split(std::string_view data) {
  std::array<std::string_view, 5> parts;
  if (data.find(between) == data.npos) {
    const std::size_t colon = data.find(": ");
    parts[0] = data.substr(0, colon == data.npos ? 0 : colon);
    parts[4] = data.substr(colon == data.npos ? 0 : colon + 2);
    return parts;
  }
  for (std::string_view& part : parts) {
    const std::size_t end = data.find(between);
    part = data.substr(0, end);
    data = end == data.npos ? std::string_view() : data.substr(end + 1);
  }
  return parts;
}

}  // namespace

Status Status::refusal(Code code, const ErrorDetails& about, std::string_view problem) {
  std::string data(about.function);
  for (const std::string_view part : {about.argument, about.value, about.allowed, problem})
    (data += between) += part;
  return Status(code, std::move(data));
}

ErrorDetails Status::details() const {
  const auto [function, argument, value, allowed, problem] = split(data_);
  return {function, argument, value, allowed};
}

std::string Status::message() const {
  const auto [function, argument, value, allowed, problem] = split(data_);
  std::string text(function);
  if (problem.empty() && !argument.empty()) {
    for (const std::string_view part : {std::string_view(": `"), argument, std::string_view("` is "), value,
                                        std::string_view("; allowed: "), allowed}) {
      text += part;
    }
    return text;
  }
  if (!text.empty()) text += ": ";
  return text += problem;
}

Status Status::in(std::string_view function) const {
  std::size_t end = data_.find(between);
  if (end == data_.npos) end = data_.find(": ");
  if (end == data_.npos) return *this;
  return Status(code_, std::string(function) + data_.substr(end));
}

}  // namespace ropewalk
