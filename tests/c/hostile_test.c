/*
 * Hostile calls: a table for every function of ropewalk.h and ropewalk_models.h that takes something. A row is a call, the
 * code that it gives, and the beginning of its message. After each of them nothing is written, and in the end sound calls
 * work as before. hostile_test GOLDEN, the folder tests/golden.
 */
#include <math.h>
#include <ropewalk_models.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"

/* What a caller in another language passes for -1. */
#define MINUS_ONE ((size_t)-1)

enum { SIZE = 16, CANARY = 7 };

/* Written by no call of the tables. */
static float out[SIZE], out_k[SIZE];
static double grad[SIZE];
static void* made;
static size_t number = CANARY;
static char* text;
static const float* values;
static int32_t id = CANARY;

static void expect_unwritten(const char* call) {
  int written = made != NULL || text != NULL || values != NULL || number != CANARY || id != CANARY;
  for (int i = 0; i < SIZE; ++i) written |= out[i] != CANARY || out_k[i] != CANARY || grad[i] != CANARY;
  if (!written) return;
  fprintf(stderr, "%s wrote something\n", call);
  ++failures;
}

/* The function of a table that serves several, in front of the beginnings of its messages. */
static const char* function = "";

static void refused(const char* call, ropewalk_status status, ropewalk_status code, const char* beginning) {
  char whole[256];
  snprintf(whole, sizeof whole, "%s%s", function, beginning);
  if (!failed(status, code, whole)) {
    fprintf(stderr, "  by %s\n", call);
    ++failures;
  }
  expect_unwritten(call);
}

/* A row of a table. */
#define REFUSED(call, code, beginning) refused(#call, call, ROPEWALK_ERROR_##code, beginning)

/* A sound struct with one member changed. */
#define CHANGED(struct, change) (changed_##struct = struct, changed_##struct.change, &changed_##struct)

#define JSON(json) json, strlen(json)

static const float x[SIZE] = {1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8};

static void ropes(void) {
  ropewalk_rope** const rope = (ropewalk_rope**)&made;
  REFUSED(ropewalk_rope_create(NULL, 0, rope), TYPE, "rope_create: `options` is NULL");
  REFUSED(ropewalk_rope_create(JSON("{}"), NULL), TYPE, "rope_create: `rope` is NULL");
  REFUSED(ropewalk_rope_create("", 0, rope), MALFORMED, "rope: ");
  REFUSED(ropewalk_rope_create(JSON("["), rope), MALFORMED, "rope: ");
  REFUSED(ropewalk_rope_create(JSON("[]"), rope), TYPE, "rope: ");
  REFUSED(ropewalk_rope_create("{\"head_dim\": 8}\0{", 17, rope), MALFORMED, "rope: ");
  REFUSED(ropewalk_rope_create("{}", MINUS_ONE, rope), RANGE, "rope: `options` is a JSON text of ");
  REFUSED(ropewalk_rope_create(JSON("{}"), rope), TYPE, "rope: `head_dim` is missing");
  REFUSED(ropewalk_rope_create(JSON("{\"head_dim\": 7}"), rope), RANGE, "rope: `head_dim` is 7");
  REFUSED(ropewalk_rope_create(JSON("{\"head_dim\": -8}"), rope), RANGE, "rope: `head_dim` is -8");
  REFUSED(ropewalk_rope_create(JSON("{\"head_dim\": 1e300}"), rope), RANGE, "rope: `head_dim` is 1e300");
  REFUSED(ropewalk_rope_create(JSON("{\"head_dim\": \"8\"}"), rope), TYPE, "rope: `head_dim` is \"8\"");
  REFUSED(ropewalk_rope_create(JSON("{\"head_din\": 8}"), rope), TYPE, "rope: ");
  REFUSED(ropewalk_rope_create(JSON("{\"head_dim\": 8, \"head_dim\": 8}"), rope), MALFORMED, "rope: ");

  static const char* const unknown = "{\"model_type\": \"made_up\", \"head_dim\": 64}";
  static const char* const dynamic =
      "{\"model_type\": \"llama\", \"head_dim\": 64, \"max_position_embeddings\": 2048, \"rope_theta\": 1e4,"
      " \"rope_scaling\": {\"rope_type\": \"dynamic\", \"factor\": 2}}";
  const ropewalk_config_options options = {sizeof options, 16384, NULL, NULL};
  ropewalk_config_options changed_options;
  REFUSED(ropewalk_rope_create_from_config(NULL, 0, NULL, rope), TYPE,
          "rope_create_from_config: `config` is NULL");
  REFUSED(ropewalk_rope_create_from_config(JSON(dynamic), NULL, NULL), TYPE,
          "rope_create_from_config: `rope` is NULL");
  REFUSED(ropewalk_rope_create_from_config("", 0, NULL, rope), MALFORMED, "rope_options_from_config: ");
  REFUSED(ropewalk_rope_create_from_config(JSON("7"), NULL, rope), TYPE, "rope_options_from_config: ");
  REFUSED(ropewalk_rope_create_from_config("{}", MINUS_ONE, NULL, rope), RANGE, "rope_options_from_config: ");
  REFUSED(ropewalk_rope_create_from_config(JSON(unknown), NULL, rope), RANGE,
          "rope_options_from_config: `model_type` is \"made_up\"");
  REFUSED(ropewalk_rope_create_from_config(JSON(dynamic), NULL, rope), TYPE,
          "rope_options_from_config: `sequence_length` is missing");
  REFUSED(ropewalk_rope_create_from_config(JSON(dynamic), CHANGED(options, sequence_length = NAN), rope),
          RANGE, "rope_options_from_config: `sequence_length` is NaN");
  REFUSED(ropewalk_rope_create_from_config(JSON(dynamic), CHANGED(options, sequence_length = -1), rope),
          RANGE, "rope_options_from_config: `sequence_length` is -1");
  REFUSED(ropewalk_rope_create_from_config(JSON(unknown), CHANGED(options, pairing = "both"), rope), RANGE,
          "rope_create_from_config: `options.pairing` is \"both\"");
  REFUSED(ropewalk_rope_create_from_config(JSON(dynamic), CHANGED(options, layer_type = "no such"), rope),
          RANGE, "rope_options_from_config: `layer_type` is \"no such\"");
  REFUSED(ropewalk_rope_create_from_config(JSON(dynamic), CHANGED(options, struct_size = 1), rope), RANGE,
          "rope_create_from_config: `options.struct_size` is 1");
  REFUSED(ropewalk_rope_create_from_config(JSON(dynamic), CHANGED(options, struct_size = MINUS_ONE), rope),
          RANGE, "rope_create_from_config: `options.struct_size` is ");
}

