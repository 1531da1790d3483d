/* As much of JSON as the vectors use: no escapes in texts, numbers as doubles. */
#ifndef CONFORMANCE_JSON_H
#define CONFORMANCE_JSON_H

#include <stddef.h>

struct json {
  enum { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_ARRAY, JSON_OBJECT } kind;
  double number;
  /* The value's own characters in the file; of a text, those between the quotes. */
  const char* source;
  size_t source_size;
  /* Items of an array; members of an object, with their names in front: name, value, name, value. */
  struct json* items;
  size_t count;
};

/* Reads a whole file. Ends the program with a message if that is not possible. */
struct json* json_read(const char* folder, const char* name, size_t name_size);
void json_free(struct json* document);

/* The member of that name, or NULL. */
const struct json* json_member(const struct json* object, const char* name);
/* The member of that name. Ends the program if there is none. */
const struct json* json_get(const struct json* object, const char* name);

#endif
