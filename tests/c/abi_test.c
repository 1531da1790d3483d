/* The functions of ropewalk.h as a C99 program meets them: handles, errors, every call once. */
#include <math.h>
#include <ropewalk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static ropewalk_rope* make(const char* options) {
  ropewalk_rope* rope = NULL;
  CHECK(ropewalk_rope_create(options, strlen(options), &rope) == ROPEWALK_OK);
  return rope;
}

static void properties(void) {
  ropewalk_rope* rope =
      make("{\"head_dim\": 8, \"rotary_dim\": 4, \"rotary_offset\": 2, \"pairing\": \"half\"}");
  size_t count = 0;
  const double* theta = ropewalk_rope_frequencies(rope, &count);
  CHECK(count == 2 && theta[0] == 1 && fabs(theta[1] - 0.01) < 1e-15);
  CHECK(ropewalk_rope_frequencies(rope, NULL) == theta);
  CHECK(ropewalk_rope_head_dim(rope) == 8);
  CHECK(ropewalk_rope_rotary_dim(rope) == 4);
  CHECK(ropewalk_rope_rotary_offset(rope) == 2);
  CHECK(ropewalk_rope_pairing(rope) == ROPEWALK_HALF);
  CHECK(ropewalk_rope_axes(rope) == 1);
  CHECK(ropewalk_rope_width(rope) == 2);
  CHECK(ropewalk_rope_magnitude(rope) == 1);
  char *json = NULL, *text = NULL;
  CHECK(ropewalk_rope_options(rope, &json) == ROPEWALK_OK);
  ropewalk_rope* again = make(json);
  CHECK(ropewalk_rope_rotary_offset(again) == 2);
  CHECK(ropewalk_rope_explain(rope, 100, &text) == ROPEWALK_OK);
  CHECK(strstr(text, "base") != NULL || strstr(text, "theta") != NULL);
  ropewalk_free(json);
  ropewalk_free(text);
  ropewalk_free(NULL);
  ropewalk_rope_destroy(again);
  ropewalk_rope_destroy(rope);
  ropewalk_rope_destroy(NULL);
}

static void configurations(void) {
  const char* yarn =
      "{\"model_type\": \"llama\", \"head_dim\": 64, \"max_position_embeddings\": 131072, \"rope_theta\": "
      "10000,"
      " \"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 32, \"original_max_position_embeddings\": "
      "4096}}";
  const char* dynamic =
      "{\"model_type\": \"llama\", \"head_dim\": 64, \"max_position_embeddings\": 2048, \"rope_theta\": "
      "10000,"
      " \"rope_scaling\": {\"rope_type\": \"dynamic\", \"factor\": 2}}";
  ropewalk_rope* rope = NULL;
  CHECK(ropewalk_rope_create_from_config(yarn, strlen(yarn), NULL, &rope) == ROPEWALK_OK);
  CHECK(fabs(ropewalk_rope_magnitude(rope) - (0.1 * log(32) + 1)) < 1e-15);
  ropewalk_rope_destroy(rope);
  ropewalk_config_options options = {sizeof options, 16384, NULL, NULL};
  CHECK(ropewalk_rope_create_from_config(dynamic, strlen(dynamic), &options, &rope) == ROPEWALK_OK);
  ropewalk_rope_destroy(rope);
  const char* unknown = "{\"model_type\": \"made_up\", \"head_dim\": 64}";
  options.pairing = "half";
  CHECK(ropewalk_rope_create_from_config(unknown, strlen(unknown), &options, &rope) == ROPEWALK_OK);
  CHECK(ropewalk_rope_pairing(rope) == ROPEWALK_HALF);
  ropewalk_rope_destroy(rope);
}

