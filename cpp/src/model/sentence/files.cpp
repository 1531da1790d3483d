// The files of sentence-transformers, as it saves and reads them: base/model.py and the classes of its models/.

#include "model/sentence/files.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "formats/json/members.hpp"

namespace ropewalk {
namespace sentence_modules {
namespace {

constexpr std::string_view modules_file = "modules.json", prompts_file = "config_sentence_transformers.json",
                           lengths_file = "sentence_bert_config.json", config_file = "config.json";

std::string_view text_of_file(const ModelFile& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

/// A file that is an object.
Result<json::Value> parse_object(std::string_view text, std::string_view name) {
  Result<json::Value> parsed = json::parse(text, function, name);
  if (!parsed.ok() || parsed.value().kind == json::Kind::object) return parsed;
  return wrong_type(function, name, json::quoted(parsed.value()), "an object");
}

/// The last word of the name of a Python class.
std::string_view last_word(std::string_view name) { return name.substr(name.rfind('.') + 1); }

struct Module {
  std::string kind, path;
};

/// The modules in order: a transformer, a pooling, then linear layers and normalisations.
Result<std::vector<Module>> read_modules(std::string_view text) {
  ROPEWALK_LET(parsed, json::parse(text, function, modules_file));
  if (parsed.kind != json::Kind::array)
    return wrong_type(function, modules_file, json::quoted(parsed), "an array of modules");
  std::vector<Module> modules;
  for (const json::Value& each : parsed.items) {
    const std::string name = std::string(modules_file) + "[" + std::to_string(modules.size()) + "]",
                      type_name = name + ".type";
    if (each.kind != json::Kind::object)
      return wrong_type(function, name, json::quoted(each), "an object with `type` and `path`");
    const json::Members members(each, function);
    std::string type, path;
    for (Status status : {members.text("type", type), members.text("path", path)}) {
      if (!status.ok()) return status;
    }
    while (path.ends_with('/')) path.pop_back();
    const std::string_view kind = last_word(type);
    const std::size_t at = modules.size();
    const std::string_view allowed = at == 0   ? "a Transformer, which comes first"
                                     : at == 1 ? "a Pooling, which comes second"
                                               : "Dense or Normalize";
    const bool known = at == 0   ? kind == "Transformer"
                       : at == 1 ? kind == "Pooling"
                                 : kind == "Dense" || kind == "Normalize";
    if (!known) return out_of_range(function, type_name, json::quoted(std::string_view(type)), allowed);
    modules.push_back({std::string(kind), std::move(path)});
  }
  if (modules.size() < 2) {
    return out_of_range(function, modules_file, "an array of " + std::to_string(modules.size()),
                        "a Transformer, then a Pooling");
  }
  return modules;
}

struct PoolingKey {
  Pooling pooling;
  std::string_view key, mode;
};
/// In the order in which the vectors of several poolings stand.
constexpr PoolingKey pooling_keys[] = {
    {Pooling::cls, "pooling_mode_cls_token", "cls"},
    {Pooling::max, "pooling_mode_max_tokens", "max"},
    {Pooling::mean, "pooling_mode_mean_tokens", "mean"},
    {Pooling::mean_sqrt_len, "pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens"},
    {Pooling::weightedmean, "pooling_mode_weightedmean_tokens", "weightedmean"},
    {Pooling::last, "pooling_mode_lasttoken", "lasttoken"},
};

Status read_pooling(const json::Value& config, std::size_t hidden, SentenceSpec& spec) {
  const json::Members keys(config, function);
  auto width = static_cast<std::int64_t>(hidden);
  ROPEWALK_TRY(keys.whole("word_embedding_dimension", 1, INT32_MAX, width));
  if (static_cast<std::size_t>(width) != hidden) {
    return out_of_range(function, "word_embedding_dimension", static_cast<std::size_t>(width),
                        "the hidden size of the model, " + std::to_string(hidden));
  }
  ROPEWALK_TRY(keys.boolean("include_prompt", spec.include_prompt));
  std::string mode, modes;
  ROPEWALK_TRY(keys.text("pooling_mode", mode));
  spec.pooling.clear();
  for (const PoolingKey& each : pooling_keys) {
    modes += (modes.empty() ? "\"" : ", \"") + std::string(each.mode) + "\"";
    // The default of the class, where there is no word for it.
    bool on = mode.empty() ? each.pooling == Pooling::mean : mode == each.mode;
    const bool by_word = on;
    ROPEWALK_TRY(keys.boolean(each.key, on));
    if (!mode.empty() && on != by_word) {
      return out_of_range(function, each.key, on ? "true" : "false",
                          "what `pooling_mode` says, " + json::quoted(std::string_view(mode)));
    }
    if (on) spec.pooling.push_back(each.pooling);
  }
  if (!mode.empty() && spec.pooling.empty())
    return out_of_range(function, "pooling_mode", json::quoted(std::string_view(mode)), modes);
  if (spec.pooling.empty())
    return out_of_range(function, "pooling_mode_mean_tokens", "false", "true for it or another pooling");
  return {};
}

struct NamedActivation {
  std::string_view name;
  Activation activation;
};
constexpr NamedActivation activations[] = {
    {"Identity", Activation::linear}, {"Tanh", Activation::tanh}, {"GELU", Activation::gelu},
    {"ReLU", Activation::relu},       {"SiLU", Activation::silu}, {"Sigmoid", Activation::sigmoid},
};

Result<DenseSpec> read_dense(const json::Value& config, std::string path) {
  const json::Members keys(config, function);
  DenseSpec dense{.path = std::move(path)};
  std::int64_t inputs = 0, outputs = 0;
  std::string activation = "Tanh", read = "sentence_embedding", written = read;
  for (Status status :
       {keys.whole("in_features", 1, 1 << 24, inputs), keys.whole("out_features", 1, 1 << 24, outputs),
        keys.boolean("bias", dense.bias), keys.text("activation_function", activation),
        keys.text("module_input_name", read), keys.text("module_output_name", written)}) {
    if (!status.ok()) return status;
  }
  for (const auto& [key, value] : {std::pair("in_features", inputs), std::pair("out_features", outputs)}) {
    if (value == 0) return wrong_type(function, key, "missing", "a whole number, in " + dense.path);
  }
  for (const auto& [key, value] :
       {std::pair("module_input_name", read), std::pair("module_output_name", written)}) {
    if (value != "sentence_embedding")
      return out_of_range(function, key, json::quoted(std::string_view(value)), "\"sentence_embedding\"");
  }
  dense.inputs = static_cast<std::size_t>(inputs);
  dense.outputs = static_cast<std::size_t>(outputs);
  std::string names;
  for (const NamedActivation& each : activations) {
    names += (names.empty() ? "" : ", ") + std::string(each.name);
    if (each.name != last_word(activation)) continue;
    dense.activation = each.activation;
    return dense;
  }
  return out_of_range(function, "activation_function", json::quoted(std::string_view(activation)),
                      "a class of PyTorch: " + names);
}

Status read_prompts(const json::Value& config, SentenceSpec& spec) {
  const json::Members keys(config, function);
  if (const json::Value* prompts = keys.find("prompts")) {
    if (prompts->kind != json::Kind::object)
      return keys.refuse("prompts", *prompts, "an object from name to prefix", false);
    for (const json::Member& each : prompts->members) {
      if (each.value.kind == json::Kind::null) continue;
      if (each.value.kind != json::Kind::text)
        return keys.refuse("prompts." + each.name, each.value, "a text", false);
      spec.prompts.emplace_back(each.name, each.value.text);
    }
  }
  std::string name;
  ROPEWALK_TRY(keys.text("default_prompt_name", name));
  if (keys.find("default_prompt_name") == nullptr) return {};
  const bool known = std::ranges::any_of(spec.prompts, [&](const auto& each) { return each.first == name; });
  if (!known) {
    return out_of_range(function, "default_prompt_name", json::quoted(std::string_view(name)),
                        "a name in `prompts`");
  }
  spec.default_prompt = std::move(name);
  return {};
}

Status read_lengths(const json::Value& config, SentenceSpec& spec) {
  const json::Members keys(config, function);
  std::int64_t tokens = 0;
  ROPEWALK_TRY(keys.whole("max_seq_length", 1, INT32_MAX, tokens));
  if (tokens > 0) spec.max_tokens = static_cast<std::size_t>(tokens);
  return keys.boolean("do_lower_case", spec.lower_case);
}

/// The object in a file that may be missing.
Status read_optional(std::span<const ModelFile> files, std::string_view name, SentenceSpec& spec,
                     Status (*read)(const json::Value&, SentenceSpec&)) {
  const ModelFile* file = find_file(files, name);
  if (file == nullptr) return {};
  Result<json::Value> config = parse_object(text_of_file(*file), name);
  return config.ok() ? read(config.value(), spec) : config.status();
}

Result<json::Value> read_needed(std::span<const ModelFile> files, const std::string& name) {
  const ModelFile* file = find_file(files, name);
  if (file == nullptr) return missing_file(name);
  return parse_object(text_of_file(*file), name);
}

Status read_module(std::span<const ModelFile> files, const Module& module, std::size_t hidden,
                   SentenceSpec& spec) {
  if (module.kind == "Transformer") {
    spec.transformer_path = module.path;
    return {};
  }
  if (module.kind == "Normalize") {
    spec.modules.push_back(NormalizeSpec{});
    return {};
  }
  ROPEWALK_LET(config, read_needed(files, in_folder(module.path, config_file)));
  if (module.kind == "Pooling") return read_pooling(config, hidden, spec);
  ROPEWALK_LET(dense, read_dense(config, module.path));
  spec.modules.push_back(std::move(dense));
  return {};
}

}  // namespace

const ModelFile* find_file(std::span<const ModelFile> files, std::string_view name) {
  for (const ModelFile& file : files) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

Status missing_file(std::string_view name) {
  return wrong_type(function, name, "missing", "a file of the model, which modules.json asks for");
}

std::string in_folder(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : std::string(path) + "/" + std::string(name);
}

Result<SentenceSpec> read_spec(std::span<const ModelFile> files, std::size_t hidden,
                               std::vector<std::string>& notes) {
  SentenceSpec spec;
  if (const ModelFile* file = find_file(files, modules_file)) {
    ROPEWALK_LET(modules, read_modules(text_of_file(*file)));
    spec.modules.clear();
    for (const Module& module : modules) {
      ROPEWALK_TRY(read_module(files, module, hidden, spec));
    }
  } else {
    notes.push_back("there is no modules.json: sentence vectors are the mean of the tokens, at unit length");
  }
  for (Status status :
       {read_optional(files, prompts_file, spec, read_prompts),
        read_optional(files, in_folder(spec.transformer_path, lengths_file), spec, read_lengths)}) {
    if (!status.ok()) return status;
  }
  return spec;
}

}  // namespace sentence_modules

Result<SentenceFileNames> sentence_file_names(std::optional<std::string_view> modules_json) {
  using namespace sentence_modules;
  SentenceFileNames names;
  std::string transformer;
  if (modules_json) {
    ROPEWALK_LET(modules, read_modules(*modules_json));
    names.needed.emplace_back(modules_file);
    transformer = modules[0].path;
    for (const Module& module : modules) {
      if (module.kind == "Pooling" || module.kind == "Dense")
        names.needed.push_back(in_folder(module.path, config_file));
      if (module.kind == "Dense") names.needed.push_back(in_folder(module.path, "model.safetensors"));
    }
  }
  names.optional = {std::string(prompts_file), in_folder(transformer, lengths_file)};
  return names;
}

namespace {
constexpr std::array<std::string_view, 6> pooling_names = {"cls",           "max",          "mean",
                                                           "mean_sqrt_len", "weightedmean", "last"};
}

std::string_view name_of(Pooling pooling) { return pooling_names[static_cast<std::size_t>(pooling)]; }

Result<Pooling> pooling_from_name(std::string_view name) {
  std::string names;
  for (std::size_t i = 0; i < pooling_names.size(); ++i) {
    if (pooling_names[i] == name) return static_cast<Pooling>(i);
    names += (i == 0 ? "" : ", ") + json::quoted(pooling_names[i]);
  }
  return wrong_type(sentence_modules::function, "pooling", json::quoted(name), names);
}

}  // namespace ropewalk
