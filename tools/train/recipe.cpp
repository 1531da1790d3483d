#include "recipe.hpp"

#include <cstdlib>
#include <string_view>

namespace ropewalk::train {
namespace {

struct WholeOption {
  std::string_view name;
  std::size_t Recipe::*member;
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
                                         {"--held-out-texts", &Recipe::held_out_texts, false},
                                         {"--threads", &Recipe::threads, true}};

struct RealOption {
  std::string_view name;
  double Recipe::*member;
};

constexpr RealOption real_options[] = {{"--mask-probability", &Recipe::mask_probability},
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
  std::string text = std::string("Usage: npm run train -- [folder] [--option value]...\nThe folder is ") +
                     shipped_folder +
                     " unless named; with options other than --threads it must be, since they make another "
                     "model.\nOptions: --seed";
  for (const WholeOption& option : whole_options) text += ' ' + std::string(option.name);
  for (const RealOption& option : real_options) text += ' ' + std::string(option.name);
  return text + '\n';
}

}  // namespace

std::string read_arguments(int count, char** arguments, Recipe& recipe, std::string& folder) {
  folder.clear();
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
    bool good = false;
    if (!set(name, arguments[i + 1], recipe, good)) return "There is no option " + name + ".\n" + usage();
    if (!good) return name + " cannot be " + arguments[i + 1] + ".\n" + usage();
    another_model |= name != "--threads";
    warmup_named |= name == "--warmup-steps";
    ++i;
  }
  if (folder.empty() && another_model) {
    return std::string("Name a folder: ") + shipped_folder +
           " holds the shipped model, which these options do not make.\n" + usage();
  }
  if (folder.empty()) folder = shipped_folder;
  // A short run warms up for as much of it as the whole recipe does.
  const Recipe whole;
  if (!warmup_named && recipe.steps < whole.steps) {
    recipe.warmup_steps = whole.warmup_steps * recipe.steps / whole.steps;
  }
  return "";
}

}  // namespace ropewalk::train
