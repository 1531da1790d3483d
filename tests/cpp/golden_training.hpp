#pragma once

// The models of tests/golden/training, with the batch and the values that go with each.

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "checkpoint.hpp"
#include "golden.hpp"
#include "model/model.hpp"
#include "ropewalk/encoder.hpp"

namespace golden {

struct Case {
  explicit Case(const std::string& encoding)
      : bytes(checkpoint::bytes("training/" + encoding + "/model.safetensors")),
        expected(golden::read("training/" + encoding + "/expected.json")),
        spec(ropewalk::raise(
            ropewalk::spec_from_config(checkpoint::text("training/" + encoding + "/config.json")))),
        model(ropewalk::raise(
            ropewalk::model::Model::load(spec, ropewalk::raise(ropewalk::Safetensors::open(bytes))))) {}
  std::vector<std::byte> bytes;
  nlohmann::json expected;
  ropewalk::Spec spec;
  ropewalk::model::Model model;
};

struct Data {
  std::size_t batch, tokens;
  std::vector<std::int32_t> ids, types, labels, mask;
  ropewalk::EncoderInput input() const { return {ids, batch, tokens, types, mask}; }
};

inline Data data_of(const nlohmann::json& json) {
  return {json["shape"][0], json["shape"][1], json["input_ids"], json["token_type_ids"], json["labels"], {}};
}

inline double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::fabs(value));
  return most;
}

}  // namespace golden
