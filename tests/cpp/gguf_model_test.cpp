// Decoders in GGUF files: blocks bit for bit, logits against float64, and files that must be refused.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <utility>

#include "checkpoint.hpp"
#include "formats/gguf.hpp"
#include "formats/gguf_weights.hpp"
#include "golden.hpp"
#include "golden_encoders.hpp"
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
  /// Keys besides the sizes, behind the architecture and a dot. Whole numbers are u32, in lists i32, others f32.
  nlohmann::json keys;
  /// Parts of names of tensors and what stands for them, the first that is found.
  std::vector<std::pair<const char*, const char*>> names;
  /// Changes values as the converter does; nullptr: they stay.
  void (*change)(std::map<std::string, struct Stored>& checkpoint) = nullptr;
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
const std::vector<std::pair<const char*, const char*>> glm4_names =
    llama_names_and({{"post_self_attn_layernorm.", "post_attention_norm."},
                     {"post_attention_layernorm.", "ffn_norm."},
                     {"post_mlp_layernorm.", "post_ffw_norm."},
                     {"mlp.gate_up_proj.", "ffn_up."}});
const std::vector<std::pair<const char*, const char*>> glm_names =
    llama_names_and({{"post_attention_layernorm.", "ffn_norm."}, {"mlp.gate_up_proj.", "ffn_up."}});
const std::vector<std::pair<const char*, const char*>> lfm2_names =
    llama_names_and({{"model.embedding_norm.", "token_embd_norm."},
                     {"operator_norm.", "attn_norm."},
                     {"self_attn.q_layernorm.", "attn_q_norm."},
                     {"self_attn.k_layernorm.", "attn_k_norm."},
                     {"self_attn.out_proj.", "attn_output."},
                     {"feed_forward.w1.", "ffn_gate."},
                     {"feed_forward.w2.", "ffn_down."},
                     {"feed_forward.w3.", "ffn_up."},
                     {"conv.conv.", "shortconv.conv."},
                     {"conv.in_proj.", "shortconv.in_proj."},
                     {"conv.out_proj.", "shortconv.out_proj."}});
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
  } else if (value.is_array()) {
    put<std::uint32_t>(out, 9);
    put<std::uint32_t>(out, 5);
    put<std::uint64_t>(out, value.size());
    for (const nlohmann::json& each : value) put<std::int32_t>(out, each.get<std::int32_t>());
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

/// A tensor of a checkpoint.
struct Stored {
  std::string type;
  std::vector<std::size_t> shape;
  std::string bytes;
};
using Checkpoint = std::map<std::string, Stored>;

Checkpoint stored(const std::string& folder) {
  const std::vector<std::byte> weights = golden::weights_in(folder);
  const std::string file(reinterpret_cast<const char*>(weights.data()), weights.size());
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  const nlohmann::json header = nlohmann::json::parse(file.substr(8, length));
  Checkpoint checkpoint;
  for (const auto& [name, about] : header.items()) {
    if (name == "__metadata__") continue;
    const std::size_t begin = about["data_offsets"][0], end = about["data_offsets"][1];
    checkpoint[name] = {about["dtype"], about["shape"], file.substr(8 + length + begin, end - begin)};
  }
  return checkpoint;
}

/// The gains of a Gemma's norms with the 1 that the converter adds.
void add_one(Stored& tensor) {
  ASSERT_EQ(tensor.type, "BF16");
  std::string bytes;
  for (std::size_t i = 0; i < tensor.bytes.size(); i += 2) {
    std::uint16_t upper = 0;
    std::memcpy(&upper, tensor.bytes.data() + i, 2);
    put<float>(bytes, std::bit_cast<float>(std::uint32_t{upper} << 16) + 1);
  }
  tensor.type = "F32";
  tensor.bytes = bytes;
}

std::vector<std::byte> convert(const Converted& model) {
  const nlohmann::json config = golden::read(std::string(model.folder) + "/config.json");
  const auto size = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (config.contains(name)) return config[name];
    }
    return nlohmann::json();
  };
  const std::string architecture = model.architecture;
  const std::size_t heads = size({"num_attention_heads", "n_head", "n_heads"});
  const std::size_t width = size({"hidden_size", "n_embd", "dim"});
  nlohmann::json keys = {
      {"embedding_length", width},
      {"block_count", size({"num_hidden_layers", "n_layer", "n_layers"})},
      {"context_length", size({"max_position_embeddings", "n_positions"})},
      {"feed_forward_length", architecture == "gpt2" ? nlohmann::json(4 * width)
                                                     : size({"intermediate_size", "n_inner", "hidden_dim"})},
      {"attention.head_count", heads}};
  if (architecture != "gpt2" &&
      (config.contains("num_key_value_heads") || architecture.find("bert") == architecture.npos))
    keys["attention.head_count_kv"] = config.value("num_key_value_heads", heads);
  if (config.contains("head_dim"))
    keys["attention.key_length"] = keys["attention.value_length"] = config["head_dim"];
  if (config.contains("sliding_window") && !config["sliding_window"].is_null())
    keys["attention.sliding_window"] = config["sliding_window"];
  keys.update(model.keys);

  Checkpoint checkpoint = stored(model.folder);
  if (model.change != nullptr) model.change(checkpoint);
  std::string infos, data;
  std::uint64_t tensors = 0;
  for (auto& [name, tensor] : checkpoint) {
    // Buffers of old files, which the converter leaves out, as it does what encoders do not need.
    if (name.ends_with("attention.bias") || name.ends_with("masked_bias") || name.ends_with("inv_freq") ||
        name.starts_with("cls.predictions") || name.find("pooler.") != name.npos)
      continue;
    std::string as = name;
    for (const auto& [from, to] : model.names) {
      if (const std::size_t at = as.find(from); at != as.npos) as.replace(at, std::strlen(from), to);
    }
    if (as.starts_with("h.")) as.replace(0, 2, "blk.");
    std::vector<std::size_t>& shape = tensor.shape;
    if (name.find(".c_") != name.npos && shape.size() == 2) {
      tensor.bytes = transposed(tensor.bytes, shape[0], shape[1], tensor.type == "F32" ? 4 : 2);
      std::swap(shape[0], shape[1]);
    }
    if (name.find("query_key_value") != name.npos) tensor.bytes = by_kind(tensor.bytes, heads);
    put_text(infos, as);
    put<std::uint32_t>(infos, static_cast<std::uint32_t>(shape.size()));
    for (std::size_t d = shape.size(); d-- > 0;) put<std::uint64_t>(infos, shape[d]);
    put<std::uint32_t>(infos, tensor.type == "F32" ? 0 : tensor.type == "F16" ? 1 : 30);
    put<std::uint64_t>(infos, data.size());
    data += tensor.bytes;
    data.resize((data.size() + 31) / 32 * 32);
    ++tensors;
  }
  std::string out = "GGUF";
  put<std::uint32_t>(out, 3);
  put<std::uint64_t>(out, tensors);
  put<std::uint64_t>(out, keys.size() + 1);
  put_key(out, "general.architecture", architecture);
  for (const auto& [key, value] : keys.items()) put_key(out, architecture + "." + key, value);
  out += infos;
  out.resize((out.size() + 31) / 32 * 32);
  return checkpoint::bytes_of(out + data);
}

