// rope_parameters, read as config.json's are, on top of the ropes that a cache has.

#include "base/text.hpp"
#include "decoder/state.hpp"
#include "formats/json/value.hpp"
#include "rope_config/read.hpp"

namespace ropewalk::decoder {
namespace {

constexpr std::string_view function = "rescale";

json::Value number(double value) {
  json::Value result;
  const bool whole =
      value >= 0 && value < 0x1p53 && value == static_cast<double>(static_cast<std::uint64_t>(value));
  result.kind = whole ? json::Kind::whole : json::Kind::real;
  if (whole) result.magnitude = static_cast<std::uint64_t>(value);
  result.real = value;
  return result;
}

double base_of(const Frequencies& rule) {
  return std::visit(
      [](const auto& each) {
        if constexpr (requires { each.base; }) {
          return each.base;
        } else {
          return 10000.0;
        }
      },
      rule);
}

bool maps_types(const json::Value& given) {
  return given.find("full_attention") != nullptr || given.find("sliding_attention") != nullptr;
}

Result<RopeOptions> read_one(json::Value parameters, const Decoder::State& decoder, const RopeOptions& now) {
  const json::Value* theta = parameters.find("rope_theta");
  if (theta == nullptr) parameters.members.push_back({"rope_theta", number(base_of(now.frequencies))});
  json::Value config;
  config.kind = json::Kind::object;
  const auto add = [&](const char* name, double value) { config.members.push_back({name, number(value)}); };
  add("head_dim", static_cast<double>(now.head_dim));
  if (parameters.find("partial_rotary_factor") == nullptr)
    add("rotary_dim", static_cast<double>(now.rotary_dim.value_or(now.head_dim)));
  if (decoder.read.max_positions != 0)
    add("max_position_embeddings", static_cast<double>(decoder.read.max_positions));
  if (decoder.read.original_max_positions != 0 &&
      parameters.find("original_max_position_embeddings") == nullptr)
    add("original_max_position_embeddings", static_cast<double>(decoder.read.original_max_positions));
  config.members.push_back({"rope_parameters", std::move(parameters)});
  Result<RopeOptions> read =
      rope_config::read_huggingface(config, {.sequence_length = 1, .pairing = now.pairing});
  if (read.ok() && read.value().axes) {
    return out_of_range(function, "mrope_section", "given", "nothing: the positions of text have one axis");
  }
  return read;
}

}  // namespace

Result<std::vector<RopeOptions>> rescaled(std::string_view rope_parameters, const Decoder::State& decoder,
                                          const std::vector<RopeOptions>& now) {
  ROPEWALK_LET(given, json::parse(rope_parameters, function, "rope_parameters"));
  if (given.kind != json::Kind::object)
    return wrong_type(function, "rope_parameters", json::quoted(given), "an object, as in config.json");
  if (now.empty()) return out_of_range(function, "rope_parameters", "given", "nothing: no layer rotates");
  if (now.size() > 1 && !maps_types(given)) {
    return wrong_type(function, "rope_parameters", "one rule",
                      "one for each type of layers, under \"full_attention\" and \"sliding_attention\"");
  }
  std::vector<RopeOptions> next = now;
  for (std::size_t r = 0; r < now.size(); ++r) {
    json::Value parameters = given;
    if (maps_types(given)) {
      bool slides = false;
      for (std::size_t l = 0; l < decoder.layout->layers(); ++l)
        slides = slides || (decoder.layout->ropes[l] == r && decoder.layout->windows[l]);
      const json::Value* of_type = given.find(slides ? "sliding_attention" : "full_attention");
      if (of_type == nullptr || of_type->kind == json::Kind::null) continue;
      if (of_type->kind != json::Kind::object) {
        return wrong_type(function,
                          slides ? "rope_parameters.sliding_attention" : "rope_parameters.full_attention",
                          json::quoted(*of_type), "an object of rope parameters");
      }
      parameters = *of_type;
    }
    ROPEWALK_LET(read, read_one(std::move(parameters), decoder, now[r]));
    next[r] = std::move(read);
  }
  return next;
}

}  // namespace ropewalk::decoder
