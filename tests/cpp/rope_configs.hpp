// Small configurations, and what the tests of config.hpp expect of them.

#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "ropewalk/config.hpp"
#include "ropewalk/rope.hpp"

namespace rope_configs {

using namespace ropewalk;

inline std::string fixture(const std::string& name) {
  const std::string path = std::string(ROPEWALK_GOLDEN) + "/../fixtures/configs/" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void expect_shape(const RopeOptions& options, std::size_t head_dim, std::size_t rotary_dim,
                         Pairing pairing) {
  EXPECT_EQ(options.head_dim, head_dim);
  EXPECT_EQ(options.rotary_dim, rotary_dim);
  EXPECT_EQ(options.rotary_offset, 0u);
  EXPECT_EQ(options.pairing, pairing);
  EXPECT_EQ(options.angles, Angles::exact);
  EXPECT_TRUE(Rope::make(options).ok());
}

/// A Llama's head with more keys: `more` is members of the object, with a comma at its end or empty.
inline std::string llama(const std::string& more = "") {
  return "{" + more + R"("model_type": "llama", "hidden_size": 512, "num_attention_heads": 8,
    "max_position_embeddings": 4096})";
}
/// The same without a `model_type`, whose class would say which keys it reads.
inline std::string unnamed(const std::string& more) {
  return "{" + more + R"("hidden_size": 512, "num_attention_heads": 8, "max_position_embeddings": 4096})";
}
inline std::string scaled(const std::string& rule) { return llama("\"rope_scaling\": {" + rule + "},"); }

inline RopeOptions of(const std::string& json, const ConfigOptions& options = {}) {
  return rope_options_from_config(json, options);
}

/// nomic-embed-text v1, as published.
inline std::string nomic(const std::string& more) {
  return R"({"model_type": "nomic_bert", "n_embd": 768, "n_head": 12, "n_positions": 8192,
      "max_trained_positions": 2048, "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0,
      "rotary_emb_interleaved": false, "rotary_emb_scale_base": null, )" +
         more + "}";
}

/// The error is of this kind and its message has all these parts.
inline void expect_error(const std::string& json, Status::Code code, const std::vector<std::string>& parts,
                         const ConfigOptions& options = {}) {
  SCOPED_TRACE(json);
  const Result<RopeOptions> result = try_rope_options_from_config(json, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), code) << result.status().message();
  for (const std::string& part : parts) {
    EXPECT_NE(result.status().message().find(part), std::string::npos)
        << result.status().message() << "\nlacks " << part;
  }
  EXPECT_TRUE(result.status().message().starts_with("rope_options_from_config: `"))
      << result.status().message();
}
inline void expect_type_error(const std::string& json, const std::vector<std::string>& parts,
                              const ConfigOptions& o = {}) {
  expect_error(json, Status::Code::type, parts, o);
}
inline void expect_range_error(const std::string& json, const std::vector<std::string>& parts,
                               const ConfigOptions& o = {}) {
  expect_error(json, Status::Code::range, parts, o);
}
/// Unknown keys begin otherwise.
inline void expect_unknown(const std::string& json, const std::vector<std::string>& parts,
                           const ConfigOptions& o = {}) {
  const Result<RopeOptions> result = try_rope_options_from_config(json, o);
  ASSERT_FALSE(result.ok()) << json;
  EXPECT_EQ(result.status().code(), Status::Code::type);
  for (const std::string& part : parts) {
    EXPECT_NE(result.status().message().find(part), std::string::npos)
        << result.status().message() << "\nlacks " << part;
  }
}

inline std::string gte(const std::string& model, const std::string& scaling) {
  return R"({"hidden_size": 768, "num_attention_heads": 12, "model_type": ")" + model +
         R"(", "rope_theta": 20000, "rope_scaling": {"type": "ntk", )" + scaling + "}}";
}

/// A small GGUF llama with more keys, each followed by a comma.
inline std::string gguf(const std::string& more = "", const std::string& architecture = "llama") {
  std::string text = R"({"general.architecture": "A", "A.embedding_length": 512, "A.attention.head_count": 8,
      "A.context_length": 8192, )" +
                     more + "\"A.block_count\": 2}";
  for (std::size_t at; (at = text.find("\"A")) != std::string::npos;) text.replace(at + 1, 1, architecture);
  return text;
}

inline ConfigReading reading_of(const std::string& json, const ConfigOptions& options = {}) {
  return read_rope_config(json, options);
}

/// One of the notes has this part.
inline void expect_note(const ConfigReading& reading, const std::string& part) {
  std::string all;
  for (const std::string& note : reading.notes) all += note + "\n";
  EXPECT_NE(all.find(part), std::string::npos) << all << "lacks " << part;
}

}  // namespace rope_configs
