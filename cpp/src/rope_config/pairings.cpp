#include "rope_config/pairings.hpp"

#include <string>

namespace ropewalk::rope_config {
namespace {

// Names are between spaces, so a search for " llama " finds a whole name.

// Their modelling code rotates channels (2j, 2j+1): a rotate_half over x[..., ::2] and x[..., 1::2], a
// complex product, or DeepSeek's reordering before the half form, which gives the scores of interleaved
// pairs.
constexpr std::string_view interleaved_model_types =
    " blt codegen cohere cohere2 deepseek_v2 deepseek_v3 deepseek_v32 deepseek_v4 ernie4_5"
    " ernie4_5_moe ernie4_5_vl_moe ernie4_5_vl_moe_text glm glm4 glm4_moe_lite glm4v glm4v_text"
    " glm_moe_dsa gptj helium kimi_k2 llama4 llama4_text longcat_flash mistral4 moonshine neobert"
    " roformer ";

// Their modelling code rotates channels (j, j + d/2).
constexpr std::string_view half_model_types =
    " Yi afmoe apertus aquila arcee aria aria_text audioflamingo3 aya_vision baichuan"
    " bailing_moe_v2 bamba bitnet chameleon cohere2_vision csm dbrx diffllama doge dots1 dream emu3"
    " esm eurobert exaone exaone4 exaone_moe falcon falcon_h1 flex_olmo fuyu gemma gemma2 gemma3"
    " gemma3_text gemma3n gemma3n_text gemma4 gemma4_text glm4_moe glm4v_moe glm4v_moe_text"
    " got_ocr2 gpt_neox gpt_neox_japanese gpt_oss granite granitemoe granitemoehybrid"
    " granitemoeshared gte hunyuan hunyuan_v1_dense hunyuan_v1_moe hunyuan_vl idefics2 idefics3"
    " internlm internlm2 internlm3 internvl janus jetmoe jina_embeddings_v3 kyutai_speech_to_text"
    " lfm2 lfm2_moe lfm2_vl llada llama llava llava_next llava_next_video llava_onevision mimi mimo"
    " minicpm minicpm3 minimax minimax_m2 ministral ministral3 mistral mistral3 mixtral mllama"
    " mllama_text_model modernbert modernbert-decoder moshi nemotron nemotron-nas new nomic_bert"
    " olmo olmo2 olmo3 olmoe openelm orion ovis2 paligemma persimmon phi phi3 phi3_v phi3small"
    " phi4_multimodal phi4mm phimoe plamo plamo2 qwen qwen2 qwen2_5_omni_text qwen2_5_vl"
    " qwen2_5_vl_text qwen2_audio qwen2_moe qwen2_vl qwen2_vl_text qwen3 qwen3_5 qwen3_5_moe"
    " qwen3_5_moe_text qwen3_5_text qwen3_moe qwen3_next qwen3_omni_moe_talker_text"
    " qwen3_omni_moe_text qwen3_vl qwen3_vl_moe qwen3_vl_moe_text qwen3_vl_text recurrent_gemma"
    " seed_oss shieldgemma2 smollm3 smolvlm solar_open stablelm stablelm_epoch starcoder2 t5gemma"
    " t5gemma2 vaultgemma video_llava vipllava voxtral xverse youtu zamba2 ";

constexpr Pairing norm = Pairing::interleaved, neox = Pairing::half;

constexpr Architecture rotating[] = {
    {"arcee", norm},
    {"arctic", norm},
    {"baichuan", norm},
    {"bailingmoe", norm},
    {"chameleon", norm},
    {"chatglm", norm},
    {"cohere2", norm},
    {"cohere2moe", norm},
    {"command-r", norm},
    {"deci", norm},
    {"deepseek", norm},
    {"deepseek2", norm},
    {"deepseek2-ocr", norm},
    {"deepseek32", norm},
    {"deepseek4", norm},
    {"eagle3", norm},
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
    {"mistral4", norm},
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
    {"dflash", neox},
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
    {"gemma4-assistant", neox},
    {"gpt-oss", neox},
    {"gptneox", neox},
    {"grok", neox},
    {"grovemoe", neox},
    {"hunyuan-dense", neox},
    {"hunyuan-moe", neox},
    {"hunyuan_vl", neox, Sections::if_given},
    {"hy_v3", neox},
    {"jais2", neox},
    {"jina-bert-v3", neox},
    {"laguna", neox},
    {"lfm2", neox},
    {"lfm2moe", neox},
    {"llada-moe", neox},
    {"mellum", neox},
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
    {"talkie", neox},
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

std::optional<Pairing> pairing_of_model_type(std::string_view model_type) {
  const std::string name = " " + std::string(model_type) + " ";
  if (model_type.empty() || model_type.find(' ') != std::string_view::npos) return std::nullopt;
  if (interleaved_model_types.find(name) != std::string_view::npos) return Pairing::interleaved;
  if (half_model_types.find(name) != std::string_view::npos) return Pairing::half;
  return std::nullopt;
}

std::span<const Architecture> architectures_that_rotate() { return rotating; }
std::span<const std::string_view> architectures_that_do_not_rotate() { return still; }

}  // namespace ropewalk::rope_config
