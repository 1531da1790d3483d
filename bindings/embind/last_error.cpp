#include "last_error.hpp"

namespace ropewalk::embind {
namespace {

Status last_error;

}  // namespace

int keep(const Status& status) {
  if (status.ok()) return 0;
  last_error = status;
  return static_cast<int>(status.code());
}

int error_code() { return static_cast<int>(last_error.code()); }
std::string error_message() { return last_error.message(); }

}  // namespace ropewalk::embind
