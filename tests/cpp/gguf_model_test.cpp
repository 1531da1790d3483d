// Decoders in GGUF files: blocks bit for bit, logits against float64, and files that must be refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <utility>

#include "checkpoint.hpp"
#include "formats/gguf.hpp"
#include "formats/gguf_weights.hpp"
#include "golden.hpp"
#include "ropewalk/decoder.hpp"
#include "ropewalk/encoder.hpp"
#include "ropewalk/sentence.hpp"

namespace gguf_model_test {

using namespace ropewalk;

std::vector<std::byte> from_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

/// Reads the blocks of a file; how many types it holds.
std::size_t check_blocks(const char* path) {
  std::size_t checked = 0;
  const nlohmann::json file = golden::read(path);
  for (const auto& each : file["cases"]) {
    const std::string name = each["type"];
    SCOPED_TRACE(name);
    const gguf::TensorType* type = gguf::tensor_type(name);
    if (type == nullptr || !gguf::is_readable(*type)) {
      ADD_FAILURE() << name << " is not read";
      continue;
    }
    const std::vector<std::byte> data = from_hex(each["bytes"]);
    const std::vector<std::uint32_t> expected = each["weights_bits"];
    std::vector<float> weights(expected.size());
    EXPECT_EQ(data.size(), weights.size() / type->elements * type->bytes);
    gguf::read_blocks(*type, data, weights);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(weights[i]);
      if (bits << 1 == 0 && expected[i] << 1 == 0) continue;  // either zero
      EXPECT_EQ(bits, expected[i]) << i;
    }
    ++checked;
  }
  return checked;
}

TEST(GgufWeights, OfBlocksAreThoseOfTheReferenceBitForBit) {
  EXPECT_GE(check_blocks("gguf/blocks.json"), 6u);
  EXPECT_EQ(check_blocks("gguf-2/blocks.json"), 4u);
}

