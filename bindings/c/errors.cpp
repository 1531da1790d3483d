#include <cstdint>
#include <cstdlib>

#include "base/text.hpp"
#include "handle.hpp"

namespace ropewalk::c {
namespace {

static_assert(static_cast<int>(Status::Code::range) == ROPEWALK_ERROR_RANGE);
static_assert(static_cast<int>(Status::Code::type) == ROPEWALK_ERROR_TYPE);
static_assert(static_cast<int>(Status::Code::out_of_memory) == ROPEWALK_ERROR_OUT_OF_MEMORY);
static_assert(static_cast<int>(Status::Code::malformed) == ROPEWALK_ERROR_MALFORMED);
static_assert(static_cast<int>(Status::Code::unsupported) == ROPEWALK_ERROR_UNSUPPORTED);

struct LastError {
  ropewalk_status code = ROPEWALK_OK;
  std::string message, function, argument, value, allowed;
};
thread_local LastError last;

}  // namespace

ropewalk_status keep(const Status& status) {
  if (status.ok()) return ROPEWALK_OK;
  const ErrorDetails about = status.details();
  last = {.code = static_cast<ropewalk_status>(status.code()),
          .message = status.message(),
          .function = std::string(about.function),
          .argument = std::string(about.argument),
          .value = std::string(about.value),
          .allowed = std::string(about.allowed)};
  return last.code;
}

Status null_pointer(std::string_view function, std::string_view argument, std::string_view allowed) {
  return wrong_type(function, argument, "NULL", allowed);
}

ropewalk_status give_text(std::string_view function, const std::string& text, char** out) {
  *out = static_cast<char*>(std::malloc(text.size() + 1));
  if (*out == nullptr)
    return keep(
        Status::out_of_memory(sentence({function, ": no memory for a text of ", text.size(), " bytes"})));
  std::memcpy(*out, text.c_str(), text.size() + 1);
  return ROPEWALK_OK;
}

Status check_choice(std::string_view function, std::string_view argument, std::int32_t value,
                    std::int32_t count) {
  if (value >= 0 && value < count) return {};
  return out_of_range(function, argument, static_cast<double>(value),
                      sentence({"a whole number from 0 to ", static_cast<double>(count - 1)}));
}

Status wrong_struct_size(std::string_view function, std::string_view argument, std::size_t size,
                         std::size_t known) {
  return out_of_range(function, sentence({argument, ".struct_size"}), size,
                      sentence({known, ", the size of the struct; more only if what follows is 0"}));
}

}  // namespace ropewalk::c

uint32_t ropewalk_abi_version() { return ROPEWALK_ABI_VERSION; }
const char* ropewalk_version() { return ROPEWALK_VERSION; }

void ropewalk_last_error(ropewalk_error* error) {
  if (error == nullptr) return;
  const auto& last = ropewalk::c::last;
  *error = {last.code,          last.message.c_str(), last.function.c_str(), last.argument.c_str(),
            last.value.c_str(), last.allowed.c_str()};
}

void* ropewalk_alloc(size_t bytes) { return std::malloc(bytes == 0 ? 1 : bytes); }
void ropewalk_free(void* memory) { std::free(memory); }
