/* The interface between run.c and an implementation. Link run.c, json.c and a file that defines these functions. */
#ifndef CONFORMANCE_ADAPTER_H
#define CONFORMANCE_ADAPTER_H

#include <stddef.h>

struct conformance_case {
  /* "half" or "interleaved" */
  const char* pairing;
  size_t head_dim, rotary_dim;
  /* The member `frequencies` of the case, as JSON text. */
  const char* frequencies;
  size_t frequencies_size;
  /* The member `axes`, as JSON text; NULL with one axis of positions. */
  const char* axes;
  size_t axes_size;
};

/* "float32-output" or "float32": which column and tolerances are compared. */
extern const char* const adapter_precision;
/* 0 if adapter_read() should not be called. */
extern const int adapter_reads;
/* 0 if the vectors of several axes should not be compared. */
extern const int adapter_axes;

/* NULL if the rule or its axes are not supported. */
void* adapter_make(const struct conformance_case* one);
/*
 * Reads a configuration, JSON text in the form of Hugging Face or GGUF. NULL if that is not supported.
 * `sequence_length` is 0 where the case has none.
 */
void* adapter_read(const char* config, size_t config_size, double sequence_length);
void adapter_free(void* rope);

/* rotary_dim/2 frequencies, and the magnitude. Returns 0 if the implementation does not show them. */
int adapter_theta(void* rope, double* theta, double* magnitude);
/* rotary_dim/2 values each, times the magnitude. `position` has one number for each of `axes` axes. */
void adapter_table(void* rope, const double* position, size_t axes, float* cos, float* sin);
/* head_dim values each. */
void adapter_rotate(void* rope, const double* position, size_t axes, const float* x, float* y);

#endif
