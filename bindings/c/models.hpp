#pragma once

// Options and files of ropewalk_models.h, read alike for encoders and decoders.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "formats/json/value.hpp"
#include "handle.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/loading.hpp"
#include "ropewalk/threads.hpp"
#include "ropewalk_models.h"

namespace ropewalk::c {

/// The arguments of a function that makes a model, checked as far as C++ types would have checked them.
struct ModelCall {
  Precision precision = Precision::float32;
  std::size_t threads = 1;
  std::optional<std::size_t> context = {};
  std::span<const ropewalk_file> weights = {};
  /// Empty for a GGUF file.
  std::optional<std::string_view> config = {};
};

Status read_files(std::string_view function, std::string_view argument, const ropewalk_file* files,
                  std::string_view count_name, std::size_t count, std::span<const ropewalk_file>& out);

Status read_model_call(std::string_view function, const char* config, std::size_t config_size,
                       const ropewalk_file* weights, std::size_t weight_count,
                       const ropewalk_model_options* options, ModelCall& call);

/// Threads of a model that was made; nullptr for one thread.
std::shared_ptr<ThreadPool> pool_of(std::size_t threads);

/// ["a", "b"]
std::string json_list(std::span<const std::string> texts);

inline std::span<const std::byte> bytes_of(const ropewalk_file& file) {
  return {static_cast<const std::byte*>(file.bytes), file.size};
}

/// "SENTENCE, in model-00002-of-00003.safetensors"
Status in_file(const Status& status, std::string_view name);

/// Fills a loader from whole files. `after_headers` runs while the headers are in memory and the weights are not.
template <class Loader, class AfterHeaders>
auto load(Loader& loader, std::span<const ropewalk_file> files, const AfterHeaders& after_headers)
    -> decltype(loader.try_finish()) {
  const bool several = files.size() > 1;
  const auto failed = [&](const Status& status, const ropewalk_file& file) {
    return several ? in_file(status, file.name) : status;
  };
  std::vector<std::size_t> headers(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Result<std::size_t> size = loader.try_read_header(i, bytes_of(files[i]), files[i].size);
    if (!size.ok()) return failed(size.status(), files[i]);
    headers[i] = size.value();
  }
  if (const Result<ModelSize> size = loader.try_match(); !size.ok()) return size.status();
  ROPEWALK_TRY(after_headers(loader));
  ROPEWALK_TRY(loader.try_reserve());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (Status status = loader.try_read(i, bytes_of(files[i]).subspan(headers[i])); !status.ok())
      return failed(status, files[i]);
  }
  return loader.try_finish();
}

}  // namespace ropewalk::c
