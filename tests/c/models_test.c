/* The functions of ropewalk_models.h as a C99 program meets them: models_test GOLDEN, the folder tests/golden. */
#include <math.h>
#include <ropewalk_models.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "files.h"

/* True if a file of tests/pins has this FNV-1a of 64 bits for a model. */
static int is_pinned(const char* pins, const char* name, const float* values, size_t count) {
  const unsigned char* bytes = (const unsigned char*)values;
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < count * sizeof *values; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
  char line[256];
  snprintf(line, sizeof line, "\"%s\": \"%016llx\"", name, (unsigned long long)hash);
  const ropewalk_file file = read_file("../pins", pins);
  const int found = strstr(file.bytes, line) != NULL;
  if (!found) fprintf(stderr, "%s has no %s\n", pins, line);
  free_file(file);
  return found;
}

static ropewalk_encoder* open_encoder(const char* folder, int32_t precision, int32_t threads) {
  const ropewalk_file config = read_file(folder, "config.json");
  const ropewalk_file weights = read_file(folder, "model.safetensors");
  const ropewalk_model_options options = {sizeof options, precision, threads, 0};
  ropewalk_encoder* encoder = NULL;
  CHECK(ropewalk_encoder_create(config.bytes, config.size, &weights, 1, &options, &encoder) == ROPEWALK_OK);
  free_file(config);
  free_file(weights);
  return encoder;
}

static void encoders(void) {
  int32_t ids[24];
  for (int i = 0; i < 24; ++i) ids[i] = 7 * i % 53;
  const ropewalk_batch batch = {sizeof batch, 1, 24, ids, NULL, NULL};
  const float* values = NULL;
  size_t size = 0;
  for (int32_t threads = 0; threads < 4; ++threads) {
    ropewalk_encoder* encoder = open_encoder("encoders/bert-minilm", ROPEWALK_PRECISION_INT8, threads);
    CHECK(failed(ropewalk_encoder_output(encoder, "last_hidden_state", -1, &values, &size),
                 ROPEWALK_ERROR_TYPE,
                 "encoder_output: `name` is last_hidden_state; allowed: none before the first forward"));
    CHECK(ropewalk_encoder_forward(encoder, &batch, 0, NULL) == ROPEWALK_OK);
    CHECK(ropewalk_encoder_output(encoder, "last_hidden_state", -1, &values, &size) == ROPEWALK_OK);
    CHECK(size == 24 * 32 && is_pinned("int8.json", "bert-minilm", values, size));
    ropewalk_encoder_destroy(encoder);
  }
  ropewalk_encoder_destroy(NULL);
}

static void sentences(void) {
  ropewalk_encoder* encoder = open_encoder("encoders/bert-labse", ROPEWALK_PRECISION_INT8, 1);
  const int32_t ids[4] = {2, 6, 7, 3};
  ropewalk_batch batch = {sizeof batch, 1, 4, ids, NULL, NULL};
  CHECK(failed(ropewalk_encoder_forward(encoder, &batch, ROPEWALK_OUTPUT_SENTENCE, NULL),
               ROPEWALK_ERROR_RANGE, "encoder_forward: `outputs` is 64"));
  const char* names[] = {"modules.json",
                         "1_Pooling/config.json",
                         "2_Dense/config.json",
                         "2_Dense/model.safetensors",
                         "sentence_bert_config.json",
                         "config_sentence_transformers.json"};
  ropewalk_file files[6];
  for (int i = 0; i < 6; ++i) files[i] = read_file("encoders/bert-labse", names[i]);
  char *json = NULL, *facts = NULL;
  CHECK(ropewalk_sentence_files(files[0].bytes, files[0].size, &json) == ROPEWALK_OK);
  CHECK(strstr(json, "\"2_Dense/model.safetensors\"") != NULL);
  CHECK(ropewalk_encoder_set_sentence(encoder, files, 6) == ROPEWALK_OK);
  CHECK(ropewalk_encoder_facts(encoder, &facts) == ROPEWALK_OK);
  CHECK(strstr(facts, "\"precision\":\"int8\"") != NULL && strstr(facts, "\"dimensions\":") != NULL);
  ropewalk_free(json);
  ropewalk_free(facts);
  CHECK(ropewalk_encoder_metadata(encoder, &json) == ROPEWALK_OK && strcmp(json, "null") == 0);
  ropewalk_free(json);

  const float* values = NULL;
  size_t size = 0;
  CHECK(ropewalk_encoder_forward(encoder, &batch, ROPEWALK_OUTPUT_SENTENCE | ROPEWALK_OUTPUT_ATTENTIONS,
                                 NULL) == ROPEWALK_OK);
  CHECK(ropewalk_encoder_outputs(encoder, &json) == ROPEWALK_OK);
  CHECK(strstr(json, "[\"last_hidden_state\",-1]") != NULL && strstr(json, "[\"attentions\",1]") != NULL);
  ropewalk_free(json);
  CHECK(ropewalk_encoder_output(encoder, "attentions", 1, &values, &size) == ROPEWALK_OK &&
        size == 4 * 4 * 4);
  CHECK(ropewalk_encoder_output(encoder, "sentence_embedding", -1, &values, &size) == ROPEWALK_OK);
  CHECK(is_pinned("int8.json", "the rope", values, size));
  CHECK(failed(ropewalk_encoder_output(encoder, "embedding", -1, &values, &size), ROPEWALK_ERROR_TYPE,
               "encoder_output: `name` is embedding; allowed: of the last forward: "));
  ropewalk_sentence_options options = {sizeof options, ROPEWALK_POOLING_MEAN, ROPEWALK_NORMALIZE_YES, 0, 2};
  CHECK(ropewalk_encoder_forward(encoder, &batch, ROPEWALK_OUTPUT_SENTENCE, &options) == ROPEWALK_OK);
  CHECK(ropewalk_encoder_output(encoder, "sentence_embedding", -1, &values, &size) == ROPEWALK_OK &&
        size == 2);
  CHECK(fabsf(values[0] * values[0] + values[1] * values[1] - 1) < 1e-6f);
  options.pooling = 9;
  CHECK(failed(ropewalk_encoder_forward(encoder, &batch, ROPEWALK_OUTPUT_SENTENCE, &options),
               ROPEWALK_ERROR_RANGE, "encoder_forward: `sentence.pooling` is 9"));
  CHECK(failed(ropewalk_encoder_forward(encoder, &batch, 128, NULL), ROPEWALK_ERROR_RANGE,
               "encoder_forward: `outputs` is 128"));
  batch.input_ids = NULL;
  CHECK(failed(ropewalk_encoder_forward(encoder, &batch, 0, NULL), ROPEWALK_ERROR_TYPE,
               "encoder_forward: `input_ids` is NULL"));
  batch.struct_size = 1;
  CHECK(failed(ropewalk_encoder_forward(encoder, &batch, 0, NULL), ROPEWALK_ERROR_RANGE,
               "encoder_forward: `batch.struct_size` is 1"));
  for (int i = 0; i < 6; ++i) free_file(files[i]);
  ropewalk_encoder_destroy(encoder);
}

