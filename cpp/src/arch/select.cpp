#include "arch/select.hpp"

#include "arch/same_bits.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include "base/text.hpp"
#include "ropewalk/architecture.hpp"

#if defined(__x86_64__) || defined(_M_X64)
#define ROPEWALK_X86 1
#include <cpuid.h>
#endif

namespace ropewalk::arch {

#if defined(ROPEWALK_X86)
extern const kernels::Kernels avx512, avx2, sse2;

namespace {

/// Clang's __builtin_cpu_supports does not know the conversions of float16.
bool has_f16c() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

struct Supported {
  const kernels::Kernels* tables[4];
  std::size_t count = 0;
  void add(const kernels::Kernels& table) { tables[count++] = &table; }

  Supported() {
    // Tests every instruction set that the flags in arches.cmake give the compiler, not only the newest.
    __builtin_cpu_init();
    const bool fma3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    if (fma3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      add(avx512);
    }
    if (fma3) add(avx2);
    add(sse2);
  }
};

const Supported& tables() {
  static const Supported list;
  return list;
}

std::atomic<const kernels::Kernels*>& chosen() {
  static std::atomic<const kernels::Kernels*> table = [] {
    const char* wanted = std::getenv("ROPEWALK_ARCH");
    if (wanted == nullptr) return supported()[0];
    const auto found = std::ranges::find(supported(), std::string_view(wanted), &kernels::Kernels::name);
    return found == supported().end() ? supported()[0] : *found;
  }();
  return table;
}

/// The table of this thread alone, if it has one.
thread_local const kernels::Kernels* own = nullptr;

/// Each supported table's integer product in one that rounds twice.
const kernels::Kernels* same_bits(const kernels::Kernels& table) {
  static const std::array<kernels::Kernels, 4> all = [] {
    std::array<kernels::Kernels, 4> mixed;
    for (std::size_t i = 0; i < supported().size(); ++i) {
      const kernels::DenseKernels& dense = supported()[i]->dense;
      mixed[i] = sse2;
      mixed[i].dense.pack_int8 = dense.pack_int8;
      mixed[i].dense.unpack_int8 = dense.unpack_int8;
      mixed[i].dense.gemm_int8 = dense.gemm_int8;
    }
    return mixed;
  }();
  const auto place = std::ranges::find(supported(), &table) - supported().begin();
  return &all[static_cast<std::size_t>(place)];
}

}  // namespace

std::span<const kernels::Kernels* const> supported() { return {tables().tables, tables().count}; }

const kernels::Kernels& active() { return own != nullptr ? *own : *chosen().load(std::memory_order_relaxed); }

SameBits::SameBits(bool on) : before_(own) {
  if (on && own == nullptr) own = same_bits(active());
}

SameBits::~SameBits() { own = before_; }

void use(const kernels::Kernels& kernels) { chosen().store(&kernels, std::memory_order_relaxed); }

#elif defined(__wasm__)
extern const kernels::Kernels wasm;

// With one instruction set the linker sees which kernels a module calls, and leaves out the others.
std::span<const kernels::Kernels* const> supported() {
  static constexpr const kernels::Kernels* all[] = {&wasm};
  return all;
}

const kernels::Kernels& active() { return wasm; }

void use(const kernels::Kernels&) {}

// The only table rounds twice.
SameBits::SameBits(bool) : before_(nullptr) {}
SameBits::~SameBits() {}

#else
#error "ropewalk: no architecture for this processor; add a file to cpp/src/arch and a section here"
#endif

}  // namespace ropewalk::arch

namespace ropewalk {

std::vector<std::string_view> architectures() {
  std::vector<std::string_view> names;
  for (const kernels::Kernels* table : arch::supported()) names.emplace_back(table->name);
  return names;
}

std::string_view architecture() { return arch::active().name; }

Status try_use_architecture(std::string_view name) {
  for (const kernels::Kernels* table : arch::supported()) {
    if (name != table->name) continue;
    arch::use(*table);
    return {};
  }
  std::string allowed;
  for (std::string_view each : architectures()) allowed += (allowed.empty() ? "" : ", ") + std::string(each);
  return out_of_range("use_architecture", "name", "\"" + std::string(name) + "\"", allowed);
}

}  // namespace ropewalk