static void properties(const ropewalk_rope* rope) {
  REFUSED(ropewalk_rope_options(NULL, &text), TYPE, "rope_options: `rope` is NULL");
  REFUSED(ropewalk_rope_options(rope, NULL), TYPE, "rope_options: `json` is NULL");
  REFUSED(ropewalk_rope_explain(NULL, 0, &text), TYPE, "explain: `rope` is NULL");
  REFUSED(ropewalk_rope_explain(rope, 0, NULL), TYPE, "explain: `text` is NULL");
  REFUSED(ropewalk_rope_explain(rope, NAN, &text), RANGE, "explain: `context` is NaN");
  REFUSED(ropewalk_rope_explain(rope, -1, &text), RANGE, "explain: `context` is -1");
  REFUSED(ropewalk_rope_explain(rope, INFINITY, &text), RANGE, "explain: `context` is Infinity");
  REFUSED(ropewalk_use_architecture(NULL), TYPE, "use_architecture: `name` is NULL");
  REFUSED(ropewalk_use_architecture(""), RANGE, "use_architecture: `name` is \"\"");
  REFUSED(ropewalk_use_architecture("mmx"), RANGE, "use_architecture: `name` is \"mmx\"");
  size_t count = 1;
  CHECK(ropewalk_rope_frequencies(NULL, &count) == NULL && count == 0);
  CHECK(ropewalk_rope_frequencies(NULL, NULL) == NULL);
  CHECK(ropewalk_rope_pairing(NULL) == -1 && ropewalk_rope_magnitude(NULL) == 0);
  CHECK(ropewalk_rope_head_dim(NULL) + ropewalk_rope_rotary_dim(NULL) + ropewalk_rope_rotary_offset(NULL) ==
        0);
  CHECK(ropewalk_rope_axes(NULL) + ropewalk_rope_width(NULL) == 0);
  CHECK(ropewalk_alloc(MINUS_ONE) == NULL);
  ropewalk_last_error(NULL);
  ropewalk_free(NULL);
  ropewalk_rope_destroy(NULL);
}

/* What ropewalk_rotate() and its inverse share. */
typedef ropewalk_status rotation(const ropewalk_rope*, const void*, void*, size_t, int32_t,
                                 const ropewalk_placement*);

static void rotations(const ropewalk_rope* rope, rotation* rotate, const char* name) {
  ropewalk_placement at = ROPEWALK_PLACEMENT_INIT, changed_at;
  at.sequence = 2;
  at.heads = 1;
  const double nan[2] = {0, NAN}, far[2] = {0, 1e300};
  const size_t backwards[3] = {0, 2, 1}, beyond[3] = {0, 1, 9};
#define POSITIONS(array, size) \
  (changed_at = at, changed_at.positions.values = array, changed_at.positions.count = size, &changed_at)
#define PACKED(array, size)                                                                  \
  (changed_at = at, changed_at.layout = ROPEWALK_THD, changed_at.cumulative_lengths = array, \
   changed_at.cumulative_count = size, &changed_at)
#define STRIDES(...)                                      \
  (changed_at = at, changed_at.layout = ROPEWALK_STRIDED, \
   changed_at.strides = (ropewalk_strides){__VA_ARGS__}, &changed_at)
  function = name;
  REFUSED(rotate(NULL, x, out, SIZE, 0, &at), TYPE, "`rope` is NULL");
  REFUSED(rotate(rope, NULL, out, SIZE, 0, &at), TYPE, "`x` is NULL");
  REFUSED(rotate(rope, x, NULL, SIZE, 0, &at), TYPE, "`out` is NULL");
  REFUSED(rotate(rope, x, out, SIZE, 0, NULL), TYPE, "`placement` is NULL");
  REFUSED(rotate(rope, x, out, 0, 0, &at), RANGE, "`x` is an array of 0");
  REFUSED(rotate(rope, x, out, SIZE - 1, 0, &at), RANGE, "`x` is an array of 15");
  REFUSED(rotate(rope, x, out, MINUS_ONE, 0, &at), RANGE, "`x` is an array of 1.8446744073709552e+19");
  REFUSED(rotate(rope, x, out, SIZE, -1, &at), RANGE, "`dtype` is -1");
  REFUSED(rotate(rope, x, out, SIZE, 3, &at), RANGE, "`dtype` is 3");
  REFUSED(rotate(rope, out, out + 1, SIZE - 1, 0, &at), RANGE, "`x` is an array of 15");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, struct_size = 8)), RANGE, "`placement.struct_size` is 8");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, struct_size = MINUS_ONE)), RANGE,
          "`placement.struct_size` is ");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, batch = 0)), RANGE, "`batch` is 0");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, batch = MINUS_ONE)), RANGE, "");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, sequence = 0)), RANGE, "`sequence` is 0");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, sequence = (MINUS_ONE >> 3) + 3)), RANGE, "");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, heads = 0)), RANGE, "`heads` is 0");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, heads = MINUS_ONE)), RANGE, "");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, layout = -1)), RANGE, "`layout` is -1");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, layout = 4)), RANGE, "`layout` is 4");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, role = 2)), RANGE, "`role` is 2");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, positions.start = NAN)), RANGE, "`positions` is NaN");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, positions.start = -INFINITY)), RANGE,
          "`positions` is -Infinity");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, positions.start = 1e300)), RANGE,
          "`positions` is 1e+300");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, positions.count = 2)), TYPE, "`positions` is NULL");
  REFUSED(rotate(rope, x, out, SIZE, 0, POSITIONS(nan, 2)), RANGE, "`positions[1]` is NaN");
  REFUSED(rotate(rope, x, out, SIZE, 0, POSITIONS(far, 2)), RANGE, "`positions[1]` is 1e+300");
  REFUSED(rotate(rope, x, out, SIZE, 0, POSITIONS(far, 1)), RANGE, "`positions` is an array of 1");
  REFUSED(rotate(rope, x, out, SIZE, 0, POSITIONS(far, MINUS_ONE)), RANGE,
          "`positions` is an array of 1.844674");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, layout = ROPEWALK_THD)), RANGE, "`cumulative_lengths`");
  REFUSED(rotate(rope, x, out, SIZE, 0, CHANGED(at, cumulative_count = 3)), TYPE,
          "`cumulative_lengths` is NULL");
  REFUSED(rotate(rope, x, out, SIZE, 0, PACKED(backwards, 3)), RANGE, "`cumulative_lengths");
  REFUSED(rotate(rope, x, out, SIZE, 0, PACKED(beyond, 3)), RANGE, "`cumulative_lengths");
  REFUSED(rotate(rope, x, out, SIZE, 0, STRIDES(PTRDIFF_MAX, 8, 8)), RANGE, "`strides");
  REFUSED(rotate(rope, x, out, SIZE, 0, STRIDES(16, PTRDIFF_MAX, 8)), RANGE, "");
  REFUSED(rotate(rope, x, out, SIZE, 0, STRIDES(16, -8, 8)), RANGE, "");
  REFUSED(rotate(rope, x, out, SIZE, 0, STRIDES(16, 9, 8)), RANGE, "");
  REFUSED(rotate(rope, x, out, SIZE, 0, STRIDES(16, 4, 8)), RANGE, "");
