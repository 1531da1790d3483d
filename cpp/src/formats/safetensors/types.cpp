// The element types, as data.

#include "formats/safetensors/types.hpp"

namespace ropewalk {
namespace {

struct TypeRow {
  std::string_view name;
  std::uint64_t bits;
};

constexpr TypeRow rows[] = {
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
    {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
    {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
};
static_assert(std::size(rows) == static_cast<std::size_t>(SafetensorsType::U64) + 1);

}  // namespace

std::string_view name_of(SafetensorsType type) { return rows[static_cast<std::size_t>(type)].name; }
std::uint64_t bits_of(SafetensorsType type) { return rows[static_cast<std::size_t>(type)].bits; }

namespace safetensors {

std::optional<SafetensorsType> type_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    if (rows[i].name == name) return static_cast<SafetensorsType>(i);
  }
  return std::nullopt;
}

}  // namespace safetensors
}  // namespace ropewalk
