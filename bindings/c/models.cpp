#include "models.hpp"

namespace ropewalk::c {

namespace {
constexpr std::int32_t most_threads = 64;
/// More are a number of another kind, as -1 is: nothing is read.
constexpr std::size_t most_files = 65536;
}  // namespace

Status read_files(std::string_view function, std::string_view argument, const ropewalk_file* files,
                  std::string_view count_name, std::size_t count, std::span<const ropewalk_file>& out) {
  if (files == nullptr && count != 0) return null_pointer(function, argument, "an array of files");
  if (count > most_files)
    return out_of_range(function, count_name, count, sentence({"up to ", most_files, " files"}));
  out = {files, count};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string member = sentence({argument, "[", i, "]"});
    if (files[i].name == nullptr) return null_pointer(function, member + ".name", "a text");
    if (files[i].bytes == nullptr && files[i].size != 0)
      return null_pointer(function, member + ".bytes", "the contents of the file");
  }
  return {};
}

Status read_model_call(std::string_view function, const char* config, std::size_t config_size,
                       const ropewalk_file* weights, std::size_t weight_count,
                       const ropewalk_model_options* options, ModelCall& call) {
  if (config != nullptr) call.config = std::string_view(config, config_size);
  if (weight_count == 0 || (config == nullptr && weight_count > 1)) {
    return out_of_range(
        function, "weight_count", weight_count,
        config == nullptr ? "1, since without `config` the weights are one GGUF file" : "1 or more");
  }
  ROPEWALK_TRY(read_files(function, "weights", weights, "weight_count", weight_count, call.weights));
  if (options == nullptr) return {};
  ropewalk_model_options given;
  ROPEWALK_TRY(read_struct(function, "options", options, given));
  ROPEWALK_TRY(check_choice(function, "options.precision", given.precision, 2));
  ROPEWALK_TRY(check_choice(function, "options.threads", given.threads, most_threads + 1));
  call.precision = static_cast<Precision>(given.precision);
  if (given.threads != 0) call.threads = static_cast<std::size_t>(given.threads);
  if (given.context != 0) call.context = given.context;
  return {};
}

std::shared_ptr<ThreadPool> pool_of(std::size_t threads) {
  if (threads <= 1) return nullptr;
  return std::make_shared<ThreadPool>(threads);
}

std::string json_list(std::span<const std::string> texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + json::quoted(text);
  return "[" + list + "]";
}

Status in_file(const Status& status, std::string_view name) {
  const std::string sentence = status.message() + ", in " + std::string(name);
  switch (status.code()) {
    case Status::Code::range:
      return Status::range(sentence);
    case Status::Code::type:
      return Status::type(sentence);
    case Status::Code::out_of_memory:
      return Status::out_of_memory(sentence);
    case Status::Code::malformed:
      return Status::malformed(sentence);
    case Status::Code::unsupported:
      return Status::unsupported(sentence);
    case Status::Code::ok:
      break;
  }
  return status;
}

}  // namespace ropewalk::c