/// CRC-32 of IEEE 802.3, as zlib has it.
std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t crc = ~0U;
  for (const std::byte each : bytes) {
    crc ^= static_cast<std::uint32_t>(each);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

TEST(GgufWeights, OfWholeFilesAreThoseOfTheReference) {
  std::size_t checked = 0;
  for (const char* name : {"bert-q8_0", "gemma2-q8_0", "gemma3-q4_0", "granite-q8_0", "modern-bert-q8_0",
                           "phi3-longrope-q8_0", "qwen3-q8_0", "smollm3-bf16"}) {
    const std::string path = std::string("gguf-2/") + name;
    const std::vector<std::byte> file = checkpoint::bytes(path + ".gguf");
    const auto header = gguf::Header::open(file, file.size());
    ASSERT_TRUE(header.ok()) << name << ": " << header.status().message();
    const nlohmann::json expected = golden::read(path + ".json");
    for (const auto& each : expected["tensors"]) {
      const gguf::Tensor* tensor = header.value().tensor(each["name"].get<std::string>());
      ASSERT_NE(tensor, nullptr) << name << " " << each["name"];
      std::vector<float> weights(tensor->elements);
      gguf::read_blocks(*tensor->type, std::span(file).subspan(tensor->offset, tensor->bytes), weights);
      EXPECT_EQ(crc32(std::as_bytes(std::span(weights))), each["crc32"].get<std::uint32_t>())
          << name << " " << each["name"];
      ++checked;
    }
  }
  EXPECT_GT(checked, 300u);
}

TEST(GgufModels, GiveTheLogitsOfTheReference) {
  for (const char* name :
       {"llama-f32", "llama-q8_0", "llama-q4_0-rope-freqs", "llama-k", "qwen2-f16", "qwen2-bf16"}) {
    SCOPED_TRACE(name);
    const nlohmann::json expected = golden::read(std::string("gguf/") + name + ".json");
    const Decoder model = raise(Decoder::make_gguf(checkpoint::bytes(std::string("gguf/") + name + ".gguf")));
    KeyCache cache = model.cache();
    const std::vector<std::int32_t> ids = expected["ids"];
    const std::span<const float> logits = cache.feed(ids, {.all = true});
    const std::vector<double> reference = expected["logits"];
    ASSERT_EQ(logits.size(), reference.size());
    double worst = 0;
    for (std::size_t i = 0; i < reference.size(); ++i)
      worst = std::max(worst, std::fabs(double{logits[i]} - reference[i]));
    EXPECT_LE(worst, 2e-5);
    EXPECT_TRUE(model.notes().empty()) << model.notes().front();
    EXPECT_NE(model.config().find("general.architecture"), std::string::npos);
    std::printf("  %s: %.1e\n", name, worst);
  }
}

/// The file of tests/golden/gguf-2 and what must hold of it.
struct Other {
  const char* name;
  std::size_t notes;
};

class GgufArchitectures : public testing::TestWithParam<Other> {};

// Held against llama.cpp by those who made them; the logits are Transformers' in float64.
TEST_P(GgufArchitectures, GiveTheLogitsOfTheReference) {
  const std::string path = std::string("gguf-2/") + GetParam().name;
  const nlohmann::json expected = golden::read(path + ".json");
  const Decoder model = raise(Decoder::make_gguf(checkpoint::bytes(path + ".gguf")));
  const std::vector<std::int32_t> ids = expected["ids"];
  const std::vector<double> reference = expected["logits"];
  double largest = 0;
  for (const double value : reference) largest = std::max(largest, std::fabs(value));
  KeyCache whole = model.cache();
  const std::span<const float> logits = whole.feed(ids, {.all = true});
  ASSERT_EQ(logits.size(), reference.size());
  double worst = 0;
  for (std::size_t i = 0; i < reference.size(); ++i)
    worst = std::max(worst, std::fabs(double{logits[i]} - reference[i]));
  EXPECT_LE(worst, 2e-5 * largest);
  EXPECT_EQ(model.notes().size(), GetParam().notes) << model.notes().front();
  std::printf("  %s: %.1e of %.1f\n", GetParam().name, worst, largest);
}

INSTANTIATE_TEST_SUITE_P(All, GgufArchitectures,
                         testing::Values(Other{"qwen3-q8_0", 0}, Other{"smollm3-bf16", 0},
                                         Other{"phi3-longrope-q8_0", 0}, Other{"granite-q8_0", 0},
                                         Other{"gemma2-q8_0", 1}, Other{"gemma3-q4_0", 1}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// A GGUF file of a golden decoder, as the converter of llama.cpp writes it: names, keys and moved weights, none of them
/// taken from the code under test.
struct Converted {
  const char* folder;
  const char* architecture;
  /// Keys besides the sizes, behind the architecture and a dot. Whole numbers are u32, others f32.
  nlohmann::json keys;
  /// Parts of names of tensors and what stands for them, the first that is found.
  std::vector<std::pair<const char*, const char*>> names;
  /// Where such files cannot say what the golden configuration says: the part of a config.json that says the same. The logits
  /// are then those of this configuration, whose rules other golden decoders hold.
  nlohmann::json instead = nullptr;
};

/// Names of Llama's tensors, which most families have.
const std::vector<std::pair<const char*, const char*>> llama_names = {
    {"model.embed_tokens.", "token_embd."},
    {"lm_head.", "output."},
    {"model.norm.", "output_norm."},
    {"model.final_layernorm.", "output_norm."},
    {"model.layers.", "blk."},
    {"self_attn.q_proj.", "attn_q."},
    {"self_attn.k_proj.", "attn_k."},
    {"self_attn.v_proj.", "attn_v."},
    {"self_attn.q_norm.", "attn_q_norm."},
    {"self_attn.k_norm.", "attn_k_norm."},
    {"self_attn.query_layernorm.", "attn_q_norm."},
    {"self_attn.key_layernorm.", "attn_k_norm."},
    {"self_attn.o_proj.", "attn_output."},
    {"self_attn.dense.", "attn_output."},
    {"mlp.gate_proj.", "ffn_gate."},
    {"mlp.up_proj.", "ffn_up."},
    {"mlp.down_proj.", "ffn_down."},
    {"mlp.fc1.", "ffn_up."},
    {"mlp.fc2.", "ffn_down."},
    {"input_layernorm.", "attn_norm."},
};
std::vector<std::pair<const char*, const char*>> llama_names_and(
    std::vector<std::pair<const char*, const char*>> more) {
  more.insert(more.end(), llama_names.begin(), llama_names.end());
  return more;
}
const std::vector<std::pair<const char*, const char*>> pre_norm =
    llama_names_and({{"post_attention_layernorm.", "ffn_norm."}});
const std::vector<std::pair<const char*, const char*>> after_norm =
    llama_names_and({{"post_attention_layernorm.", "post_attention_norm."},
                     {"post_feedforward_layernorm.", "post_ffw_norm."}});
const std::vector<std::pair<const char*, const char*>> gpt2_names = {
    {"transformer.", ""},          {"wte.", "token_embd."},          {"wpe.", "position_embd."},
    {"ln_f.", "output_norm."},     {"ln_1.", "attn_norm."},          {"ln_2.", "ffn_norm."},
    {"attn.c_attn.", "attn_qkv."}, {"attn.c_proj.", "attn_output."}, {"mlp.c_fc.", "ffn_up."},
    {"mlp.c_proj.", "ffn_down."},  {"lm_head.", "output."},
};
const std::vector<std::pair<const char*, const char*>> neox_names = {
    {"gpt_neox.embed_in.", "token_embd."},
    {"gpt_neox.final_layer_norm.", "output_norm."},
    {"embed_out.", "output."},
    {"gpt_neox.layers.", "blk."},
    {"attention.query_key_value.", "attn_qkv."},
    {"attention.dense.", "attn_output."},
    {"mlp.dense_h_to_4h.", "ffn_up."},
    {"mlp.dense_4h_to_h.", "ffn_down."},
    {"input_layernorm.", "attn_norm."},
    {"post_attention_layernorm.", "ffn_norm."},
};

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void put_text(std::string& out, const std::string& text) {
  put<std::uint64_t>(out, text.size());
  out += text;
}
void put_key(std::string& out, const std::string& key, const nlohmann::json& value) {
  put_text(out, key);
  if (value.is_string()) {
    put<std::uint32_t>(out, 8);
    put_text(out, value.get<std::string>());
  } else if (value.is_boolean()) {
    put<std::uint32_t>(out, 7);
    put<std::uint8_t>(out, value.get<bool>() ? 1 : 0);
  } else if (value.is_number_integer()) {
    put<std::uint32_t>(out, 4);
    put<std::uint32_t>(out, value.get<std::uint32_t>());
  } else {
    put<std::uint32_t>(out, 6);
    put<float>(out, value.get<float>());
  }
}

/// Rows and columns of `data` exchanged.
std::string transposed(const std::string& data, std::size_t rows, std::size_t columns, std::size_t size) {
  std::string out;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) out += data.substr((r * columns + c) * size, size);
  }
  return out;
}

/// From query, key and value of each head to the queries of all heads, their keys, their values.
std::string by_kind(const std::string& data, std::size_t heads) {
  const std::size_t part = data.size() / heads / 3;
  std::string out;
  for (std::size_t kind = 0; kind < 3; ++kind) {
    for (std::size_t head = 0; head < heads; ++head) out += data.substr((head * 3 + kind) * part, part);
  }
  return out;
}

std::vector<std::byte> convert(const Converted& model) {
  const nlohmann::json config = golden::read(std::string(model.folder) + "/config.json");
  const std::string file = checkpoint::text(std::string(model.folder) + "/model.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  const nlohmann::json header = nlohmann::json::parse(file.substr(8, length));
  const auto size = [&](const char* name, const char* other) {
    return config.contains(name) ? config[name] : config[other];
  };
  const std::size_t heads = size("num_attention_heads", "n_head");
  const std::size_t width = size("hidden_size", "n_embd");
  nlohmann::json keys = {
      {"embedding_length", width},
      {"block_count", size("num_hidden_layers", "n_layer")},
      {"context_length", size("max_position_embeddings", "n_positions")},
      {"feed_forward_length",
       model.architecture == std::string("gpt2") ? nlohmann::json(4 * width) : config["intermediate_size"]},
      {"attention.head_count", heads}};
  if (model.architecture != std::string("gpt2"))
    keys["attention.head_count_kv"] = config.value("num_key_value_heads", heads);
  if (config.contains("head_dim"))
    keys["attention.key_length"] = keys["attention.value_length"] = config["head_dim"];
  if (config.contains("sliding_window") && !config["sliding_window"].is_null())
    keys["attention.sliding_window"] = config["sliding_window"];
  keys.update(model.keys);

  std::string infos, data;
  std::uint64_t tensors = 0;
  for (const auto& [name, about] : header.items()) {
    // Buffers of old files, which the converter leaves out.
    if (name == "__metadata__" || name.ends_with("attention.bias") || name.ends_with("masked_bias") ||
        name.ends_with("inv_freq"))
      continue;
    std::string as = name;
    for (const auto& [from, to] : model.names) {
      if (const std::size_t at = as.find(from); at != as.npos) as.replace(at, std::strlen(from), to);
    }
    if (as.starts_with("h.")) as.replace(0, 2, "blk.");
    std::vector<std::size_t> shape = about["shape"];
    const std::size_t begin = about["data_offsets"][0], end = about["data_offsets"][1];
    const std::string type = about["dtype"];
    std::string bytes = file.substr(8 + length + begin, end - begin);
    if (name.find(".c_") != name.npos && shape.size() == 2) {
      bytes = transposed(bytes, shape[0], shape[1], type == "F32" ? 4 : 2);
      std::swap(shape[0], shape[1]);
    }
    if (name.find("query_key_value") != name.npos) bytes = by_kind(bytes, heads);
    put_text(infos, as);
    put<std::uint32_t>(infos, static_cast<std::uint32_t>(shape.size()));
    for (std::size_t d = shape.size(); d-- > 0;) put<std::uint64_t>(infos, shape[d]);
    put<std::uint32_t>(infos, type == "F32" ? 0 : type == "F16" ? 1 : 30);
    put<std::uint64_t>(infos, data.size());
    data += bytes;
    data.resize((data.size() + 31) / 32 * 32);
    ++tensors;
  }
  std::string out = "GGUF";
  put<std::uint32_t>(out, 3);
  put<std::uint64_t>(out, tensors);
  put<std::uint64_t>(out, keys.size() + 1);
  put_key(out, "general.architecture", model.architecture);
  for (const auto& [key, value] : keys.items())
    put_key(out, std::string(model.architecture) + "." + key, value);
  out += infos;
  out.resize((out.size() + 31) / 32 * 32);
  return checkpoint::bytes_of(out + data);
}

std::vector<Converted> converted_decoders() {
  const nlohmann::json rms = {{"attention.layer_norm_rms_epsilon", 1e-5}};
  const nlohmann::json norm = {{"attention.layer_norm_epsilon", 1e-5}};
  const auto with = [](nlohmann::json keys, const nlohmann::json& more) {
    keys.update(more);
    return keys;
  };
  const auto rope = [](double base, int dim) {
    return nlohmann::json{{"rope.freq_base", base}, {"rope.dimension_count", dim}};
  };
  return {
      {"decoders-2/ernie4_5", "ernie4_5", with(rms, rope(500000, 16)), pre_norm},
      {"decoders-2/stablelm", "stablelm",
       with(with(norm, rope(10000, 2)), {{"use_parallel_residual", false}}), pre_norm},
      {"decoders-2/olmo2", "olmo2", with(rms, rope(10000, 8)), after_norm},
      {"decoders-2/olmo3",
       "olmo2",
       with(with(rms, rope(10000, 8)), {{"rope.scaling.type", "yarn"},
                                        {"rope.scaling.factor", 4.0},
                                        {"rope.scaling.original_context_length", 16}}),
       after_norm,
       // llama.cpp: the base of all layers, and no scaling in those with a window.
       {{"rope_parameters",
         {{"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 10000.0}}},
          {"full_attention",
           {{"rope_type", "yarn"},
            {"rope_theta", 10000.0},
            {"factor", 4.0},
            {"original_max_position_embeddings", 16}}}}}}},
      {"decoders-2/exaone4", "exaone4", with(rms, rope(10000, 8)), after_norm},
      {"decoders-2/cohere2", "cohere2", with(with(norm, rope(10000, 8)), {{"logit_scale", 0.25}}), pre_norm},
      // The converter writes the base that `alpha` gives.
      {"decoders-2/hunyuan-dense", "hunyuan-dense", with(rms, rope(10000 * std::pow(1000, 16.0 / 14), 16)),
       pre_norm},
      {"decoders-2/phi", "phi2", with(norm, rope(10000, 4)), pre_norm},
      {"decoders-2/gpt2", "gpt2", norm, gpt2_names},
      {"decoders/gpt-neox", "gptneox", with(with(norm, rope(10000, 4)), {{"use_parallel_residual", true}}),
       neox_names},
  };
}

TEST(GgufModels, OfEachArchitectureGiveTheLogitsOfTheGoldenDecoder) {
  for (const Converted& each : converted_decoders()) {
    SCOPED_TRACE(each.folder);
    const nlohmann::json expected = golden::read(std::string(each.folder) + "/expected.json");
    const Result<Decoder> made = Decoder::make_gguf(convert(each));
    ASSERT_TRUE(made.ok()) << made.status().message();
    KeyCache cache = made.value().cache();
    const std::vector<std::int32_t> ids = expected["ids"];
    const std::span<const float> logits = cache.feed(ids, {.all = true});
    std::vector<double> reference = expected["logits"];
    if (!each.instead.is_null()) {
      nlohmann::json config = golden::read(std::string(each.folder) + "/config.json");
      config.update(each.instead);
      const std::string file = checkpoint::text(std::string(each.folder) + "/model.safetensors");
      const Decoder same = raise(Decoder::make(config.dump(), checkpoint::bytes_of(file)));
      KeyCache other = same.cache();
      const std::span<const float> others = other.feed(ids, {.all = true});
      reference.assign(others.begin(), others.end());
    }
    ASSERT_EQ(logits.size(), reference.size());
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
      worst = std::max(worst, std::fabs(double{logits[i]} - reference[i]));
      largest = std::max(largest, std::fabs(reference[i]));
    }
    EXPECT_LE(worst, 1e-5 * largest);
    std::printf("  %s: %.1e of %.1f\n", each.folder, worst, largest);
  }
}

// Norms per head, as the model of 12 billion parameters has them.
TEST(GgufModels, RefuseAStableLmWithNormsOfQueries) {
  std::vector<Converted> all = converted_decoders();
  Converted model = all[1];
  model.names.insert(model.names.begin(), {"self_attn.q_proj.weight", "attn_q_norm.weight"});
  const Result<Decoder> made = Decoder::make_gguf(convert(model));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.status().message().find("qk_layernorm"), std::string::npos) << made.status().message();
}

class GgufEncoders : public testing::TestWithParam<const char*> {};

TEST_P(GgufEncoders, GiveTheVectorsOfTheReference) {
  const std::string path = std::string("gguf-2/") + GetParam();
  const nlohmann::json expected = golden::read(path + ".json");
  Encoder model = raise(Encoder::make_gguf(checkpoint::bytes(path + ".gguf")));
  EXPECT_TRUE(model.notes().empty()) << model.notes().front();
  const std::vector<std::int32_t> ids = expected["ids"];
  const auto output = model.forward({.input_ids = ids, .sequence = ids.size()}, {.logits = false});
  const auto expect_near = [&](std::span<const float> found, const char* name) {
    const std::vector<double> reference = expected[name];
    ASSERT_EQ(found.size(), reference.size());
    double worst = 0;
    for (std::size_t i = 0; i < reference.size(); ++i)
      worst = std::max(worst, std::fabs(double{found[i]} - reference[i]));
    EXPECT_LE(worst, 1e-5) << name;
    std::printf("  %s, %s: %.1e\n", GetParam(), name, worst);
  };
  expect_near(output.last_hidden_state, "last_hidden_state");
  SentenceModules modules({}, model.spec().hidden);
  const auto sentence = modules.run({.hidden_states = output.last_hidden_state, .sequence = ids.size()},
                                    {.pooling = Pooling::mean});
  expect_near(sentence.embedding, "sentence_embedding");
}

TEST_P(GgufEncoders, AreNoDecoders) {
  const std::string path = std::string("gguf-2/") + GetParam();
  EXPECT_FALSE(Decoder::make_gguf(checkpoint::bytes(path + ".gguf")).ok());
}

INSTANTIATE_TEST_SUITE_P(All, GgufEncoders, testing::Values("bert-q8_0", "modern-bert-q8_0"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(GgufModels, RefuseHostileFiles) {
  const nlohmann::json file = golden::read("gguf/hostile/hostile.json");
  std::size_t refused = 0;
  for (const auto& each : file["files"]) {
    const std::string name = each["file"];
    const Result<Decoder> made = Decoder::make_gguf(checkpoint::bytes("gguf/hostile/" + name));
    EXPECT_FALSE(made.ok()) << name << ": " << each["why"];
    EXPECT_FALSE(made.status().message().empty()) << name;
    refused += made.ok() ? 0 : 1;
  }
  EXPECT_EQ(refused, file["files"].size());
  EXPECT_GE(refused, 50u);
  EXPECT_TRUE(Decoder::make_gguf(checkpoint::bytes("gguf/hostile/good.gguf")).ok())
      << Decoder::make_gguf(checkpoint::bytes("gguf/hostile/good.gguf")).status().message();
}

}  // namespace gguf_model_test