#undef POSITIONS
#undef PACKED
#undef STRIDES
  function = "";
}

static void other_rotations(const ropewalk_rope* rope) {
  ropewalk_placement at = ROPEWALK_PLACEMENT_INIT, changed_at;
  at.sequence = 2;
  at.heads = at.kv_heads = 1;
  const ropewalk_positions to = {5, NULL, 0};
  ropewalk_positions changed_to;
  function = "rotate_qk: ";
  REFUSED(ropewalk_rotate_qk(NULL, x, out, SIZE, x, out_k, SIZE, 0, &at), TYPE, "`rope` is NULL");
  REFUSED(ropewalk_rotate_qk(rope, NULL, out, SIZE, x, out_k, SIZE, 0, &at), TYPE, "`q` is NULL");
  REFUSED(ropewalk_rotate_qk(rope, x, NULL, SIZE, x, out_k, SIZE, 0, &at), TYPE, "`out_q` is NULL");
  REFUSED(ropewalk_rotate_qk(rope, x, out, SIZE, NULL, out_k, SIZE, 0, &at), TYPE, "`k` is NULL");
  REFUSED(ropewalk_rotate_qk(rope, x, out, SIZE, x, NULL, SIZE, 0, &at), TYPE, "`out_k` is NULL");
  REFUSED(ropewalk_rotate_qk(rope, x, out, SIZE, x, out_k, SIZE, 0, NULL), TYPE, "`placement` is NULL");
  REFUSED(ropewalk_rotate_qk(rope, x, out, SIZE, x, out_k, SIZE, 9, &at), RANGE, "`dtype` is 9");
  REFUSED(ropewalk_rotate_qk(rope, x, out, SIZE - 1, x, out_k, SIZE, 0, &at), RANGE, "`q` is an array of 15");
  REFUSED(ropewalk_rotate_qk(rope, x, out, SIZE, x, out_k, SIZE - 1, 0, &at), RANGE, "`k` is an array of 15");
  REFUSED(ropewalk_rotate_qk(rope, x, out, SIZE, x, out_k, SIZE, 0, CHANGED(at, kv_heads = 0)), RANGE,
          "`kv_heads` is 0");
  REFUSED(ropewalk_rotate_qk(rope, x, out, SIZE, x, out_k, SIZE, 0, CHANGED(at, kv_heads = MINUS_ONE)), RANGE,
          "");
  REFUSED(ropewalk_rotate_qk(rope, x, out, SIZE, x, out, SIZE, 0, &at), RANGE,
          "`out_k` is in the memory of `out_q`");
  REFUSED(ropewalk_rotate_qk(rope, out, out, SIZE, out, out_k, SIZE, 0, &at), RANGE,
          "`out_q` is in the memory of `k`");

  function = "rerotate: ";
  REFUSED(ropewalk_rerotate(NULL, x, out, SIZE, 0, &at, NULL, &to), TYPE, "`rope` is NULL");
  REFUSED(ropewalk_rerotate(rope, NULL, out, SIZE, 0, &at, NULL, &to), TYPE, "`x` is NULL");
  REFUSED(ropewalk_rerotate(rope, x, NULL, SIZE, 0, &at, NULL, &to), TYPE, "`out` is NULL");
  REFUSED(ropewalk_rerotate(rope, x, out, SIZE, 0, NULL, NULL, &to), TYPE, "`placement` is NULL");
  REFUSED(ropewalk_rerotate(rope, x, out, SIZE, 0, &at, NULL, NULL), TYPE, "`to_positions` is NULL");
  REFUSED(ropewalk_rerotate(rope, x, out, SIZE, -1, &at, NULL, &to), RANGE, "`dtype` is -1");
  REFUSED(ropewalk_rerotate(rope, x, out, MINUS_ONE, 0, &at, NULL, &to), RANGE,
          "`x` is an array of 1.8446744073709552e+19");
  REFUSED(ropewalk_rerotate(rope, x, out, SIZE, 0, &at, NULL, CHANGED(to, start = NAN)), RANGE,
          "`to.positions` is NaN");
  REFUSED(ropewalk_rerotate(rope, x, out, SIZE, 0, &at, NULL, CHANGED(to, count = 1)), TYPE,
          "`to_positions` is NULL");
  ropewalk_rope* wider = NULL;
  CHECK(ropewalk_rope_create(JSON("{\"head_dim\": 16}"), &wider) == ROPEWALK_OK);
  REFUSED(ropewalk_rerotate(rope, x, out, SIZE, 0, &at, wider, &to), TYPE, "`to.rope` is of another shape");
  ropewalk_rope_destroy(wider);

  const double positions[2] = {0, NAN};
  function = "table: ";
  REFUSED(ropewalk_table(NULL, positions, 1, out, out_k, 4), TYPE, "`rope` is NULL");
  REFUSED(ropewalk_table(rope, NULL, 1, out, out_k, 4), TYPE, "`positions` is NULL");
  REFUSED(ropewalk_table(rope, positions, 1, NULL, out_k, 4), TYPE, "`cos` is NULL");
  REFUSED(ropewalk_table(rope, positions, 1, out, NULL, 4), TYPE, "`sin` is NULL");
  REFUSED(ropewalk_table(rope, positions, 2, out, out_k, 8), RANGE, "`positions[1]` is NaN");
  REFUSED(ropewalk_table(rope, positions, 1, out, out_k, 3), RANGE, "`cos` is an array of 3");
  REFUSED(ropewalk_table(rope, positions, MINUS_ONE, out, out_k, 4), RANGE, "");
  REFUSED(ropewalk_table(rope, positions, 0, out, out_k, 4), RANGE, "");
  function = "";
}