/// The weights of a convolution of channels become a matrix.
void without_middle_dimension(Checkpoint& checkpoint) {
  for (auto& [name, tensor] : checkpoint) {
    if (name.find("conv.conv") != name.npos) tensor.shape.erase(tensor.shape.begin() + 1);
  }
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
       nullptr,
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
      {"decoders-2/glm4", "glm4", with({{"attention.layer_norm_rms_epsilon", 1.5625e-7}}, rope(10000, 8)),
       glm4_names},
      // The converter knows another name of the number, and writes 1e-5.
      {"decoders-2/glm", "chatglm", with(rms, rope(10000, 8)), glm_names, nullptr, {{"rms_norm_eps", 1e-5}}},
      {"decoders-2/lfm2", "lfm2",
       with(rms, {{"rope.freq_base", 1000000.0},
                  {"shortconv.l_cache", 3},
                  {"attention.head_count_kv", {0, 0, 2, 0, 2}}}),
       lfm2_names, without_middle_dimension},
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

// A file whose layers have different heads, and one in which none has any.
TEST(GgufModels, RefuseHeadsOfKeysThatNoModelHas) {
  for (const nlohmann::json heads : {nlohmann::json{0, 0, 2, 0, 3}, nlohmann::json{0, 0, 0, 0, 0}}) {
    std::vector<Converted> all = converted_decoders();
    all.back().keys["attention.head_count_kv"] = heads;
    const Result<Decoder> made = Decoder::make_gguf(convert(all.back()));
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.status().message().find("lfm2.attention.head_count_kv"), std::string::npos)
        << made.status().message();
  }
}