static void rotations(void) {
  enum { SIZE = 2 * 3 * 8, KEYS = 2 * 1 * 8 };
  float x[SIZE], y[SIZE], back[SIZE], q[SIZE], k[KEYS], moved[SIZE], expected[SIZE];
  for (int i = 0; i < SIZE; ++i) x[i] = (float)(i % 7) - 3;
  ropewalk_rope* rope = make(
      "{\"head_dim\": 8, \"frequencies\": {\"type\": \"yarn\", \"factor\": 4, "
      "\"original_max_positions\": 64}}");
  ropewalk_placement placement = ROPEWALK_PLACEMENT_INIT;
  placement.sequence = 2;
  placement.heads = 3;
  placement.kv_heads = 1;
  placement.positions.start = 5;
  CHECK(ropewalk_rotate(rope, x, y, SIZE, ROPEWALK_FLOAT32, &placement) == ROPEWALK_OK);
  CHECK(ropewalk_unrotate(rope, y, back, SIZE, ROPEWALK_FLOAT32, &placement) == ROPEWALK_OK);
  for (int i = 0; i < SIZE; ++i) CHECK(fabsf(back[i] - x[i]) < 2e-6f);

  /* A row of the table, and the rotation by hand. */
  const double position = 5;
  float cos[4], sin[4];
  CHECK(ropewalk_table(rope, &position, 1, cos, sin, 4) == ROPEWALK_OK);
  CHECK(fabsf(y[0] - (x[0] * cos[0] - x[1] * sin[0])) < 1e-6f);

  /* Explicit positions, and strides that say the same as the layout. */
  const double positions[2] = {5, 6};
  placement.positions.values = positions;
  placement.positions.count = 2;
  placement.layout = ROPEWALK_STRIDED;
  placement.strides.batch = SIZE;
  placement.strides.sequence = 24;
  placement.strides.head = 8;
  placement.key_strides = placement.strides;
  placement.key_strides.sequence = 8;
  placement.key_strides.batch = KEYS;
  memcpy(q, x, sizeof q);
  memcpy(k, x, sizeof k);
  CHECK(ropewalk_rotate_qk(rope, q, q, SIZE, k, k, KEYS, ROPEWALK_FLOAT32, &placement) == ROPEWALK_OK);
  CHECK(memcmp(q, y, sizeof q) == 0);
  CHECK(memcmp(k, y, 8 * sizeof *k) == 0);

  /* Cached keys to new positions. */
  const ropewalk_positions to = {105, NULL, 0};
  placement.role = ROPEWALK_KEY;
  CHECK(ropewalk_rerotate(rope, y, moved, SIZE, ROPEWALK_FLOAT32, &placement, NULL, &to) == ROPEWALK_OK);
  placement.positions = to;
  CHECK(ropewalk_rotate(rope, x, expected, SIZE, ROPEWALK_FLOAT32, &placement) == ROPEWALK_OK);
  for (int i = 0; i < SIZE; ++i) CHECK(fabsf(moved[i] - expected[i]) < 5e-6f);

  /* A member that a later header adds may be there if it is 0. */
  struct {
    ropewalk_placement known;
    size_t later;
  } newer = {ROPEWALK_PLACEMENT_INIT, 0};
  newer.known.struct_size = sizeof newer;
  newer.known.sequence = 2;
  newer.known.heads = 3;
  CHECK(ropewalk_rotate(rope, x, y, SIZE, ROPEWALK_FLOAT32, &newer.known) == ROPEWALK_OK);
  newer.later = 1;
  CHECK(failed(ropewalk_rotate(rope, x, y, SIZE, ROPEWALK_FLOAT32, &newer.known), ROPEWALK_ERROR_RANGE,
               "rotate: `placement.struct_size`"));
  ropewalk_rope_destroy(rope);
}

static void conversions(void) {
  float weight[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[8];
  ropewalk_conversion conversion = {sizeof conversion, ROPEWALK_HALF, ROPEWALK_INTERLEAVED, 1, 4, 0, 0, 2};
  CHECK(ropewalk_convert_pairing(weight, out, 8, ROPEWALK_FLOAT32, &conversion) == ROPEWALK_OK);
  CHECK(out[0] == 0 && out[2] == 4 && out[4] == 2 && out[6] == 6);
}

static void given_angles(void) {
  const float x[4] = {1, 0, 5, 6};
  const double angles[1] = {3.14159265358979323846 / 2};
  float y[4], grad_x[4];
  double grad_angles[1];
  ropewalk_given_angles shape = {sizeof shape, 1, 1, 1, 4, 1, ROPEWALK_HALF};
  CHECK(ropewalk_rotate_by(x, y, 4, angles, 1, &shape) == ROPEWALK_OK);
  CHECK(fabsf(y[0]) < 1e-6f && fabsf(y[1] - 1) < 1e-6f && y[2] == 5 && y[3] == 6);
  /* dL/dy = y, so that L = |y|^2 / 2, which no angle changes, and dL/dx = x. */
  CHECK(ropewalk_rotate_by_gradient(x, y, grad_x, 4, angles, grad_angles, 1, &shape) == ROPEWALK_OK);
  for (int i = 0; i < 4; ++i) CHECK(fabsf(grad_x[i] - x[i]) < 1e-6f);
  CHECK(fabs(grad_angles[0]) < 1e-6);
}

static void errors(void) {
  ropewalk_rope* rope = NULL;
  ropewalk_error error;
  CHECK(failed(ropewalk_rope_create("{\"head_dim\": 7}", 15, &rope), ROPEWALK_ERROR_RANGE,
               "rope: `head_dim` is 7"));
  ropewalk_last_error(&error);
  CHECK(strcmp(error.function, "rope") == 0 && strcmp(error.argument, "head_dim") == 0);
  CHECK(strcmp(error.value, "7") == 0 && strncmp(error.allowed, "an even number", 14) == 0);
  /* A call that succeeds does not clear it. */
  ropewalk_rope_destroy(make("{\"head_dim\": 4}"));
  ropewalk_last_error(&error);
  CHECK(error.code == ROPEWALK_ERROR_RANGE && strcmp(error.argument, "head_dim") == 0);
}

int main(void) {
  CHECK(ropewalk_abi_version() == ROPEWALK_ABI_VERSION);
  CHECK(ropewalk_version()[0] != '\0');
  CHECK(ropewalk_use_architecture(ropewalk_architecture()) == ROPEWALK_OK);
  void* memory = ropewalk_alloc(16);
  CHECK(memory != NULL);
  ropewalk_free(memory);
  properties();
  configurations();
  rotations();
  conversions();
  given_angles();
  errors();
  if (failures == 0) puts("the C functions hold");
  return failures == 0 ? 0 : 1;
}
