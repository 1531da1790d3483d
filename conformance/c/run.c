/*
 * Runs the vectors against an implementation: run FOLDER-OF-VECTORS
 * README.md in the folder above says what an adapter is. Exit code 0: all within the tolerances; 1: some are not.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "json.h"

enum { LARGEST_HEAD = 1024, MOST_AXES = 8 };

static double theta_tolerance, value_tolerance;
/* The largest difference as a share of the tolerance, and how many values were compared. */
static double worst;
static size_t compared;

static void compare(double made, double expected, double allowed) {
  const double share = made == expected ? 0 : fabs(made - expected) / allowed;
  /* Written so that NaN counts as infinite. */
  if (!(share <= worst)) worst = isnan(share) ? INFINITY : share;
  ++compared;
}

/* The row of the table and the rotated sample at one position, which has one number for each axis. */
static void compare_position(const struct json* one, void* rope, const double* position, size_t axes,
                             const double* errors, size_t (*channels)[LARGEST_HEAD], const struct json* table,
                             const struct json* y) {
  const struct json *x = json_get(one, "x"), *cos_row = json_get(table, "cos"),
                    *sin_row = json_get(table, "sin");
  const double magnitude = json_get(one, "magnitude")->number;
  float cos[LARGEST_HEAD], sin[LARGEST_HEAD], in[LARGEST_HEAD], out[LARGEST_HEAD];
  double allowed[LARGEST_HEAD] = {0};
  for (size_t i = 0; i < x->count; ++i) in[i] = (float)x->items[i].number;
  adapter_table(rope, position, axes, cos, sin);
  adapter_rotate(rope, position, axes, in, out);
  for (size_t j = 0; j < cos_row->count; ++j) {
    const size_t a = channels[0][j], b = channels[1][j];
    compare(cos[j], cos_row->items[j].number, magnitude * (value_tolerance + errors[j]));
    compare(sin[j], sin_row->items[j].number, magnitude * (value_tolerance + errors[j]));
    allowed[a] = allowed[b] = magnitude * hypot(in[a], in[b]) * (2 * value_tolerance + errors[j]);
  }
  for (size_t i = 0; i < x->count; ++i) compare(out[i], y->items[i].number, allowed[i]);
}

static void compare_rope(const struct json* one, const struct json* column, const struct json* positions,
                         const char* pairing, void* rope) {
  const struct json* theta = json_get(column, "theta");
  const size_t pairs = theta->count;
  const int half = strcmp(pairing, "half") == 0;
  size_t channels[2][LARGEST_HEAD];
  const double magnitude = json_get(one, "magnitude")->number;
  double made_theta[LARGEST_HEAD], made_magnitude;
  if (adapter_theta(rope, made_theta, &made_magnitude)) {
    compare(made_magnitude, magnitude, theta_tolerance * magnitude);
    for (size_t j = 0; j < pairs; ++j) {
      compare(made_theta[j], theta->items[j].number, theta_tolerance * fabs(theta->items[j].number));
    }
  }
  for (size_t row = 0; row < positions->count; ++row) {
    const double position = positions->items[row].number;
    double errors[LARGEST_HEAD]; /* of the angles */
    for (size_t j = 0; j < pairs; ++j) {
      errors[j] = fabs(position * theta->items[j].number) * theta_tolerance;
      channels[0][j] = half ? j : 2 * j;
      channels[1][j] = half ? j + pairs : 2 * j + 1;
    }
    const struct json* y = &json_get(json_get(column, "rotated"), pairing)->items[row];
    compare_position(one, rope, &position, 1, errors, channels, &json_get(column, "tables")->items[row], y);
  }
}