static void given_angles(void) {
  const double angles[8] = {0};
  const double nan[8] = {0, NAN};
  const ropewalk_given_angles shape = {sizeof shape, 1, 2, 1, 8, 4, ROPEWALK_HALF};
  ropewalk_given_angles changed_shape;
  function = "rotate_by: ";
  REFUSED(ropewalk_rotate_by(NULL, out, SIZE, angles, 8, &shape), TYPE, "`x` is NULL");
  REFUSED(ropewalk_rotate_by(x, NULL, SIZE, angles, 8, &shape), TYPE, "`out` is NULL");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, NULL, 8, &shape), TYPE, "`angles` is NULL");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, angles, 8, NULL), TYPE, "`shape` is NULL");
  REFUSED(ropewalk_rotate_by(x, out, SIZE - 1, angles, 8, &shape), RANGE, "`x` has 15 elements");
  REFUSED(ropewalk_rotate_by(x, out, MINUS_ONE, angles, 8, &shape), RANGE, "`x` has 1.844");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, angles, 7, &shape), RANGE, "`angles` has 7 elements");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, angles, MINUS_ONE, &shape), RANGE, "`angles` has 1.844");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, nan, 8, &shape), RANGE, "`angles` is NaN");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, angles, 8, CHANGED(shape, pairing = 2)), RANGE, "`pairing` is 2");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, angles, 8, CHANGED(shape, struct_size = 8)), RANGE,
          "`shape.struct_size` is 8");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, angles, 8, CHANGED(shape, batch = 0)), RANGE,
          "`x` has 16 elements");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, angles, 8, CHANGED(shape, sequence = MINUS_ONE)), RANGE, "");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, angles, 8, CHANGED(shape, heads = 0)), RANGE,
          "`x` has 16 elements");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, angles, 8, CHANGED(shape, pairs = 5)), RANGE, "`pairs` is 5");
  REFUSED(ropewalk_rotate_by(x, out, SIZE, angles, 8, CHANGED(shape, dimension = 0)), RANGE, "");
  function = "rotate_by_gradient: ";
  REFUSED(ropewalk_rotate_by_gradient(NULL, x, out, SIZE, angles, grad, 8, &shape), TYPE, "`x` is NULL");
  REFUSED(ropewalk_rotate_by_gradient(x, NULL, out, SIZE, angles, grad, 8, &shape), TYPE, "`grad_y` is NULL");
  REFUSED(ropewalk_rotate_by_gradient(x, x, NULL, SIZE, angles, grad, 8, &shape), TYPE, "`grad_x` is NULL");
  REFUSED(ropewalk_rotate_by_gradient(x, x, out, SIZE, NULL, grad, 8, &shape), TYPE, "`angles` is NULL");
  REFUSED(ropewalk_rotate_by_gradient(x, x, out, SIZE, angles, NULL, 8, &shape), TYPE,
          "`grad_angles` is NULL");
  REFUSED(ropewalk_rotate_by_gradient(x, x, out, SIZE, angles, grad, 8, NULL), TYPE, "`shape` is NULL");
  REFUSED(ropewalk_rotate_by_gradient(x, x, out, SIZE - 1, angles, grad, 8, &shape), RANGE,
          "`x` has 15 elements");
  REFUSED(ropewalk_rotate_by_gradient(x, x, out, SIZE, nan, grad, 8, &shape), RANGE, "`angles` is NaN");
  function = "";
}

