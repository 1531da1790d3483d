#pragma once

// Weights into a model as they arrive: JavaScript writes each chunk of a file into a window, and the loader reads it there.

#include <emscripten/bind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "answer.hpp"
#include "lines.hpp"
#include "memory.hpp"
#include "ropewalk/loading.hpp"

namespace ropewalk::embind {

/// An EncoderLoader or a DecoderLoader with its window. `Made` is made of what it loads.
template <class Loader, class Made>
struct Loading {
  Loader loader;
  Placed window;
  ModelSize size = {};

  static constexpr std::size_t window_bytes = std::size_t{1} << 20;

  /// null, with the failure kept, for a loader that was refused, or without memory for the window.
  static Loading* make(Result<Loader> made) {
    if (!made.ok()) return keep(made.status()), nullptr;
    Placed window = place(window_bytes);
    if (window == nullptr) return keep_no_memory(), nullptr;
    return new Loading{std::move(made).value(), std::move(window)};
  }

  static std::uintptr_t window_address(const Loading& loading) {
    return reinterpret_cast<std::uintptr_t>(loading.window.get());
  }
  static std::size_t window_size(const Loading&) { return window_bytes; }
  std::span<const std::byte> in_window(std::size_t bytes) const { return {window.get(), bytes}; }

  /// Number of the `size` bytes in the window that belong to the header; -1 when it is refused. A `file_size` of -1
  /// is not known.
  static int read_header(Loading& loading, std::size_t file, std::size_t size, double file_size) {
    // The header becomes lists many times its size.
    if (!have_memory(lists_of_a_model)) return -1;
    const Result<std::size_t> taken = loading.loader.try_read_header(
        file, loading.in_window(size),
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
    return guarded([&] { return loading.loader.try_reserve(memory_left_for(loading.size.peak)); });
  }

  /// The next `size` bytes of the file, behind its header. Status code.
  static int read(Loading& loading, std::size_t file, std::size_t size) {
    return keep(loading.loader.try_read(file, loading.in_window(size)));
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
        .function("readHeader(file, size, fileSize)", &read_header)
        .function("hasHeader(file)", &has_header)
        .function("match", &match)
        .function("parameterCount", &parameter_count)
        .function("download", &download)
        .function("quantisedByRows", &quantised_by_rows)
        .function("bytesLoaded", &bytes_loaded)
        .function("bytesAtPeak", &bytes_at_peak)
        .function("reserve", &reserve)
        .function("read(file, size)", &read)
        .function("finish", &finish, return_value_policy::take_ownership());
  }
};

}  // namespace ropewalk::embind
