#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The root of a document, which owns the text of the file. */
struct document {
  struct json root;
  char* text;
};

static void fail(const char* what, const char* name) {
  fprintf(stderr, "%s: %s\n", name, what);
  exit(2);
}

static const char* skip(const char* at) { return at + strspn(at, " \t\r\n"); }

static struct json* append(struct json* parent) {
  /* Room grows at powers of two. */
  if ((parent->count & (parent->count - 1)) == 0) {
    const size_t room = parent->count == 0 ? 1 : 2 * parent->count;
    struct json* items = realloc(parent->items, room * sizeof *items);
    if (items == NULL) fail("no memory", "json");
    parent->items = items;
  }
  struct json* item = &parent->items[parent->count++];
  memset(item, 0, sizeof *item);
  return item;
}

static const char* parse(const char* at, struct json* value);

static const char* parse_items(const char* at, struct json* value, char end) {
  at = skip(at + 1);
  while (*at != end) {
    if (value->count > 0) {
      if (*at != ',') fail("expected a comma", "json");
      at = skip(at + 1);
    }
    at = skip(parse(at, append(value)));
    if (value->kind == JSON_OBJECT) {
      if (*at != ':') fail("expected a colon", "json");
      at = skip(parse(skip(at + 1), append(value)));
    }
  }
  return at + 1;
}

static const char* parse(const char* at, struct json* value) {
  const char* begin = at;
  if (*at == '{' || *at == '[') {
    value->kind = *at == '{' ? JSON_OBJECT : JSON_ARRAY;
    at = parse_items(at, value, *at == '{' ? '}' : ']');
  } else if (*at == '"') {
    value->kind = JSON_TEXT;
    const char* end = strchr(at + 1, '"');
    if (end == NULL) fail("a text does not end", "json");
    value->source = at + 1;
    value->source_size = (size_t)(end - at - 1);
    return end + 1;
  } else if (strncmp(at, "null", 4) == 0 || strncmp(at, "true", 4) == 0) {
    value->kind = *at == 'n' ? JSON_NULL : JSON_TRUE;
    at += 4;
  } else if (strncmp(at, "false", 5) == 0) {
    value->kind = JSON_FALSE;
    at += 5;
  } else {
    char* end;
    value->kind = JSON_NUMBER;
    value->number = strtod(at, &end);
    if (end == at) fail("expected a value", "json");
    at = end;
  }
  value->source = begin;
  value->source_size = (size_t)(at - begin);
  return at;
}

struct json* json_read(const char* folder, const char* name, size_t name_size) {
  char path[4096];
  const int length = snprintf(path, sizeof path, "%s/%.*s", folder, (int)name_size, name);
  if (length < 0 || (size_t)length >= sizeof path) fail("the path is too long", name);
  FILE* file = fopen(path, "rb");
  if (file == NULL) fail("cannot be opened", path);
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  struct document* document = calloc(1, sizeof *document);
  if (document == NULL || size < 0) fail("cannot be read", path);
  document->text = malloc((size_t)size + 1);
  if (document->text == NULL || fread(document->text, 1, (size_t)size, file) != (size_t)size)
    fail("cannot be read", path);
  fclose(file);
  document->text[size] = '\0';
  parse(skip(document->text), &document->root);
  return &document->root;
}

static void free_items(struct json* value) {
  for (size_t i = 0; i < value->count; ++i) free_items(&value->items[i]);
  free(value->items);
}

void json_free(struct json* document) {
  free_items(document);
  free(((struct document*)document)->text);
  free(document);
}

const struct json* json_member(const struct json* object, const char* name) {
  for (size_t i = 0; i + 1 < object->count; i += 2) {
    const struct json* key = &object->items[i];
    if (key->source_size == strlen(name) && memcmp(key->source, name, key->source_size) == 0) return key + 1;
  }
  return NULL;
}

const struct json* json_get(const struct json* object, const char* name) {
  const struct json* found = json_member(object, name);
  if (found == NULL) fail("is missing", name);
  return found;
}