static void conversions(void) {
  const ropewalk_conversion of = {sizeof of, ROPEWALK_HALF, ROPEWALK_INTERLEAVED, 1, 8, 0, 0, 2};
  ropewalk_conversion changed_of;
  function = "convert_pairing: ";
  REFUSED(ropewalk_convert_pairing(NULL, out, SIZE, 0, &of), TYPE, "`weight` is NULL");
  REFUSED(ropewalk_convert_pairing(x, NULL, SIZE, 0, &of), TYPE, "`out` is NULL");
  REFUSED(ropewalk_convert_pairing(x, out, SIZE, 0, NULL), TYPE, "`conversion` is NULL");
  REFUSED(ropewalk_convert_pairing(x, out, SIZE, 3, &of), RANGE, "`dtype` is 3");
  REFUSED(ropewalk_convert_pairing(x, out, SIZE - 1, 0, &of), RANGE, "");
  REFUSED(ropewalk_convert_pairing(x, out, MINUS_ONE, 0, &of), RANGE, "");
  REFUSED(ropewalk_convert_pairing(x, out, SIZE, 0, CHANGED(of, struct_size = 1)), RANGE,
          "`conversion.struct_size` is 1");
  REFUSED(ropewalk_convert_pairing(x, out, SIZE, 0, CHANGED(of, from = 2)), RANGE, "`from` is 2");
  REFUSED(ropewalk_convert_pairing(x, out, SIZE, 0, CHANGED(of, to = 7)), RANGE, "`to` is 7");
  REFUSED(ropewalk_convert_pairing(x, out, SIZE, 0, CHANGED(of, heads = 0)), RANGE, "`heads` is 0");
  REFUSED(ropewalk_convert_pairing(x, out, SIZE, 0, CHANGED(of, head_dim = MINUS_ONE)), RANGE, "");
  REFUSED(ropewalk_convert_pairing(x, out, SIZE, 0, CHANGED(of, rotary_dim = 7)), RANGE, "`rotary_dim` is 7");
  REFUSED(ropewalk_convert_pairing(x, out, SIZE, 0, CHANGED(of, rotary_offset = 9)), RANGE, "");
  REFUSED(ropewalk_convert_pairing(x, out, SIZE, 0, CHANGED(of, columns = MINUS_ONE)), RANGE, "");
  function = "";
}

