#pragma once

// Numbers on which C++ and TypeScript agree, as JSON: enumerations, places in the block of hot calls, and other blocks.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../bindings/embind/blocks.hpp"
#include "../../bindings/embind/call.hpp"
#include "options/write.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/sentence.hpp"

namespace ropewalk::options {

/// [a,b,...] of values in JSON.
inline std::string list_json(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& value : values) text.append(text.size() == 1 ? "" : ",").append(value);
  return text + "]";
}

inline std::string names_json(const std::vector<std::string_view>& names) {
  std::vector<std::string> values;
  for (const std::string_view name : names) values.push_back(json::quoted(name));
  return list_json(values);
}

/// The name of an enumerator, from the compiler's description of this function; empty for a value that has none.
template <auto value>
constexpr std::string_view name_of() {
  const std::string_view signature = __PRETTY_FUNCTION__;
  const std::size_t begin = signature.find("value = ") + 8;
  const std::string_view name = signature.substr(begin, signature.find_first_of(";]", begin) - begin);
  return name.front() == '(' ? "" : name.substr(name.rfind(':') + 1);
}

/// The names of an enumeration, each at the place of its value.
template <class Enumeration, int value = 0>
void add_names(std::vector<std::string_view>& names) {
  if constexpr (constexpr std::string_view name = name_of<static_cast<Enumeration>(value)>(); !name.empty()) {
    names.push_back(name);
    add_names<Enumeration, value + 1>(names);
  }
}
template <class Enumeration>
std::string enumeration_json() {
  std::vector<std::string_view> names;
  add_names<Enumeration>(names);
  return names_json(names);
}

/// A member and its place in words of 32 bits.
using Member = std::pair<std::string_view, std::size_t>;
#define AT(Struct, member) Member(#member, offsetof(Struct, member) / 4)

inline std::string places_json(const std::vector<Member>& members) {
  Writer writer;
  for (const auto& [name, place] : members) writer.add(name, json_of(place));
  return std::move(writer).object();
}

inline std::string numbers_to_json() {
  using embind::Call;
  Writer writer;
  writer.add("codes", enumeration_json<Status::Code>());
  writer.add("dtypes", enumeration_json<DType>());
  writer.add("pairings", enumeration_json<Pairing>());
  writer.add("layouts", enumeration_json<Layout>());
  writer.add("roles", enumeration_json<Role>());
  writer.add("poolings", enumeration_json<Pooling>());
  writer.add("precisions", enumeration_json<Precision>());
  writer.add("stored_keys", enumeration_json<StoredKeys>());
  writer.add("cache_types", enumeration_json<CacheType>());
  writer.add("outputs", enumeration_json<embind::Output>());
  writer.add("works", enumeration_json<embind::Work>());
  writer.add("call", places_json({AT(Call, positions),
                                  AT(Call, to),
                                  AT(Call, x),
                                  AT(Call, k),
                                  AT(Call, batch),
                                  AT(Call, sequence),
                                  AT(Call, heads),
                                  AT(Call, layout),
                                  AT(Call, strides),
                                  AT(Call, cumulative_lengths),
                                  AT(Call, cumulative_count),
                                  AT(Call, role),
                                  AT(Call, kv_heads),
                                  AT(Call, key_strides),
                                  AT(Call, to_rope),
                                  AT(Call, magnitude),
                                  AT(Call, gradients),
                                  AT(Call, dimension),
                                  AT(Call, pairs),
                                  AT(Call, pairing),
                                  AT(Call, grad_angles)}));
  using PositionsArgument = Call::PositionsArgument;
  writer.add("positions", places_json({AT(PositionsArgument, start), AT(PositionsArgument, values),
                                       AT(PositionsArgument, count)}));
  using ArrayArgument = Call::ArrayArgument;
  writer.add("array",
             places_json({AT(ArrayArgument, x), AT(ArrayArgument, x_size), AT(ArrayArgument, x_type),
                          AT(ArrayArgument, out), AT(ArrayArgument, out_size), AT(ArrayArgument, out_type)}));
  using StridesArgument = Call::StridesArgument;
  writer.add("strides", places_json({AT(StridesArgument, batch), AT(StridesArgument, sequence),
                                     AT(StridesArgument, head)}));
  using Found = Call::Found;
  writer.add("found", places_json({AT(Found, address), AT(Found, size)}));
  writer.add("found_words", json_of(sizeof(Found) / 4));
  writer.add("call_words", json_of(sizeof(Call) / 4));
  Writer limits;
  limits.add("bytes", json_of(json::document_limits.bytes));
  limits.add("values", json_of(json::document_limits.values));
  writer.add("json_limits", std::move(limits).object());
  writer.add("file_block", json::quoted(embind::FileBlock::names));
  writer.add("forward_block", json::quoted(embind::ForwardBlock::names));
  writer.add("batch_block", json::quoted(embind::BatchBlock::names));
  writer.add("sampling_block", json::quoted(embind::SamplingBlock::names));
  return std::move(writer).object();
}

#undef AT

}  // namespace ropewalk::options
