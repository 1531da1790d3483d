#include "recipe.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace ropewalk::train {
namespace {

struct WholeOption {
  std::string_view name;
  std::size_t Recipe::* member;
  bool zero_allowed;
};

constexpr WholeOption whole_options[] = {{"--steps", &Recipe::steps, false},
                                         {"--texts-per-step", &Recipe::texts_per_step, false},
                                         {"--shards", &Recipe::shards, false},
                                         {"--warmup-steps", &Recipe::warmup_steps, true},
                                         {"--hidden-size", &Recipe::hidden_size, false},
                                         {"--layers", &Recipe::layers, false},
                                         {"--heads", &Recipe::heads, false},
                                         {"--intermediate-size", &Recipe::intermediate_size, false},
                                         {"--key-heads", &Recipe::key_heads, false},
                                         {"--rows-per-step", &Recipe::rows_per_step, false},
                                         {"--sequence", &Recipe::sequence, false},
                                         {"--held-out-texts", &Recipe::held_out_texts, false},
                                         {"--generated-texts", &Recipe::generated_texts, false},
                                         {"--candidates", &Recipe::candidates, false},
                                         {"--threads", &Recipe::threads, true}};

struct RealOption {
  std::string_view name;
  double Recipe::* member;
};

constexpr RealOption real_options[] = {{"--mask-probability", &Recipe::mask_probability},
                                       {"--temperature", &Recipe::temperature},
                                       {"--learning-rate", &Recipe::learning_rate},
                                       {"--weight-decay", &Recipe::weight_decay},
                                       {"--initializer-range", &Recipe::initializer_range}};

bool read_whole(const char* text, bool zero_allowed, std::uint64_t& out) {
  if (*text < '0' || *text > '9') return false;
  char* end = nullptr;
  out = std::strtoull(text, &end, 10);
  return *end == 0 && (out > 0 || zero_allowed);
}

bool read_real(const char* text, double& out) {
  char* end = nullptr;
  out = std::strtod(text, &end);
  return end != text && *end == 0 && out >= 0;
}

// False when there is no such option; `good` says whether the value was.
bool set(std::string_view name, const char* value, Recipe& recipe, bool& good) {
  std::uint64_t whole = 0;
  for (const WholeOption& option : whole_options) {
    if (option.name != name) continue;
    good = read_whole(value, option.zero_allowed, whole);
    recipe.*option.member = static_cast<std::size_t>(whole);
    return true;
  }
  for (const RealOption& option : real_options) {
    if (option.name != name) continue;
    good = read_real(value, recipe.*option.member);
    return true;
  }
  if (name != "--seed") return false;
  good = read_whole(value, true, recipe.seed);
  return true;
}

std::string usage() {
  std::string text =
      std::string(
          "Usage: npm run train -- [--model roformer|decoder|embedder] [folder] [--option value]...\n") +
      "The folder is " + shipped_folder(Model::roformer) + ", " + shipped_folder(Model::decoder) + " or " +
      shipped_folder(Model::embedder) +
      " unless named; with options other than --model and --threads it must be, since they make "
      "another model.\nOptions: --seed";
  for (const WholeOption& option : whole_options) text += ' ' + std::string(option.name);
  for (const RealOption& option : real_options) text += ' ' + std::string(option.name);
  return text + '\n';
}

struct NamedModel {
  std::string_view name;
  Model model;
  const char* folder;
};

constexpr NamedModel models[] = {{"roformer", Model::roformer, "web/public/model"},
                                 {"decoder", Model::decoder, "web/public/decoder"},
                                 {"embedder", Model::embedder, "web/public/embedder"}};

const NamedModel* model_named(std::string_view name) {
  const auto found = std::ranges::find(models, name, &NamedModel::name);
  return found == std::end(models) ? nullptr : found;
}

// The model that the arguments name, wherever among them.
Model model_in(int count, char** arguments) {
  for (int i = 1; i + 1 < count; ++i) {
    if (std::string_view(arguments[i]) != "--model") continue;
    if (const NamedModel* named = model_named(arguments[i + 1])) return named->model;
  }
  return Model::roformer;
}

}  // namespace

Recipe shipped_recipe(Model model) {
  if (model == Model::decoder)
    return {.model = Model::decoder, .steps = 5000, .layers = 5, .intermediate_size = 344};
  if (model == Model::embedder)
    return {.model = Model::embedder, .steps = 3000, .texts_per_step = 256, .warmup_steps = 225};
  return {};
}

const char* shipped_folder(Model model) {
  return std::ranges::find(models, model, &NamedModel::model)->folder;
}

std::string read_arguments(int count, char** arguments, Recipe& recipe, std::string& folder) {
  folder.clear();
  recipe = shipped_recipe(model_in(count, arguments));
  const Recipe whole = recipe;
  bool another_model = false, warmup_named = false;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    if (name == "--help" || name == "-h") return usage();
    if (!name.starts_with("-")) {
      if (!folder.empty()) return "There are two folders, " + folder + " and " + name + ".\n" + usage();
      folder = name;
      continue;
    }
    if (i + 1 == count) return name + " needs a value.\n" + usage();
    const std::string value = arguments[++i];
    if (name == "--model") {
      if (model_named(value) == nullptr) return "There is no model " + value + ".\n" + usage();
      continue;
    }
    bool good = false;
    if (!set(name, value.c_str(), recipe, good)) return "There is no option " + name + ".\n" + usage();
    if (!good) return name + " cannot be " + value + ".\n" + usage();
    another_model |= name != "--threads";
    warmup_named |= name == "--warmup-steps";
  }
  if (folder.empty() && another_model) {
    return std::string("Name a folder: ") + shipped_folder(recipe.model) +
           " holds the shipped model, which these options do not make.\n" + usage();
  }
  if (folder.empty()) folder = shipped_folder(recipe.model);
  // A short run warms up for as much of it as the whole recipe does.
  if (!warmup_named && recipe.steps < whole.steps) {
    recipe.warmup_steps = whole.warmup_steps * recipe.steps / whole.steps;
  }
  return "";
}

}  // namespace ropewalk::train
