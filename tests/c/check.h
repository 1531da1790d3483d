/* Checks of the C programs, which count failures and go on. */
#ifndef ROPEWALK_TESTS_CHECK_H
#define ROPEWALK_TESTS_CHECK_H

#include <ropewalk.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

/* 1 if the call failed with this code and the last error's message begins so. */
static int failed(ropewalk_status status, ropewalk_status code, const char* beginning) {
  ropewalk_error error;
  ropewalk_last_error(&error);
  if (status == code && error.code == code && strncmp(error.message, beginning, strlen(beginning)) == 0)
    return 1;
  fprintf(stderr, "status %d, message \"%s\", expected \"%s\"\n", (int)status, error.message, beginning);
  return 0;
}

#endif /* ROPEWALK_TESTS_CHECK_H */
