#include "arch/select.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>

#include "base/text.hpp"
#include "ropewalk/architecture.hpp"

#if defined(__x86_64__) || defined(_M_X64)
#include <cpuid.h>
#endif

namespace ropewalk::arch {

// arch/list.inc, which arches.cmake writes, holds ROPEWALK_ARCH(name, whether this processor can run it) for each
// architecture, the preferred one first.
#define ROPEWALK_ARCH(name, runs) extern const kernels::Kernels name;
#include "arch/list.inc"
#undef ROPEWALK_ARCH

#if defined(ROPEWALK_ONLY_ARCH)

// The linker sees which kernels a program calls, and leaves out the others.
std::span<const kernels::Kernels* const> supported() {
  static constexpr const kernels::Kernels* all[] = {&ROPEWALK_ONLY_ARCH};
  return all;
}

Architecture active() { return Architecture(ROPEWALK_ONLY_ARCH); }
// The only table rounds twice.
Architecture same_bits() { return active(); }

void use(const kernels::Kernels&) {}

namespace {
constinit const kernels::Int8Kernels* int8_in_use = &ROPEWALK_ONLY_ARCH.int8;
}
const kernels::Int8Kernels& int8(Architecture) { return *int8_in_use; }
void use_int8(const kernels::Int8Kernels& kernels) { int8_in_use = &kernels; }

#else

namespace {

bool has_f16c() {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

bool has_avxvnni() {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & (1U << 4)) != 0;
}

constexpr std::size_t most_tables = 8;

struct Supported {
  const kernels::Kernels* tables[most_tables];
  std::size_t count = 0;

  Supported() {
    __builtin_cpu_init();
#define ROPEWALK_ARCH(name, runs) \
  if (runs) tables[count++] = &name;
#include "arch/list.inc"
#undef ROPEWALK_ARCH
  }
};

const Supported& tables() {
  static const Supported list;
  return list;
}

/// Ends the process for a name that no architecture has: a measurement would be of another one than it says. One that
/// this processor cannot run is passed over.
void check_name(std::string_view wanted) {
  std::string_view names[] = {
#define ROPEWALK_ARCH(name, runs) #name,
#include "arch/list.inc"
#undef ROPEWALK_ARCH
  };
  if (std::ranges::find(names, wanted) != std::end(names)) return;
  std::fprintf(stderr, "ropewalk: ROPEWALK_ARCH is \"%.*s\"; allowed:", static_cast<int>(wanted.size()),
               wanted.data());
  for (const std::string_view name : names) std::fprintf(stderr, " %s", name.data());
  std::fputc('\n', stderr);
  std::abort();
}

std::atomic<const kernels::Kernels*>& chosen() {
  static std::atomic<const kernels::Kernels*> table = [] {
    const char* wanted = std::getenv("ROPEWALK_ARCH");
    if (wanted == nullptr) return supported()[0];
    check_name(wanted);
    const auto found = std::ranges::find(supported(), std::string_view(wanted), &kernels::Kernels::name);
    return found == supported().end() ? supported()[0] : *found;
  }();
  return table;
}

}  // namespace

std::span<const kernels::Kernels* const> supported() { return {tables().tables, tables().count}; }

Architecture active() { return Architecture(*chosen().load(std::memory_order_relaxed)); }

Architecture same_bits() {
  const auto tables = supported();
  return Architecture(**std::find_if(std::ranges::find(tables, &*active()), tables.end(),
                                     [](const kernels::Kernels* each) { return !each->fused; }));
}

const kernels::Int8Kernels& int8(Architecture architecture) { return architecture->int8; }

void use(const kernels::Kernels& kernels) { chosen().store(&kernels, std::memory_order_relaxed); }

#endif

}  // namespace ropewalk::arch

namespace ropewalk {

std::vector<std::string_view> architectures() {
  std::vector<std::string_view> names;
  for (const kernels::Kernels* table : arch::supported()) names.emplace_back(table->name);
  return names;
}

std::string_view architecture() { return arch::active()->name; }

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
