#include "translation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "clock.hpp"
#include "result.hpp"
#include "seen.hpp"
#include "sentence_pairs.hpp"

namespace ropewalk::experiments {
namespace {

using translation::Translator;

// As Vaswani et al. train, and so the paper.
constexpr double smoothing = 0.1;
// A translation that has not ended is cut there.
constexpr std::size_t longest_translation = 40;

std::string config_of(const Settings& settings, const SentencePairs& data) {
  const std::string end = std::to_string(SentencePairs::end_id);
  return "{\"vocab_size\": " + std::to_string(data.vocab_size()) + ", \"eos_token_id\": " + end +
         ", \"decoder_start_token_id\": " + end + ", " + settings.config.substr(1);
}

Translator make(const Settings& settings, const std::string& config) {
  return raise(Translator::make({.config = config,
                                 .seed = settings.seed,
                                 .optimizer = {.learning_rate = settings.learning_rate,
                                               .beta2 = settings.beta2,
                                               .weight_decay = settings.weight_decay,
                                               .warmup_steps = settings.warmup_steps,
                                               .total_steps = settings.steps},
                                 .smoothing = smoothing}));
}

// The accuracy of a guess that sees nothing: always the likeliest word.
double chance(const Pairs& pairs) {
  std::map<std::int32_t, std::size_t> counts;
  std::size_t most = 0, all = 0;
  for (const translation::Tokens& reference : pairs.references) {
    all += reference.size() + 1;
    for (const std::int32_t word : reference) most = std::max(most, ++counts[word]);
  }
  return static_cast<double>(most) / static_cast<double>(all);
}

Tested test(const Settings& settings, const Test& wanted, const SentencePairs& data, Translator& translator,
            const Seen& seen) {
  // Rows that validation did not use.
  const Pairs pairs = data.make(Split::validation, 1, settings.test_rows);
  Tested tested{.name = wanted.name,
                .length = wanted.length,
                .distance = wanted.distance,
                .got = {},
                .best = {.loss = 0, .accuracy = 1},
                .chance = chance(pairs),
                .seen = seen.share(pairs.sources, pairs.source_tokens),
                .bleu = NAN,
                .expected = {},
                .answered = {}};
  raise(translator.try_evaluate(pairs.view(), tested.got));
  std::vector<translation::Tokens> translations;
  raise(translator.try_translate(pairs.view(), longest_translation, translations));
  tested.bleu = translation::bleu(translations, pairs.references).score();
  return tested;
}

}  // namespace

Trained train_translator(const Settings& settings, const std::function<void(std::size_t)>& at) {
  const double begun = thread_seconds();
  const SentencePairs data(settings.seed, settings.length);
  Translator translator = make(settings, config_of(settings, data));
  const Pairs validation = data.make(Split::validation, 0, settings.evaluation_rows);
  Outcome outcome;
  outcome.parameters = translator.parameter_count();
  outcome.best = {.loss = 0, .accuracy = 1};
  outcome.chance = chance(validation);
  std::size_t since = 0;
  double loss = 0;
  const auto evaluate = [&](std::size_t step) {
    Evaluation now;
    raise(translator.try_evaluate(validation.view(), now));
    outcome.curve.push_back(
        {step, since == 0 ? NAN : loss / static_cast<double>(since), now, thread_seconds() - begun, {}});
    since = 0;
    loss = 0;
    at(step);
  };
  evaluate(0);
  Seen seen;
  for (std::size_t step = 1; step <= settings.steps; ++step) {
    const Pairs pairs = data.make(Split::train, step - 1, settings.batch);
    seen.add(pairs.sources, pairs.source_tokens);
    TrainingStep trained;
    raise(translator.try_train(pairs.view(), trained));
    loss += trained.loss;
    ++since;
    outcome.steps = step;
    outcome.tokens += pairs.tokens();
    if (step % settings.evaluate_every == 0 || step == settings.steps) evaluate(step);
  }
  for (const Test& wanted : settings.tests)
    outcome.tests.push_back(test(settings, wanted, data, translator, seen));
  outcome.seconds = thread_seconds() - begun;
  return {as_json(settings.key, outcome), {}};
}

}  // namespace ropewalk::experiments
