#include "rope_config/pairings.hpp"

#include <algorithm>

namespace ropewalk::rope_config {
namespace {

// Their modelling code takes channels (2j, 2j+1): a rotate_half over x[..., ::2] and x[..., 1::2], a complex
// product, or DeepSeek's reordering before the half form (which leaves the scores those of interleaved
// pairs).
constexpr std::string_view interleaved_model_types[] = {
    "blt",          "codegen",       "cohere",       "cohere2",  "deepseek_v2", "deepseek_v3",
    "deepseek_v32", "ernie4_5",      "ernie4_5_moe", "glm",      "glm4",        "glm4_moe_lite",
    "glm4v",        "glm4v_text",    "gptj",         "helium",   "kimi_k2",     "llama4",
    "llama4_text",  "longcat_flash", "moonshine",    "roformer",
};

constexpr Pairing norm = Pairing::interleaved, neox = Pairing::half;

constexpr Architecture rotating[] = {
    {"arcee", norm},
    {"arctic", norm},
    {"baichuan", norm},
    {"bailingmoe", norm},
    {"chameleon", norm},
    {"chatglm", norm},
    {"cohere2", norm},
    {"command-r", norm},
    {"deci", norm},
    {"deepseek", norm},
    {"deepseek2", norm},
    {"ernie4_5", norm},
    {"ernie4_5-moe", norm},
    {"glm-dsa", norm},
    {"granite", norm},
    {"granitehybrid", norm},
    {"granitemoe", norm},
    {"internlm2", norm},
    {"llada", norm},
    {"llama", norm},
    {"llama-embed", norm},
    {"llama4", norm},
    {"maincoder", norm},
    {"minicpm", norm},
    {"mistral3", norm},
    {"neo-bert", norm},
    {"olmo", norm},
    {"plm", norm},
    {"smollm3", norm},
    {"starcoder", norm},
    {"xverse", norm},
    {"afmoe", neox},
    {"apertus", neox},
    {"bailingmoe2", neox},
    {"bert", neox},
    {"bitnet", neox},
    {"codeshell", neox},
    {"cogvlm", neox},
    {"dbrx", neox},
    {"dots1", neox},
    {"dream", neox},
    {"eurobert", neox},
    {"exaone", neox},
    {"exaone-moe", neox},
    {"exaone4", neox},
    {"falcon", neox},
    {"falcon-h1", neox},
    {"gemma", neox},
    {"gemma-embedding", neox},
    {"gemma2", neox},
    {"gemma3", neox},
    {"gemma3n", neox},
    {"gemma4", neox},
    {"gpt-oss", neox},
    {"gptneox", neox},
    {"grok", neox},
    {"grovemoe", neox},
    {"hunyuan-dense", neox},
    {"hunyuan-moe", neox},
    {"jais2", neox},
    {"jina-bert-v3", neox},
    {"lfm2", neox},
    {"lfm2moe", neox},
    {"llada-moe", neox},
    {"mimo2", neox},
    {"minicpm3", neox},
    {"minimax-m2", neox},
    {"modern-bert", neox},
    {"nemotron", neox},
    {"nomic-bert", neox},
    {"nomic-bert-moe", neox},
    {"olmo2", neox},
    {"olmoe", neox},
    {"openelm", neox},
    {"orion", neox},
    {"pangu-embedded", neox},
    {"phi2", neox},
    {"phi3", neox},
    {"phimoe", neox},
    {"plamo", neox},
    {"plamo2", neox},
    {"plamo3", neox},
    {"qwen", neox},
    {"qwen2", neox},
    {"qwen2moe", neox},
    {"qwen3", neox},
    {"qwen3moe", neox},
    {"qwen3next", neox},
    {"rnd1", neox},
    {"seed_oss", neox},
    {"smallthinker", neox},
    {"stablelm", neox},
    {"starcoder2", neox},
    {"step35", neox},
    {"glm4", norm, Sections::if_given},
    {"glm4moe", neox, Sections::if_given},
    {"paddleocr", neox, Sections::chunked},
    {"qwen2vl", neox, Sections::chunked},
    {"qwen35", neox, Sections::interleaved},
    {"qwen35moe", neox, Sections::interleaved},
    {"qwen3vl", neox, Sections::interleaved},
    {"qwen3vlmoe", neox, Sections::interleaved},
};

constexpr std::string_view still[] = {
    "arwkv7",         "bloom",       "clip",       "gpt2",   "gptj", "jais",      "jamba",
    "jina-bert-v2",   "kimi-linear", "mamba",      "mamba2", "mpt",  "refact",    "nemotron_h",
    "nemotron_h_moe", "rwkv6",       "rwkv6qwen2", "rwkv7",  "t5",   "t5encoder", "wavtokenizer-dec",
};

}  // namespace

Pairing pairing_of_model_type(std::string_view model_type) {
  const auto& table = interleaved_model_types;
  return std::find(std::begin(table), std::end(table), model_type) == std::end(table) ? Pairing::half
                                                                                      : Pairing::interleaved;
}

std::span<const Architecture> architectures_that_rotate() { return rotating; }
std::span<const std::string_view> architectures_that_do_not_rotate() { return still; }

}  // namespace ropewalk::rope_config
