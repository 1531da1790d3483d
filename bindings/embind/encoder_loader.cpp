// Weights into an encoder as they arrive: pieces of files are placed in a window, and go on from there.

#include <emscripten/bind.h>
#include <emscripten/heap.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "answer.hpp"
#include "base/buffer.hpp"
#include "encoder_model.hpp"
#include "lines.hpp"
#include "memory.hpp"
#include "ropewalk/loading.hpp"

extern "C" const char __heap_base;

namespace {

using ropewalk::Precision;
using ropewalk::Result;
using ropewalk::embind::EncoderModel;
using ropewalk::embind::have_memory;
using ropewalk::embind::keep;

struct Loading {
  ropewalk::EncoderLoader loader;
  ropewalk::Buffer<std::byte> window;
  ropewalk::ModelSize size = {};
};

constexpr std::size_t window_bytes = std::size_t{1} << 20;

/// Bytes of the module's memory that hold something: everything below the heap, and what is allocated of it.
std::uint64_t used() {
  return reinterpret_cast<std::uintptr_t>(&__heap_base) + static_cast<std::size_t>(mallinfo().uordblks);
}

/// For so many files of weights. null when the configuration is refused.
Loading* make_encoder_loader(std::uintptr_t config, std::size_t config_size, std::size_t files, bool int8) {
  if (!have_memory(ropewalk::embind::lists_of_a_model + 4 * config_size)) return nullptr;
  const Precision precision = int8 ? Precision::int8 : Precision::float32;
  Result<ropewalk::EncoderLoader> made =
      ropewalk::EncoderLoader::make(ropewalk::embind::text_at(config, config_size), files, precision);
  if (!made.ok()) return keep(made.status()), nullptr;
  ropewalk::Buffer<std::byte> window;
  if (ropewalk::Status status = window.allocate(window_bytes, "loading: the window"); !status.ok())
    return keep(status), nullptr;
  return new Loading{std::move(made).value(), std::move(window)};
}

std::uintptr_t window(const Loading& loading) {
  return reinterpret_cast<std::uintptr_t>(loading.window.data());
}
std::size_t window_size(const Loading& loading) { return loading.window.size(); }

/// Of `size` bytes in the window, how many belong to the header of the file; -1 when it is refused. A `file_size` of -1 is
/// not known.
int read_header(Loading& loading, std::size_t file, std::size_t size, double file_size) {
  // The header becomes lists many times its size.
  if (!have_memory(ropewalk::embind::lists_of_a_model)) return -1;
  const Result<std::size_t> taken = loading.loader.try_read_header(
      file, loading.window.span().first(size),
      file_size < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(file_size)));
  if (!taken.ok()) return keep(taken.status()), -1;
  return static_cast<int>(taken.value());
}

bool has_header(const Loading& loading, std::size_t file) { return loading.loader.has_header(file); }

/// Status code; then the next five are known.
int match(Loading& loading) {
  return ropewalk::embind::guarded([&] {
    const Result<ropewalk::ModelSize> size = loading.loader.try_match();
    if (size.ok()) loading.size = size.value();
    return size.status();
  });
}
double parameter_count(const Loading& loading) { return static_cast<double>(loading.size.parameters); }
double download(const Loading& loading) { return static_cast<double>(loading.size.download); }
/// Makes the text: one name per line.
void quantised_by_rows(const Loading& loading) {
  ropewalk::embind::answer(ropewalk::embind::lines(loading.loader.quantised_by_rows()));
}
/// Bytes of the whole module: those in use now, and those that the weights will take.
double bytes_loaded(const Loading& loading) { return static_cast<double>(used() + loading.size.loaded); }
double bytes_at_peak(const Loading& loading) { return static_cast<double>(used() + loading.size.peak); }

/// Status code.
int reserve(Loading& loading) {
  return ropewalk::embind::guarded([&] {
    // Grows the memory once, by what is needed, and finds out whether that can be had.
    void* const probe = std::malloc(static_cast<std::size_t>(loading.size.peak));
    asm volatile("" : : "r"(probe) : "memory");
    std::free(probe);
    const std::uint64_t most = probe != nullptr ? emscripten_get_heap_max() : emscripten_get_heap_size();
    return loading.loader.try_reserve(most - used());
  });
}

/// The next `size` bytes of the file, behind its header. Status code.
int read(Loading& loading, std::size_t file, std::size_t size) {
  return keep(loading.loader.try_read(file, loading.window.span().first(size)));
}

/// null when something is missing.
EncoderModel* finish(Loading& loading) {
  if (!have_memory(ropewalk::embind::lists_of_a_model)) return nullptr;
  Result<ropewalk::Encoder> made = loading.loader.try_finish();
  if (!made.ok()) return keep(made.status()), nullptr;
  return new EncoderModel{std::move(made).value()};
}

}  // namespace

EMSCRIPTEN_BINDINGS(ropewalk_encoder_loader) {
  using namespace emscripten;
  class_<Loading>("EncoderLoader")
      .function("window", &window)
      .function("windowSize", &window_size)
      .function("readHeader", &read_header)
      .function("hasHeader", &has_header)
      .function("match", &match)
      .function("parameterCount", &parameter_count)
      .function("download", &download)
      .function("quantisedByRows", &quantised_by_rows)
      .function("bytesLoaded", &bytes_loaded)
      .function("bytesAtPeak", &bytes_at_peak)
      .function("reserve", &reserve)
      .function("read", &read)
      .function("finish", &finish, return_value_policy::take_ownership());
  function("makeEncoderLoader", &make_encoder_loader, return_value_policy::take_ownership());
}
