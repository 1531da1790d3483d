#include "last_error.hpp"

#include "answer.hpp"
#include "export.hpp"

namespace ropewalk::embind {
namespace {

const Status no_memory = Status::out_of_memory("no memory; the module can hold 2 GiB in all");

ROPEWALK_PER_THREAD Status last_error;
ROPEWALK_PER_THREAD bool is_no_memory = false;

}  // namespace

int keep(const Status& status) {
  if (status.ok()) return 0;
  is_no_memory = false;
  last_error = status;
  return static_cast<int>(status.code());
}

void keep_no_memory() { is_no_memory = true; }

int error_code() { return static_cast<int>((is_no_memory ? no_memory : last_error).code()); }

extern "C" {

ROPEWALK_EXPORT(int, ropewalk_error_code) { return error_code(); }
/// Makes the parts of the error the text: TypeScript puts them into words.
ROPEWALK_EXPORT(void, ropewalk_error_data) { show((is_no_memory ? no_memory : last_error).data()); }
}

}  // namespace ropewalk::embind
