#include "result.hpp"

#include <cmath>
#include <cstdio>

#include "formats/json/value.hpp"

namespace ropewalk::experiments {
namespace {

// Six digits are more than a median over seeds can bear. JSON has no NaN.
std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}
std::string number(std::size_t value) { return std::to_string(value); }

template <class Of>
std::string column(const std::vector<Point>& curve, Of&& of) {
  std::string text = "[";
  for (const Point& point : curve) text += (text.size() > 1 ? "," : "") + number(of(point));
  return text + "]";
}

std::string evaluation(const Evaluation& value) {
  return "{\"loss\":" + number(value.loss) + ",\"accuracy\":" + number(value.accuracy) + "}";
}

std::string list(const std::vector<double>& values) {
  std::string text = "[";
  for (const double value : values) text += (text.size() > 1 ? "," : "") + number(value);
  return text + "]";
}

// Scores of some tasks alone.
std::string extras(const Tested& test) {
  std::string text;
  if (std::isfinite(test.bleu)) text += ",\"bleu\":" + number(test.bleu);
  if (!test.expected.empty())
    text += ",\"expected\":" + list(test.expected) + ",\"answered\":" + list(test.answered);
  return text;
}

}  // namespace

std::string as_json(const std::string& key, const Outcome& outcome) {
  const std::vector<Point>& curve = outcome.curve;
  std::string text = "{\"key\":" + json::quoted(key);
  text += ",\"parameters\":" + number(outcome.parameters) + ",\"steps\":" + number(outcome.steps) +
          ",\"tokens\":" + number(outcome.tokens) + ",\"seconds\":" + number(outcome.seconds) +
          ",\"chance\":" + number(outcome.chance) + ",\"best\":" + evaluation(outcome.best);
  text += ",\"curve\":{\"step\":" + column(curve, [](const Point& p) { return p.step; }) +
          ",\"train\":" + column(curve, [](const Point& p) { return p.train_loss; }) +
          ",\"loss\":" + column(curve, [](const Point& p) { return p.validation.loss; }) +
          ",\"accuracy\":" + column(curve, [](const Point& p) { return p.validation.accuracy; }) +
          ",\"seconds\":" + column(curve, [](const Point& p) { return p.seconds; }) + "}";
  text += ",\"watched\":[";
  for (std::size_t i = 0; i < curve.size() && !curve[0].watched.empty(); ++i) {
    text += i > 0 ? ",[" : "[";
    for (std::size_t j = 0; j < curve[i].watched.size(); ++j) {
      text += (j > 0 ? "," : "") + number(double{curve[i].watched[j]});
    }
    text += "]";
  }
  text += "],\"tests\":[";
  for (std::size_t i = 0; i < outcome.tests.size(); ++i) {
    const Tested& test = outcome.tests[i];
    text += (i > 0 ? ",{\"name\":" : "{\"name\":") + json::quoted(test.name) +
            ",\"length\":" + number(test.length) + ",\"distance\":" + number(test.distance) +
            ",\"loss\":" + number(test.got.loss) + ",\"accuracy\":" + number(test.got.accuracy) +
            ",\"chance\":" + number(test.chance) + ",\"seen\":" + number(test.seen) +
            ",\"best\":" + evaluation(test.best) + extras(test) + "}";
  }
  return text + "]}\n";
}

}  // namespace ropewalk::experiments