static void encoders(const ropewalk_file* config, const ropewalk_file* weights) {
  ropewalk_encoder** const place = (ropewalk_encoder**)&made;
  const char* const json = config->bytes;
  const ropewalk_model_options options = {sizeof options, 0, 0, 0};
  ropewalk_model_options changed_options;
  const ropewalk_file file = *weights;
  ropewalk_file changed_file;
  function = "encoder_create: ";
  REFUSED(ropewalk_encoder_create(json, config->size, weights, 1, NULL, NULL), TYPE, "`encoder` is NULL");
  REFUSED(ropewalk_encoder_create(json, config->size, NULL, 1, NULL, place), TYPE, "`weights` is NULL");
  REFUSED(ropewalk_encoder_create(json, config->size, weights, 0, NULL, place), RANGE,
          "`weight_count` is 0; allowed: 1 ");
  REFUSED(ropewalk_encoder_create(json, config->size, weights, MINUS_ONE, NULL, place), RANGE,
          "`weight_count` is 1.844674");
  REFUSED(ropewalk_encoder_create(NULL, 0, weights, 2, NULL, place), RANGE,
          "`weight_count` is 2; allowed: 1, since");
  REFUSED(ropewalk_encoder_create(json, config->size, CHANGED(file, name = NULL), 1, NULL, place), TYPE,
          "`weights[0].name` is NULL");
  REFUSED(ropewalk_encoder_create(json, config->size, CHANGED(file, bytes = NULL), 1, NULL, place), TYPE,
          "`weights[0].bytes` is NULL");
  REFUSED(ropewalk_encoder_create(json, config->size, weights, 1, CHANGED(options, struct_size = 1), place),
          RANGE, "`options.struct_size` is 1");
  REFUSED(ropewalk_encoder_create(json, config->size, weights, 1, CHANGED(options, precision = 2), place),
          RANGE, "`options.precision` is 2");
  REFUSED(ropewalk_encoder_create(json, config->size, weights, 1, CHANGED(options, precision = -1), place),
          RANGE, "`options.precision` is -1");
  REFUSED(ropewalk_encoder_create(json, config->size, weights, 1, CHANGED(options, threads = 65), place),
          RANGE, "`options.threads` is 65");
  function = "";
  REFUSED(ropewalk_encoder_create("{", 1, weights, 1, NULL, place), MALFORMED, "");
  REFUSED(ropewalk_encoder_create(json, MINUS_ONE, weights, 1, NULL, place), RANGE, "");
  REFUSED(ropewalk_encoder_create(json, config->size, CHANGED(file, size = 0), 1, NULL, place), MALFORMED,
          "");
  REFUSED(ropewalk_encoder_create(json, config->size, CHANGED(file, size = file.size - 1), 1, NULL, place),
          MALFORMED, "");
  REFUSED(ropewalk_encoder_create(json, config->size, CHANGED(file, size = MINUS_ONE), 1, NULL, place),
          MALFORMED, "");
  REFUSED(ropewalk_encoder_create(json, config->size, config, 1, NULL, place), MALFORMED, "");
  REFUSED(ropewalk_encoder_create(NULL, 0, weights, 1, NULL, place), MALFORMED, "");

  ropewalk_encoder* encoder = NULL;
  CHECK(ropewalk_encoder_create(json, config->size, weights, 1, NULL, &encoder) == ROPEWALK_OK);
  static const int32_t ids[4] = {2, 8, 9, 3}, high[4] = {2, 1000000, 9, 3}, low[4] = {2, -1, 9, 3},
                       two[4] = {1, 2, 1, 1}, many[100000] = {2};
  const ropewalk_batch batch = {sizeof batch, 1, 4, ids, NULL, NULL};
  const ropewalk_batch too_long = {sizeof batch, 1, 100000, many, NULL, NULL};
  ropewalk_batch changed_batch;
  const ropewalk_sentence_options sentence = {sizeof sentence, 0, 0, 0, 0};
  ropewalk_sentence_options changed_sentence;
  function = "encoder_forward: ";
  REFUSED(ropewalk_encoder_forward(NULL, &batch, 0, NULL), TYPE, "`encoder` is NULL");
  REFUSED(ropewalk_encoder_forward(encoder, NULL, 0, NULL), TYPE, "`batch` is NULL");
  REFUSED(ropewalk_encoder_forward(encoder, CHANGED(batch, struct_size = 0), 0, NULL), RANGE,
          "`batch.struct_size` is 0");
  REFUSED(ropewalk_encoder_forward(encoder, CHANGED(batch, input_ids = NULL), 0, NULL), TYPE,
          "`input_ids` is NULL");
  REFUSED(ropewalk_encoder_forward(encoder, CHANGED(batch, sequence = MINUS_ONE), 0, NULL), RANGE,
          "`sequence` is 1.844");
  REFUSED(ropewalk_encoder_forward(encoder, &batch, 128, NULL), RANGE, "`outputs` is 128");
  REFUSED(ropewalk_encoder_forward(encoder, &batch, UINT32_MAX, NULL), RANGE, "`outputs` is 4294967295");
  REFUSED(ropewalk_encoder_forward(encoder, &batch, ROPEWALK_OUTPUT_SENTENCE, NULL), RANGE,
          "`outputs` is 64");
  REFUSED(ropewalk_encoder_forward(encoder, &batch, 0, CHANGED(sentence, struct_size = 1)), RANGE,
          "`sentence.struct_size` is 1");
  REFUSED(ropewalk_encoder_forward(encoder, &batch, 0, CHANGED(sentence, pooling = 7)), RANGE,
          "`sentence.pooling` is 7");
  REFUSED(ropewalk_encoder_forward(encoder, &batch, 0, CHANGED(sentence, normalize = -1)), RANGE,
          "`sentence.normalize` is -1");
  function = "forward: ";
  REFUSED(ropewalk_encoder_forward(encoder, CHANGED(batch, batch = 0), 0, NULL), RANGE, "`batch` is 0");
  REFUSED(ropewalk_encoder_forward(encoder, CHANGED(batch, sequence = 0), 0, NULL), RANGE, "`sequence` is 0");
  REFUSED(ropewalk_encoder_forward(encoder, CHANGED(batch, input_ids = high), 0, NULL), RANGE,
          "`input_ids[1]` is 1000000");
  REFUSED(ropewalk_encoder_forward(encoder, CHANGED(batch, input_ids = low), 0, NULL), RANGE,
          "`input_ids[1]` is -1");
  REFUSED(ropewalk_encoder_forward(encoder, CHANGED(batch, token_type_ids = high), 0, NULL), RANGE,
          "`token_type_ids[");
  REFUSED(ropewalk_encoder_forward(encoder, CHANGED(batch, attention_mask = two), 0, NULL), RANGE,
          "`attention_mask[1]` is 2");
  function = "bert: ";
  REFUSED(ropewalk_encoder_forward(encoder, &too_long, 0, NULL), RANGE, "`sequence` is 100000");
  function = "";

  REFUSED(ropewalk_encoder_facts(NULL, &text), TYPE, "encoder_facts: `encoder` is NULL");
  REFUSED(ropewalk_encoder_facts(encoder, NULL), TYPE, "encoder_facts: `json` is NULL");
  REFUSED(ropewalk_encoder_metadata(NULL, &text), TYPE, "encoder_metadata: `encoder` is NULL");
  REFUSED(ropewalk_encoder_metadata(encoder, NULL), TYPE, "encoder_metadata: `json` is NULL");
  REFUSED(ropewalk_encoder_outputs(NULL, &text), TYPE, "encoder_outputs: `encoder` is NULL");
  REFUSED(ropewalk_encoder_outputs(encoder, NULL), TYPE, "encoder_outputs: `json` is NULL");
  REFUSED(ropewalk_encoder_output(NULL, "pooled", -1, &values, &number), TYPE,
          "encoder_output: `encoder` is NULL");
  REFUSED(ropewalk_encoder_output(encoder, NULL, -1, &values, &number), TYPE,
          "encoder_output: `name` is NULL");
  REFUSED(ropewalk_encoder_output(encoder, "pooled", -1, NULL, &number), TYPE,
          "encoder_output: `values` is NULL");
  REFUSED(ropewalk_encoder_output(encoder, "pooled", -1, &values, NULL), TYPE,
          "encoder_output: `size` is NULL");
  REFUSED(ropewalk_encoder_output(encoder, "last_hidden_state", -1, &values, &number), TYPE,
          "encoder_output: `name` is last_hidden_state; allowed: none before the first forward");
  CHECK(ropewalk_encoder_forward(encoder, &batch, 0, NULL) == ROPEWALK_OK);
  REFUSED(ropewalk_encoder_output(encoder, "", INT32_MIN, &values, &number), TYPE,
          "encoder_output: `name` is ");
  REFUSED(ropewalk_encoder_output(encoder, "attentions", INT32_MAX, &values, &number), TYPE,
          "encoder_output: `name` is attentions of layer 2147483647");

  REFUSED(ropewalk_sentence_files(NULL, 0, NULL), TYPE, "sentence_files: `json` is NULL");
  REFUSED(ropewalk_sentence_files("{", 1, &text), MALFORMED, "");
  REFUSED(ropewalk_sentence_files("[]", MINUS_ONE, &text), RANGE, "");
  const ropewalk_file modules = {"modules.json", "[{}]", 4}, unread = {"modules.json", "[", MINUS_ONE};
  REFUSED(ropewalk_encoder_set_sentence(NULL, &modules, 1), TYPE, "encoder_set_sentence: `encoder` is NULL");
  REFUSED(ropewalk_encoder_set_sentence(encoder, NULL, 1), TYPE, "encoder_set_sentence: `files` is NULL");
  REFUSED(ropewalk_encoder_set_sentence(encoder, &modules, MINUS_ONE), RANGE,
          "encoder_set_sentence: `count` is 1.844");
  REFUSED(ropewalk_encoder_set_sentence(encoder, &modules, 1), RANGE, "sentence: `modules.json[0].type` is ");
  REFUSED(ropewalk_encoder_set_sentence(encoder, &unread, 1), RANGE, "");
  CHECK(ropewalk_encoder_output(encoder, "last_hidden_state", -1, &values, &number) == ROPEWALK_OK);
  values = NULL;
  number = CANARY;
  ropewalk_encoder_destroy(encoder);
  ropewalk_encoder_destroy(NULL);
}

