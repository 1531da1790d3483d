/* Files below tests/golden. */
#ifndef ROPEWALK_TESTS_FILES_H
#define ROPEWALK_TESTS_FILES_H

#include <ropewalk_models.h>
#include <stdio.h>
#include <stdlib.h>

/* The folder, which main() is given. */
static const char* golden;

/* A file below tests/golden, with a zero behind it. */
static ropewalk_file read_file(const char* folder, const char* name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s/%s", golden, folder, name);
  FILE* in = fopen(path, "rb");
  if (in == NULL) {
    fprintf(stderr, "no %s\n", path);
    exit(1);
  }
  fseek(in, 0, SEEK_END);
  const long size = ftell(in);
  rewind(in);
  char* bytes = malloc((size_t)size + 1);
  if (bytes == NULL || fread(bytes, 1, (size_t)size, in) != (size_t)size) exit(1);
  bytes[size] = '\0';
  fclose(in);
  const ropewalk_file file = {name, bytes, (size_t)size};
  return file;
}

static void free_file(ropewalk_file file) { free((void*)file.bytes); }

#endif /* ROPEWALK_TESTS_FILES_H */