static void shards_and_refusals(void) {
  const ropewalk_file config = read_file("encoders/eurobert", "config.json");
  ropewalk_file shards[2] = {read_file("encoders/eurobert", "model-00001-of-00002.safetensors"),
                             read_file("encoders/eurobert", "model-00002-of-00002.safetensors")};
  const char* text = config.bytes;
  ropewalk_encoder* encoder = NULL;
  CHECK(ropewalk_encoder_create(text, config.size, shards, 2, NULL, &encoder) == ROPEWALK_OK);
  ropewalk_encoder_destroy(encoder);
  encoder = NULL;
  CHECK(ropewalk_encoder_create(text, config.size, shards, 1, NULL, &encoder) != ROPEWALK_OK);
  shards[1].size -= 4;
  CHECK(ropewalk_encoder_create(text, config.size, shards, 2, NULL, &encoder) == ROPEWALK_ERROR_MALFORMED);
  ropewalk_error error;
  ropewalk_last_error(&error);
  CHECK(strstr(error.message, ", in model-00002-of-00002.safetensors") != NULL);
  CHECK(encoder == NULL);
  free_file(config);
  free_file(shards[0]);
  free_file(shards[1]);
}

static ropewalk_decoder* open_decoder(const char* folder, int32_t precision, int32_t threads) {
  const ropewalk_file config = read_file(folder, "config.json");
  const ropewalk_file weights = read_file(folder, "model.safetensors");
  const ropewalk_model_options options = {sizeof options, precision, threads, 64};
  ropewalk_decoder* decoder = NULL;
  CHECK(ropewalk_decoder_create(config.bytes, config.size, &weights, 1, &options, &decoder) == ROPEWALK_OK);
  free_file(config);
  free_file(weights);
  return decoder;
}

/* Logits of ids 0, 7, 14, ..., the last one fed by itself. */
static int has_pinned_logits(const ropewalk_decoder* decoder, int32_t vocabulary, const char* name) {
  int32_t ids[24];
  for (int i = 0; i < 24; ++i) ids[i] = 7 * i % vocabulary;
  ropewalk_cache* cache = NULL;
  const float* logits = NULL;
  size_t size = 0;
  CHECK(ropewalk_cache_create(decoder, NULL, &cache) == ROPEWALK_OK);
  CHECK(ropewalk_cache_feed(cache, ids, 23, 0, NULL, NULL) == ROPEWALK_OK);
  CHECK(ropewalk_cache_feed(cache, ids + 23, 1, 0, &logits, &size) == ROPEWALK_OK &&
        size == (size_t)vocabulary);
  const int found = is_pinned("int8-decoders.json", name, logits, size);
  ropewalk_cache_destroy(cache);
  return found;
}