static void decoders(const ropewalk_file* config, const ropewalk_file* weights) {
  ropewalk_decoder** const place = (ropewalk_decoder**)&made;
  const char* const json = config->bytes;
  const ropewalk_model_options options = {sizeof options, 0, 0, 16};
  ropewalk_model_options changed_options;
  function = "decoder_create: ";
  REFUSED(ropewalk_decoder_create(json, config->size, weights, 1, NULL, NULL), TYPE, "`decoder` is NULL");
  REFUSED(ropewalk_decoder_create(json, config->size, NULL, 1, NULL, place), TYPE, "`weights` is NULL");
  REFUSED(ropewalk_decoder_create(json, config->size, weights, MINUS_ONE, NULL, place), RANGE,
          "`weight_count` is 1.844674");
  REFUSED(ropewalk_decoder_create(json, config->size, weights, 1, CHANGED(options, threads = -1), place),
          RANGE, "`options.threads` is -1");
  function = "";
  REFUSED(
      ropewalk_decoder_create(json, config->size, weights, 1, CHANGED(options, context = MINUS_ONE), place),
      RANGE, "decoder: `context` is 1.844674");
  REFUSED(ropewalk_decoder_create("[]", 2, weights, 1, NULL, place), TYPE, "");
  REFUSED(ropewalk_decoder_create(NULL, 0, config, 1, NULL, place), MALFORMED, "");

  ropewalk_decoder* decoder = NULL;
  CHECK(ropewalk_decoder_create(json, config->size, weights, 1, &options, &decoder) == ROPEWALK_OK);
  REFUSED(ropewalk_decoder_facts(NULL, &text), TYPE, "decoder_facts: `decoder` is NULL");
  REFUSED(ropewalk_decoder_facts(decoder, NULL), TYPE, "decoder_facts: `json` is NULL");

  ropewalk_cache** const empty = (ropewalk_cache**)&made;
  const ropewalk_cache_options kind = {sizeof kind, 0, 0};
  ropewalk_cache_options changed_kind;
  REFUSED(ropewalk_cache_create(NULL, NULL, empty), TYPE, "cache_create: `decoder` is NULL");
  REFUSED(ropewalk_cache_create(decoder, NULL, NULL), TYPE, "cache_create: `cache` is NULL");
  REFUSED(ropewalk_cache_create(decoder, CHANGED(kind, struct_size = 7), empty), RANGE,
          "cache_create: `options.struct_size` is 7");
  REFUSED(ropewalk_cache_create(decoder, CHANGED(kind, keys = 3), empty), RANGE,
          "cache_create: `options.keys` is 3");
  REFUSED(ropewalk_cache_create(decoder, CHANGED(kind, type = -1), empty), RANGE,
          "cache_create: `options.type` is -1");

  ropewalk_cache* cache = NULL;
  CHECK(ropewalk_cache_create(decoder, NULL, &cache) == ROPEWALK_OK);
  static const int32_t ids[17] = {1, 8, 9}, low[2] = {1, -1}, high[2] = {1, 61};
  const ropewalk_sampling sampling = ROPEWALK_SAMPLING_INIT;
  ropewalk_sampling changed_sampling;
  REFUSED(ropewalk_cache_sample(cache, &sampling, &id, NULL), RANGE, "");
  CHECK(ropewalk_cache_feed(cache, ids, 3, 0, NULL, NULL) == ROPEWALK_OK);
  REFUSED(ropewalk_cache_feed(NULL, ids, 1, 0, &values, &number), TYPE, "cache_feed: `cache` is NULL");
  REFUSED(ropewalk_cache_feed(cache, NULL, 1, 0, &values, &number), TYPE, "cache_feed: `ids` is NULL");
  REFUSED(ropewalk_cache_feed(cache, ids, 1, 2, &values, &number), RANGE, "cache_feed: `all` is 2");
  function = "feed: ";
  REFUSED(ropewalk_cache_feed(cache, ids, 0, 0, &values, &number), RANGE, "");
  REFUSED(ropewalk_cache_feed(cache, ids, 17, 0, &values, &number), RANGE, "`ids` is 17 tokens behind 3");
  REFUSED(ropewalk_cache_feed(cache, ids, MINUS_ONE, 0, &values, &number), RANGE, "`ids` is 1.844");
  REFUSED(ropewalk_cache_feed(cache, low, 2, 0, &values, &number), RANGE, "`ids[1]` is -1");
  REFUSED(ropewalk_cache_feed(cache, high, 2, 0, &values, &number), RANGE, "`ids[1]` is 61");
  function = "";
  REFUSED(ropewalk_cache_trim(NULL, 0), TYPE, "cache_trim: `cache` is NULL");
  REFUSED(ropewalk_cache_trim(cache, 4), RANGE, "trim: `length` is 4");
  REFUSED(ropewalk_cache_trim(cache, MINUS_ONE), RANGE, "trim: `length` is 1.844674");
  REFUSED(ropewalk_cache_drop(NULL, 0, 1), TYPE, "cache_drop: `cache` is NULL");
  REFUSED(ropewalk_cache_drop(cache, 2, 1), RANGE, "drop: ");
  REFUSED(ropewalk_cache_drop(cache, 0, MINUS_ONE), RANGE, "drop: ");
  REFUSED(ropewalk_cache_fork(NULL, empty), TYPE, "cache_fork: `cache` is NULL");
  REFUSED(ropewalk_cache_fork(cache, NULL), TYPE, "cache_fork: `copy` is NULL");
  REFUSED(ropewalk_cache_save(NULL, &made, &number), TYPE, "cache_save: `cache` is NULL");
  REFUSED(ropewalk_cache_save(cache, NULL, &number), TYPE, "cache_save: `bytes` is NULL");
  REFUSED(ropewalk_cache_save(cache, &made, NULL), TYPE, "cache_save: `size` is NULL");
  void* saved = NULL;
  size_t size = 0;
  CHECK(ropewalk_cache_save(cache, &saved, &size) == ROPEWALK_OK);
  REFUSED(ropewalk_cache_restore(NULL, saved, size, empty), TYPE, "cache_restore: `decoder` is NULL");
  REFUSED(ropewalk_cache_restore(decoder, NULL, size, empty), TYPE, "cache_restore: `bytes` is NULL");
  REFUSED(ropewalk_cache_restore(decoder, saved, size, NULL), TYPE, "cache_restore: `cache` is NULL");
  REFUSED(ropewalk_cache_restore(decoder, NULL, 0, empty), TYPE, "restore: `bytes` is damaged");
  REFUSED(ropewalk_cache_restore(decoder, saved, size - 1, empty), TYPE, "restore: `bytes` is damaged");
  REFUSED(ropewalk_cache_restore(decoder, saved, MINUS_ONE, empty), RANGE,
          "cache_restore: `size` is 1.844674");
  ((char*)saved)[size / 2] ^= 1;
  REFUSED(ropewalk_cache_restore(decoder, saved, size, empty), TYPE, "restore: `bytes` is damaged");
  ropewalk_free(saved);
  function = "cache_sample: ";
  REFUSED(ropewalk_cache_sample(NULL, &sampling, &id, NULL), TYPE, "`cache` is NULL");
  REFUSED(ropewalk_cache_sample(cache, NULL, &id, NULL), TYPE, "`sampling` is NULL");
  REFUSED(ropewalk_cache_sample(cache, &sampling, NULL, NULL), TYPE, "`id` is NULL");
  REFUSED(ropewalk_cache_sample(cache, CHANGED(sampling, struct_size = 8), &id, NULL), RANGE,
          "`sampling.struct_size` is 8");
  function = "";
  REFUSED(ropewalk_cache_sample(cache, CHANGED(sampling, temperature = NAN), &id, NULL), RANGE, "");
  REFUSED(ropewalk_cache_sample(cache, CHANGED(sampling, temperature = -1), &id, NULL), RANGE, "");
  REFUSED(ropewalk_cache_sample(cache, CHANGED(sampling, top_p = 2), &id, NULL), RANGE, "");
  REFUSED(ropewalk_cache_sample(cache, CHANGED(sampling, top_p = NAN), &id, NULL), RANGE, "");
  REFUSED(ropewalk_cache_sample(cache, CHANGED(sampling, min_p = -0.5), &id, NULL), RANGE, "");
  REFUSED(ropewalk_cache_sample(cache, CHANGED(sampling, repetition_penalty = 0), &id, NULL), RANGE, "");
  const int32_t* tokens = NULL;
  CHECK(ropewalk_cache_tokens(cache, &tokens) == 3 && memcmp(tokens, ids, 3 * sizeof *ids) == 0);
  CHECK(ropewalk_cache_tokens(NULL, &tokens) == 0 && tokens == NULL);
  CHECK(ropewalk_cache_tokens(NULL, NULL) == 0);
  CHECK(ropewalk_cache_sample(cache, &sampling, &id, NULL) == ROPEWALK_OK && id >= 0 && id < 61);
  id = CANARY;
  ropewalk_cache_destroy(cache);
  ropewalk_cache_destroy(NULL);
  ropewalk_decoder_destroy(decoder);
  ropewalk_decoder_destroy(NULL);
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  golden = arguments[1];
  for (int i = 0; i < SIZE; ++i) out[i] = out_k[i] = CANARY, grad[i] = CANARY;
  ropewalk_rope* rope = NULL;
  CHECK(ropewalk_rope_create(JSON("{\"head_dim\": 8}"), &rope) == ROPEWALK_OK);
  ropes();
  properties(rope);
  rotations(rope, ropewalk_rotate, "rotate: ");
  rotations(rope, ropewalk_unrotate, "unrotate: ");
  other_rotations(rope);
  given_angles();
  conversions();
  /* The rope rotates as before. */
  ropewalk_placement at = ROPEWALK_PLACEMENT_INIT;
  at.sequence = 2;
  at.heads = 1;
  float y[SIZE];
  CHECK(ropewalk_rotate(rope, x, y, SIZE, 0, &at) == ROPEWALK_OK && y[0] == x[0] && y[8] != x[8]);
  ropewalk_rope_destroy(rope);
  static const char* const folders[2] = {"encoders/bert-minilm", "decoders/llama"};
  for (int i = 0; i < 2; ++i) {
    const ropewalk_file config = read_file(folders[i], "config.json"),
                        weights = read_file(folders[i], "model.safetensors");
    (i == 0 ? encoders : decoders)(&config, &weights);
    free_file(config);
    free_file(weights);
  }
  if (failures == 0) puts("hostile calls are refused");
  return failures == 0 ? 0 : 1;
}