const std::vector<std::pair<const char*, const char*>> bert_names = {
    {"distilbert.", ""},
    {"roberta.", ""},
    {"bert.", ""},
    {"mlp.gated_layers_w.", "ffn_gate."},
    {"mlp.gated_layers.", "ffn_up."},
    {"embeddings.word_embeddings.", "token_embd."},
    {"embeddings.token_type_embeddings.", "token_types."},
    {"embeddings.position_embeddings.", "position_embd."},
    {"embeddings.LayerNorm.", "token_embd_norm."},
    {"emb_ln.", "token_embd_norm."},
    {"encoder.layers.", "blk."},
    {"encoder.layer.", "blk."},
    {"transformer.layer.", "blk."},
    {"layers.", "blk."},
    {"attention.self.query.", "attn_q."},
    {"attention.self.key.", "attn_k."},
    {"attention.self.value.", "attn_v."},
    {"attention.q_lin.", "attn_q."},
    {"attention.k_lin.", "attn_k."},
    {"attention.v_lin.", "attn_v."},
    {"attention.out_lin.", "attn_output."},
    {"attention.output.dense.", "attn_output."},
    {"attention.output.LayerNorm.", "attn_output_norm."},
    {"sa_layer_norm.", "attn_output_norm."},
    {"output_layer_norm.", "layer_output_norm."},
    {"intermediate.dense.", "ffn_up."},
    {"ffn.lin1.", "ffn_up."},
    {"ffn.lin2.", "ffn_down."},
    {".output.dense.", ".ffn_down."},
    {".output.LayerNorm.", ".layer_output_norm."},
    {"mlp.wo.", "ffn_down."},
    {"mlp.layernorm.", "layer_output_norm."},
    {"attn.Wqkv.", "attn_qkv."},
    {"attn.out_proj.", "attn_output."},
    {"self_attn.qkv_proj.", "attn_qkv."},
    {"self_attn.o_proj.", "attn_output."},
    {"post_attention_layernorm.", "attn_output_norm."},
    {"post_mlp_layernorm.", "layer_output_norm."},
    {"norm1.", "attn_output_norm."},
    {"norm2.", "layer_output_norm."},
    {"mlp.fc11.", "ffn_up."},
    {"mlp.fc12.", "ffn_gate."},
    {"mlp.fc1.", "ffn_up."},
    {"mlp.fc2.", "ffn_down."},
    {"classifier.dense.", "cls."},
    {"classifier.out_proj.", "cls.output."},
};
const std::vector<std::pair<const char*, const char*>> embedder_names = [] {
  std::vector<std::pair<const char*, const char*>> names = pre_norm;
  names.insert(names.end(), {{"embed_tokens.", "token_embd."}, {"layers.", "blk."}});
  return names;
}();
const std::vector<std::pair<const char*, const char*>> gemma_names =
    llama_names_and({{"embed_tokens.", "token_embd."},
                     {"layers.", "blk."},
                     {"post_attention_layernorm.", "post_attention_norm."},
                     {"pre_feedforward_layernorm.", "ffn_norm."},
                     {"post_feedforward_layernorm.", "post_ffw_norm."}});

void add_one_to_norms(Checkpoint& checkpoint) {
  for (auto& [name, tensor] : checkpoint) {
    if (name.ends_with("norm.weight")) add_one(tensor);
  }
  // The name of the last norm is the end of other names.
  checkpoint["output_norm.weight"] = checkpoint.extract("norm.weight").mapped();
}

void rename_last_norm(Checkpoint& checkpoint) {
  checkpoint["output_norm.weight"] = checkpoint.extract("norm.weight").mapped();
}

/// The masked-language-model head is not in files of EuroBERT.
void without_head(Checkpoint& checkpoint) { checkpoint.erase("lm_head.weight"); }

/// The rows of a table of positions that stand for padding.
void without_rows_of_padding(Checkpoint& checkpoint) {
  for (auto& [name, tensor] : checkpoint) {
    if (!name.ends_with("position_embeddings.weight")) continue;
    tensor.bytes.erase(0, 2 * tensor.bytes.size() / tensor.shape[0]);
    tensor.shape[0] -= 2;
  }
}

/// Queries, keys and values in one matrix, as the checkpoints of Jina have them.
void in_one_matrix(Checkpoint& checkpoint) {
  Checkpoint joined;
  for (const auto& [name, tensor] : checkpoint) {
    const std::size_t at = name.find("q_proj");
    if (at == name.npos) continue;
    Stored all = tensor;
    for (const char* other : {"k_proj", "v_proj"})
      all.bytes += checkpoint.at(std::string(name).replace(at, 6, other)).bytes;
    all.shape[0] *= 3;
    joined[std::string(name).replace(at, 6, "qkv_proj")] = all;
  }
  std::erase_if(checkpoint, [](const auto& each) {
    return each.first.find(".q_proj") != std::string::npos ||
           each.first.find(".k_proj") != std::string::npos || each.first.find(".v_proj") != std::string::npos;
  });
  checkpoint.merge(joined);
}

/// The gates apart from the rest, as the converter did in 2024.
void with_gates_apart(Checkpoint& checkpoint) {
  Checkpoint gates;
  for (auto& [name, tensor] : checkpoint) {
    const std::size_t at = name.find("gated_layers");
    if (at == name.npos) continue;
    const std::size_t half = tensor.bytes.size() / 2;
    tensor.shape[0] /= 2;
    gates[std::string(name).replace(at, 12, "gated_layers_w")] = {tensor.type, tensor.shape,
                                                                  tensor.bytes.substr(0, half)};
    tensor.bytes.erase(0, half);
  }
  checkpoint.merge(gates);
}

