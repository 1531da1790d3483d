#pragma once

// Weights into a model as they arrive: JavaScript writes each chunk of a file into a window, and the loader reads it there.

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
#include "lines.hpp"
#include "memory.hpp"
#include "ropewalk/loading.hpp"

extern "C" const char __heap_base;

namespace ropewalk::embind {

/// Bytes of the module's memory that hold something: everything below the heap, and what is allocated of it.
inline std::uint64_t used_memory() {
  return reinterpret_cast<std::uintptr_t>(&__heap_base) + static_cast<std::size_t>(mallinfo().uordblks);
}

/// An EncoderLoader or a DecoderLoader with its window. `Made` is made of what it loads.
template <class Loader, class Made>
struct Loading {
  Loader loader;
  Buffer<std::byte> window;
  ModelSize size = {};

  static constexpr std::size_t window_bytes = std::size_t{1} << 20;

  /// null, with the failure kept, for a loader that was refused, or without memory for the window.
  static Loading* make(Result<Loader> made) {
    if (!made.ok()) return keep(made.status()), nullptr;
    Buffer<std::byte> window;
    if (Status status = window.allocate(window_bytes, "loading: the window"); !status.ok())
      return keep(status), nullptr;
    return new Loading{std::move(made).value(), std::move(window)};
  }

  static std::uintptr_t window_address(const Loading& loading) {
    return reinterpret_cast<std::uintptr_t>(loading.window.data());
  }
  static std::size_t window_size(const Loading& loading) { return loading.window.size(); }

  /// Number of the `size` bytes in the window that belong to the header; -1 when it is refused. A `file_size` of -1
  /// is not known.
  static int read_header(Loading& loading, std::size_t file, std::size_t size, double file_size) {
    // The header becomes lists many times its size.
    if (!have_memory(lists_of_a_model)) return -1;
    const Result<std::size_t> taken = loading.loader.try_read_header(
        file, loading.window.span().first(size),
        file_size < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(file_size)));
    if (!taken.ok()) return keep(taken.status()), -1;
    return static_cast<int>(taken.value());
  }

  static bool has_header(const Loading& loading, std::size_t file) { return loading.loader.has_header(file); }

  /// Status code; then the next five are known.
  static int match(Loading& loading) {
    return guarded([&] {
      const Result<ModelSize> size = loading.loader.try_match();
      if (size.ok()) loading.size = size.value();
      return size.status();
    });
  }
  static double parameter_count(const Loading& loading) {
    return static_cast<double>(loading.size.parameters);
  }
  static double download(const Loading& loading) { return static_cast<double>(loading.size.download); }
  /// Makes the text: one name per line. Decoders quantise nothing by rows.
  static void quantised_by_rows(const Loading& loading) {
    if constexpr (requires { loading.loader.quantised_by_rows(); }) {
      answer(lines(loading.loader.quantised_by_rows()));
    } else {
      answer("");
    }
  }
  /// Bytes of the whole module: those in use now, and those that the weights will take.
  static double bytes_loaded(const Loading& loading) {
    return static_cast<double>(used_memory() + loading.size.loaded);
  }
  static double bytes_at_peak(const Loading& loading) {
    return static_cast<double>(used_memory() + loading.size.peak);
  }

  /// Status code.
  static int reserve(Loading& loading) {
    return guarded([&] {
      // Grows the memory once, by what is needed, and finds out whether that can be had.
      void* const probe = std::malloc(static_cast<std::size_t>(loading.size.peak));
      asm volatile("" : : "r"(probe) : "memory");
      std::free(probe);
      const std::uint64_t most = probe != nullptr ? emscripten_get_heap_max() : emscripten_get_heap_size();
      return loading.loader.try_reserve(most - used_memory());
    });
  }

  /// The next `size` bytes of the file, behind its header. Status code.
  static int read(Loading& loading, std::size_t file, std::size_t size) {
    return keep(loading.loader.try_read(file, loading.window.span().first(size)));
  }

  /// null when something is missing.
  static Made* finish(Loading& loading) {
    if (!have_memory(lists_of_a_model)) return nullptr;
    auto made = loading.loader.try_finish();
    if (!made.ok()) return keep(made.status()), nullptr;
    return new Made{std::move(made).value()};
  }

  static emscripten::class_<Loading> bind(const char* name) {
    using namespace emscripten;
    return class_<Loading>(name)
        .function("window", &window_address)
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
  }
};

}  // namespace ropewalk::embind
