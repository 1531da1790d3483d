/*
 * Runs the vectors against an implementation: run FOLDER-OF-VECTORS [RULE-THAT-MAY-BE-UNSUPPORTED ...]
 * README.md in the folder above tells more. Exit code 0: all within the tolerances; 1: some are not, or another rule is
 * not supported.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "json.h"

enum { LARGEST_HEAD = 1024 };

static double theta_tolerance, value_tolerance;
static int is_float32;
static size_t compared, unsupported;
/* The largest difference of the current rule as a share of the tolerance. */
static double worst_of_rule;

static void compare(double made, double expected, double allowed) {
  const double difference = fabs(made - expected);
  const double share = difference == 0 ? 0 : difference / allowed;
  /* Written so that NaN counts as the worst. */
  if (!(share <= worst_of_rule)) worst_of_rule = isnan(share) ? INFINITY : share;
  ++compared;
}

static void compare_theta(const struct json* one, const struct json* theta, void* rope) {
  double made[LARGEST_HEAD], magnitude;
  const double expected = json_get(one, "magnitude")->number;
  if (!adapter_theta(rope, made, &magnitude)) return;
  compare(magnitude, expected, theta_tolerance * expected);
  for (size_t j = 0; j < theta->count; ++j) {
    compare(made[j], theta->items[j].number, theta_tolerance * fabs(theta->items[j].number));
  }
}

static void compare_position(const struct json* one, const struct json* column, const char* pairing,
                             size_t row, double position, void* rope) {
  const struct json *theta = json_get(column, "theta"), *x = json_get(one, "x");
  const struct json* table = &json_get(column, "tables")->items[row];
  const struct json *cos = json_get(table, "cos"), *sin = json_get(table, "sin");
  const struct json* y = &json_get(json_get(column, "rotated"), pairing)->items[row];
  const double magnitude = json_get(one, "magnitude")->number;
  const size_t pairs = theta->count;
  float made_cos[LARGEST_HEAD], made_sin[LARGEST_HEAD], in[LARGEST_HEAD], out[LARGEST_HEAD];
  double allowed[LARGEST_HEAD] = {0};
  for (size_t i = 0; i < x->count; ++i) in[i] = (float)x->items[i].number;
  adapter_table(rope, position, made_cos, made_sin);
  adapter_rotate(rope, position, in, out);
  for (size_t j = 0; j < pairs; ++j) {
    const double angle = fabs(position * theta->items[j].number) * theta_tolerance;
    compare(made_cos[j], cos->items[j].number, magnitude * (value_tolerance + angle));
    compare(made_sin[j], sin->items[j].number, magnitude * (value_tolerance + angle));
    const int half = strcmp(pairing, "half") == 0;
    const size_t a = half ? j : 2 * j, b = half ? j + pairs : 2 * j + 1;
    allowed[a] = allowed[b] = magnitude * hypot(in[a], in[b]) * (2 * value_tolerance + angle);
  }
  for (size_t i = 0; i < x->count; ++i) compare(out[i], y->items[i].number, allowed[i]);
}

static void run_case(const struct json* one, const struct json* positions, const char* pairing) {
  const struct json* rule = json_get(one, "frequencies");
  const struct json* column = is_float32 ? json_get(one, "float32") : one;
  const struct conformance_case given = {pairing, (size_t)json_get(one, "head_dim")->number,
                                         (size_t)json_get(one, "rotary_dim")->number, rule->source,
                                         rule->source_size};
  void* rope = adapter_make(&given);
  if (rope == NULL) {
    ++unsupported;
    return;
  }
  compare_theta(one, json_get(column, "theta"), rope);
  for (size_t row = 0; row < positions->count; ++row) {
    compare_position(one, column, pairing, row, positions->items[row].number, rope);
  }
  adapter_free(rope);
  static const char* const forms[] = {"huggingface", "huggingface_5", "gguf"};
  for (size_t i = 0; adapter_reads && i < 3; ++i) {
    const struct json* config = json_get(json_get(one, forms[i]), pairing);
    if (config->kind != JSON_OBJECT) continue; /* A text that says why there is no such form. */
    rope = adapter_read(config->source, config->source_size, json_get(one, "sequence_length")->number);
    if (rope == NULL) {
      ++unsupported;
      continue;
    }
    compare_theta(one, json_get(column, "theta"), rope);
    adapter_free(rope);
  }
}

static int may_miss(const struct json* rule, int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    if (strlen(argv[i]) == rule->source_size && memcmp(argv[i], rule->source, rule->source_size) == 0)
      return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s FOLDER-OF-VECTORS [RULE-THAT-MAY-BE-UNSUPPORTED ...]\n", argv[0]);
    return 2;
  }
  struct json* index = json_read(argv[1], "index.json", strlen("index.json"));
  const struct json* tolerances = json_get(json_get(index, "tolerances"), adapter_precision);
  theta_tolerance = json_get(tolerances, "theta")->number;
  value_tolerance = json_get(tolerances, "value")->number;
  is_float32 = strcmp(adapter_precision, "float32") == 0;
  const struct json* files = json_get(index, "files");
  int held = 1;
  for (size_t f = 0; f < files->count; ++f) {
    struct json* file = json_read(argv[1], files->items[f].source, files->items[f].source_size);
    const struct json *cases = json_get(file, "cases"), *rule = json_get(file, "rule");
    const size_t before = compared, missing = unsupported;
    worst_of_rule = 0;
    for (size_t i = 0; i < cases->count; ++i) {
      run_case(&cases->items[i], json_get(file, "positions"), "half");
      run_case(&cases->items[i], json_get(file, "positions"), "interleaved");
    }
    held = held && worst_of_rule <= 1 && (unsupported == missing || may_miss(rule, argc, argv));
    printf("%.*s: %zu values, largest difference %.3f of the tolerance, %zu not supported\n",
           (int)rule->source_size, rule->source, compared - before, worst_of_rule, unsupported - missing);
    json_free(file);
  }
  json_free(index);
  printf("%s: %zu values, %s\n", held ? "All hold" : "SOME DO NOT HOLD", compared, adapter_precision);
  return held ? 0 : 1;
}