std::vector<Converted> converted_encoders() {
  const auto keys = [](double epsilon, double base = 0) {
    nlohmann::json all = {{"attention.layer_norm_epsilon", epsilon}, {"attention.causal", false}};
    if (base != 0) all["rope.freq_base"] = base;
    return all;
  };
  const auto with_positions = [](nlohmann::json all, int positions) {
    all["context_length"] = positions;
    return all;
  };
  return {
      {"encoders-3/jina-v2", "jina-bert-v2", keys(1e-12), bert_names},
      {"encoders-3/jina-v2", "jina-bert-v2", keys(1e-12), bert_names, with_gates_apart},
      {"encoders/nomic-v1_5", "nomic-bert", keys(1e-12, 1000), bert_names},
      {"encoders/jina-v3", "jina-bert-v3", keys(1e-5, 20000), bert_names, in_one_matrix},
      {"encoders/distilbert", "bert", keys(1e-12), bert_names},
      {"encoders/roberta", "bert", with_positions(keys(1e-12), 62), bert_names, without_rows_of_padding},
      {"encoders/xlm-roberta-reranker", "bert", with_positions(keys(1e-5), 40), bert_names,
       without_rows_of_padding},
      {"encoders/eurobert",
       "eurobert",
       {{"attention.layer_norm_rms_epsilon", 1e-5},
        {"attention.causal", false},
        {"rope.freq_base", 250000.0},
        {"rope.scaling.type", "none"}},
       pre_norm,
       without_head},
      {"encoders/embeddinggemma",
       "gemma-embedding",
       {{"attention.layer_norm_rms_epsilon", 1e-6}, {"rope.freq_base", 1000000.0}, {"pooling_type", 1}},
       gemma_names,
       add_one_to_norms},
      {"encoders/qwen3-embedding",
       "qwen3",
       {{"attention.layer_norm_rms_epsilon", 1e-6}, {"rope.freq_base", 10000.0}, {"pooling_type", 3}},
       embedder_names,
       rename_last_norm},
  };
}

// As an encoder it has no head, as a decoder it predicts words.
TEST(GgufModels, OfAnEmbedderAreDecodersAsWell) {
  const Converted model = converted_encoders().back();
  const std::vector<std::byte> file = convert(model);
  const Result<Encoder> encoder = Encoder::make_gguf(file);
  ASSERT_TRUE(encoder.ok()) << encoder.status().message();
  EXPECT_TRUE(encoder.value().spec().heads.empty());
  const Result<Decoder> decoder = Decoder::make_gguf(file);
  ASSERT_TRUE(decoder.ok()) << decoder.status().message();
}

TEST(GgufModels, OfEachArchitectureGiveTheStatesOfTheGoldenEncoder) {
  for (const Converted& each : converted_encoders()) {
    SCOPED_TRACE(std::string(each.folder) + " as " + each.architecture);
    const nlohmann::json expected = golden::read(std::string(each.folder) + "/expected.json");
    Result<Encoder> made = Encoder::make_gguf(convert(each));
    if (!made.ok()) {
      ADD_FAILURE() << made.status().message();
      continue;
    }
    Encoder& model = made.value();
    EXPECT_TRUE(model.notes().empty() || each.architecture == std::string("gemma-embedding"))
        << model.notes().front();
    double worst = 0;
    for (const nlohmann::json& one : expected["cases"]) {
      const golden_encoders::Input input(one);
      const auto output = model.forward(input.get(), {.logits = false});
      const auto counts = [&](std::size_t row) { return input.mask[row] != 0; };
      const std::size_t width = model.spec().hidden;
      worst = std::max(worst, golden_encoders::distance(output.last_hidden_state,
                                                        one["last_hidden_state"].get<std::vector<double>>(),
                                                        width, counts));
      if (!one.contains("scores")) continue;
      const std::vector<double> logits = one["logits"];
      worst = std::max(
          worst, golden_encoders::distance(output.class_logits, logits, 1, [](std::size_t) { return true; }));
    }
    EXPECT_LE(worst, 1e-5);
    std::printf("  %s as %s: %.1e\n", each.folder, each.architecture, worst);
  }
}

// Norms of queries, as the model for code has them.
TEST(GgufModels, RefuseAJinaWithNormsOfQueries) {
  Converted model = converted_encoders().front();
  model.change = [](Checkpoint& checkpoint) {
    checkpoint["blk.0.attn_q_norm.weight"] = checkpoint.at("bert.embeddings.LayerNorm.weight");
  };
  const Result<Encoder> made = Encoder::make_gguf(convert(model));
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