/* Returns 1 if the implementation could not make the rope. */
static size_t run_axes_case(const struct json* one) {
  const struct json *rule = json_get(one, "frequencies"), *axes = json_get(one, "axes"),
                    *name = json_get(one, "pairing");
  const struct json *theta = json_get(one, "theta"), *positions = json_get(one, "positions");
  const struct conformance_case given = {strncmp(name->source, "half", 4) == 0 ? "half" : "interleaved",
                                         (size_t)json_get(one, "head_dim")->number,
                                         (size_t)json_get(one, "rotary_dim")->number,
                                         rule->source,
                                         rule->source_size,
                                         axes->source,
                                         axes->source_size};
  void* rope = adapter_make(&given);
  if (rope == NULL) return 1;
  size_t channels[2][LARGEST_HEAD];
  for (int side = 0; side < 2; ++side) {
    const struct json* list = &json_get(one, "channels")->items[side];
    for (size_t j = 0; j < list->count; ++j) channels[side][j] = (size_t)list->items[j].number;
  }
  for (size_t row = 0; row < positions->count; ++row) {
    double position[MOST_AXES], errors[LARGEST_HEAD] = {0};
    for (size_t axis = 0; axis < theta->count; ++axis) {
      const struct json* own = &theta->items[axis];
      position[axis] = positions->items[row].items[axis].number;
      for (size_t j = 0; j < own->count; ++j)
        errors[j] += fabs(position[axis] * own->items[j].number) * theta_tolerance;
    }
    compare_position(one, rope, position, theta->count, errors, channels,
                     &json_get(one, "tables")->items[row], &json_get(one, "rotated")->items[row]);
  }
  adapter_free(rope);
  return 0;
}

/* Returns how many ropes the implementation could not make: of the case, and of each form of its configuration. */
static size_t run_case(const struct json* one, const struct json* positions, const char* pairing) {
  static const char* const forms[] = {"huggingface", "huggingface_5", "gguf"};
  const struct json* rule = json_get(one, "frequencies");
  const struct json* column = strcmp(adapter_precision, "float32") == 0 ? json_get(one, "float32") : one;
  const struct conformance_case given = {pairing,
                                         (size_t)json_get(one, "head_dim")->number,
                                         (size_t)json_get(one, "rotary_dim")->number,
                                         rule->source,
                                         rule->source_size,
                                         NULL,
                                         0};
  size_t missing = 0;
  for (int form = -1; form < (adapter_reads ? 3 : 0); ++form) {
    const struct json* config = form < 0 ? NULL : json_get(json_get(one, forms[form]), pairing);
    if (config != NULL && config->kind != JSON_OBJECT) continue; /* A text says why there is no such form. */
    const double length = json_get(one, "sequence_length")->number;
    void* rope =
        config == NULL ? adapter_make(&given) : adapter_read(config->source, config->source_size, length);
    if (rope == NULL) {
      ++missing;
      continue;
    }
    compare_rope(one, column, positions, pairing, rope);
    adapter_free(rope);
  }
  return missing;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER-OF-VECTORS\n", argv[0]);
    return 2;
  }
  struct json* index = json_read(argv[1], "index.json", strlen("index.json"));
  const struct json* tolerance = json_get(json_get(index, "tolerances"), adapter_precision);
  const struct json* files = json_get(index, "files");
  theta_tolerance = json_get(tolerance, "theta")->number;
  value_tolerance = json_get(tolerance, "value")->number;
  double worst_of_all = 0;
  for (size_t f = 0; f < files->count; ++f) {
    struct json* file = json_read(argv[1], files->items[f].source, files->items[f].source_size);
    const struct json *cases = json_get(file, "cases"), *positions = json_get(file, "positions");
    size_t missing = 0;
    worst = compared = 0;
    for (size_t i = 0; i < cases->count; ++i) {
      missing += run_case(&cases->items[i], positions, "half");
      missing += run_case(&cases->items[i], positions, "interleaved");
    }
    worst_of_all = fmax(worst_of_all, worst);
    const struct json* rule = json_get(file, "rule");
    printf("%.*s: %zu values, largest difference %.3f of the tolerance, %zu not supported\n",
           (int)rule->source_size, rule->source, compared, worst, missing);
    json_free(file);
  }
  if (adapter_axes) {
    const struct json* name = json_get(index, "axes");
    struct json* file = json_read(argv[1], name->source, name->source_size);
    const struct json* cases = json_get(file, "cases");
    size_t missing = 0;
    worst = compared = 0;
    for (size_t i = 0; i < cases->count; ++i) missing += run_axes_case(&cases->items[i]);
    worst_of_all = fmax(worst_of_all, worst);
    printf("axes: %zu values, largest difference %.3f of the tolerance, %zu not supported\n", compared, worst,
           missing);
    json_free(file);
  }
  json_free(index);
  printf("%s\n", worst_of_all <= 1 ? "All hold" : "SOME DO NOT HOLD");
  return worst_of_all <= 1 ? 0 : 1;
}