static void decoders(void) {
  /* Prompt and continuation of tests/golden/decoders/llama/expected.json, `greedy`. */
  const int32_t prompt[8] = {17, 60, 45, 26, 20, 46, 29, 49};
  const int32_t expected[20] = {15, 15, 38, 38, 38, 38, 38, 38, 38, 38,
                                38, 34, 60, 60, 60, 60, 60, 60, 60, 15};
  ropewalk_decoder* decoder = open_decoder("decoders/llama", ROPEWALK_PRECISION_FLOAT32, 0);
  ropewalk_cache *cache = NULL, *copy = NULL, *restored = NULL;
  ropewalk_sampling sampling = ROPEWALK_SAMPLING_INIT;
  int32_t id = -1;
  double log_probability = 1;
  ropewalk_cache_options options = {sizeof options, 0, 0};
  CHECK(ropewalk_cache_create(decoder, &options, &cache) == ROPEWALK_OK);
  CHECK(failed(ropewalk_cache_sample(cache, &sampling, &id, NULL), ROPEWALK_ERROR_RANGE, ""));
  CHECK(ropewalk_cache_feed(cache, prompt, 8, 0, NULL, NULL) == ROPEWALK_OK);
  void* saved = NULL;
  size_t size = 0;
  CHECK(ropewalk_cache_save(cache, &saved, &size) == ROPEWALK_OK);
  CHECK(ropewalk_cache_fork(cache, &copy) == ROPEWALK_OK);
  for (int i = 0; i < 20; ++i) {
    CHECK(ropewalk_cache_sample(cache, &sampling, &id, &log_probability) == ROPEWALK_OK);
    CHECK(id == expected[i] && log_probability < 0);
    CHECK(ropewalk_cache_feed(cache, &id, 1, 0, NULL, NULL) == ROPEWALK_OK);
  }
  const int32_t* tokens = NULL;
  CHECK(ropewalk_cache_tokens(cache, &tokens) == 28 && tokens[0] == 17 && tokens[27] == 15);
  CHECK(ropewalk_cache_tokens(copy, NULL) == 8);
  CHECK(ropewalk_cache_trim(copy, 6) == ROPEWALK_OK && ropewalk_cache_drop(copy, 1, 3) == ROPEWALK_OK);
  CHECK(ropewalk_cache_tokens(copy, &tokens) == 4 && tokens[0] == 17 && tokens[1] == 26);
  CHECK(ropewalk_cache_restore(decoder, saved, size, &restored) == ROPEWALK_OK);
  CHECK(ropewalk_cache_tokens(restored, NULL) == 8);
  ropewalk_free(saved);

  /* Draws depend on the seed and on how many there were, and on nothing else. */
  int32_t drawn[2] = {-1, -1};
  sampling.temperature = 1;
  sampling.seed = 7;
  sampling.drawn = 3;
  for (int i = 0; i < 2; ++i) CHECK(ropewalk_cache_sample(cache, &sampling, &drawn[i], NULL) == ROPEWALK_OK);
  CHECK(drawn[0] >= 0 && drawn[0] == drawn[1]);

  char* facts = NULL;
  CHECK(ropewalk_decoder_facts(decoder, &facts) == ROPEWALK_OK);
  CHECK(strstr(facts, "\"vocabulary\":61,\"context\":64") != NULL);
  ropewalk_free(facts);
  /* A cache keeps what it needs of its decoder. */
  ropewalk_decoder_destroy(decoder);
  CHECK(ropewalk_cache_feed(cache, prompt, 2, 1, NULL, &size) == ROPEWALK_OK && size == 2 * 61);
  ropewalk_cache_destroy(cache);
  ropewalk_cache_destroy(copy);
  ropewalk_cache_destroy(restored);
  ropewalk_cache_destroy(NULL);

  for (int32_t threads = 1; threads < 4; threads += 2) {
    decoder = open_decoder("decoders/llama", ROPEWALK_PRECISION_INT8, threads);
    CHECK(has_pinned_logits(decoder, 61, "llama"));
    ropewalk_decoder_destroy(decoder);
  }
  const ropewalk_file gguf = read_file("gguf", "llama-q8_0.gguf");
  const ropewalk_model_options model = {sizeof model, ROPEWALK_PRECISION_INT8, 0, 64};
  CHECK(ropewalk_decoder_create(NULL, 0, &gguf, 1, &model, &decoder) == ROPEWALK_OK);
  CHECK(ropewalk_decoder_facts(decoder, &facts) == ROPEWALK_OK);
  const int32_t vocabulary = (int32_t)strtol(strstr(facts, "\"vocabulary\":") + 13, NULL, 10);
  CHECK(has_pinned_logits(decoder, vocabulary, "llama-q8_0.gguf"));
  ropewalk_free(facts);
  ropewalk_decoder_destroy(decoder);
  free_file(gguf);
}

int main(int count, char** words) {
  if (count != 2) return 2;
  golden = words[1];
  encoders();
  sentences();
  shards_and_refusals();
  decoders();
  if (failures == 0) puts("the C functions of models hold");
  return failures == 0 ? 0 : 1;
}
