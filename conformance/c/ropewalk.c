/* Ropewalk through its C functions: an adapter of run.c. ROPEWALK_ADAPTER_FLOAT32 compares the float32 column. */
#include <ropewalk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"

#ifdef ROPEWALK_ADAPTER_FLOAT32
const char* const adapter_precision = "float32";
/* A configuration is read with exact frequencies. */
const int adapter_reads = 0;
/* The vectors of axes have no float32 column. */
const int adapter_axes = 0;
#define ANGLES "float32"
#else
const char* const adapter_precision = "float32-output";
const int adapter_reads = 1;
const int adapter_axes = 1;
#define ANGLES "exact"
#endif

/* NULL for an unsupported rule, which is the only failure that the vectors may meet. */
static void* answer(ropewalk_status status, ropewalk_rope* rope) {
  if (status == ROPEWALK_OK) return rope;
  ropewalk_error error;
  ropewalk_last_error(&error);
  fprintf(stderr, "not supported: %s\n", error.message);
  return NULL;
}

static void must(ropewalk_status status) {
  if (status == ROPEWALK_OK) return;
  ropewalk_error error;
  ropewalk_last_error(&error);
  fprintf(stderr, "%s\n", error.message);
  exit(2);
}

void* adapter_make(const struct conformance_case* one) {
  char options[8192];
  ropewalk_rope* rope = NULL;
  const int size = snprintf(
      options, sizeof options,
      "{\"head_dim\": %zu, \"rotary_dim\": %zu, \"pairing\": \"%s\", \"angles\": \"" ANGLES
      "\", \"frequencies\": %.*s%s%.*s}",
      one->head_dim, one->rotary_dim, one->pairing, (int)one->frequencies_size, one->frequencies,
      one->axes == NULL ? "" : ", \"axes\": ", (int)one->axes_size, one->axes == NULL ? "" : one->axes);
  if (size < 0 || (size_t)size >= sizeof options) return NULL;
  const ropewalk_status status = ropewalk_rope_create(options, (size_t)size, &rope);
  return answer(status, rope);
}

void* adapter_read(const char* config, size_t config_size, double sequence_length) {
  ropewalk_rope* rope = NULL;
  const ropewalk_config_options options = {sizeof options, sequence_length, NULL, NULL};
  const ropewalk_status status = ropewalk_rope_create_from_config(config, config_size, &options, &rope);
  return answer(status, rope);
}

void adapter_free(void* rope) { ropewalk_rope_destroy(rope); }

int adapter_theta(void* rope, double* theta, double* magnitude) {
  /* Ropewalk shows its exact frequencies, also where a table is made from float32 ones. */
  if (!adapter_reads) return 0;
  size_t count;
  const double* found = ropewalk_rope_frequencies(rope, &count);
  memcpy(theta, found, count * sizeof *found);
  *magnitude = ropewalk_rope_magnitude(rope);
  return 1;
}

void adapter_table(void* rope, const double* position, size_t axes, float* cos, float* sin) {
  must(ropewalk_table(rope, position, axes, cos, sin, ropewalk_rope_width(rope)));
}

void adapter_rotate(void* rope, const double* position, size_t axes, const float* x, float* y) {
  ropewalk_placement placement = ROPEWALK_PLACEMENT_INIT;
  placement.sequence = placement.heads = 1;
  placement.positions.values = position;
  placement.positions.count = axes;
  must(ropewalk_rotate(rope, x, y, ropewalk_rope_head_dim(rope), ROPEWALK_FLOAT32, &placement));
}
