/*
 * Encoders and decoders for C, and for every language that calls C. The conventions are those of ropewalk.h. The shared
 * library has these functions; ropewalk.wasm does not.
 *
 * - Files come as bytes, which may be memory maps. They are read while a model is made, and not needed afterwards.
 * - A model, together with the caches of a decoder, is for one thread at a time. Different models may run side by side.
 */
#ifndef ROPEWALK_MODELS_H
#define ROPEWALK_MODELS_H

#include "ropewalk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Files and options ----------------------------------------------------------------------------------------- */

/** Storage of weights, and the way they are multiplied. */
enum {
  ROPEWALK_PRECISION_FLOAT32 = 0,
  /** Whole numbers of 8 bits. A model gives the same bits on every machine, natively and in WebAssembly. */
  ROPEWALK_PRECISION_INT8 = 1
};

/** One file of a model, read during the call only: its bytes may be a memory map. */
typedef struct ropewalk_file {
  /** The path within the model's folder, with slashes: "1_Pooling/config.json". Messages show it. */
  const char* name;
  /** Its contents. */
  const void* bytes;
  /** Number of bytes. */
  size_t size;
} ropewalk_file;

/** Options of a model. Zero stands for the default of each member. */
typedef struct ropewalk_model_options {
  /** sizeof(ropewalk_model_options) */
  size_t struct_size;
  /** ROPEWALK_PRECISION_FLOAT32 or ROPEWALK_PRECISION_INT8. */
  int32_t precision;
  /** Threads that compute, the caller among them, 1 to 64; 0 is 1. The bits do not depend on it. */
  int32_t threads;
  /** Decoders: capacity of each cache in tokens; 0 is the smaller of 2048 and the model's own limit. */
  size_t context;
} ropewalk_model_options;

/* --- Encoders -------------------------------------------------------------------------------------------------- */

/** An encoder with its weights, and the modules that make sentence vectors of its hidden states. */
typedef struct ropewalk_encoder ropewalk_encoder;

/**
 * Makes an encoder.
 *
 * @param config config.json, or NULL where `weights` is one GGUF file.
 * @param weights model.safetensors, or its shards.
 * @param options NULL for the defaults.
 * @param encoder where the encoder goes. Pass it to ropewalk_encoder_destroy().
 */
ROPEWALK_API ropewalk_status ropewalk_encoder_create(const char* config, size_t config_size,
                                                     const ropewalk_file* weights, size_t weight_count,
                                                     const ropewalk_model_options* options,
                                                     ropewalk_encoder** encoder);

/** Frees an encoder. NULL is allowed. */
ROPEWALK_API void ropewalk_encoder_destroy(ropewalk_encoder* encoder);

/**
 * Describes an encoder as a JSON object: "model" (hidden, token_types, longest, heads, ropes), "sentence" (dimensions,
 * prompts, default_prompt, include_prompt, lower_case, max_tokens; null before ropewalk_encoder_set_sentence()),
 * "parameters", "precision" and "notes".
 */
ROPEWALK_API ropewalk_status ropewalk_encoder_facts(const ropewalk_encoder* encoder, char** json);

/** The metadata of the GGUF file as a JSON object, its vocabulary included; "null" for an encoder of another file. */
ROPEWALK_API ropewalk_status ropewalk_encoder_metadata(const ropewalk_encoder* encoder, char** json);

/**
 * Names of the files that tell how a model of sentence-transformers makes vectors, as a JSON object of two lists,
 * "needed" and "optional".
 *
 * @param modules modules.json, or NULL where there is none.
 */
ROPEWALK_API ropewalk_status ropewalk_sentence_files(const char* modules, size_t modules_size, char** json);

/**
 * Gives an encoder the modules that make sentence vectors, in place of those that it has.
 *
 * @param files modules.json and the files that ropewalk_sentence_files() lists, in any order. Without modules.json
 *     vectors are the mean at unit length.
 */
ROPEWALK_API ropewalk_status ropewalk_encoder_set_sentence(ropewalk_encoder* encoder,
                                                           const ropewalk_file* files, size_t count);

/** Token ids and what goes with them, [batch * sequence] each. */
typedef struct ropewalk_batch {
  /** sizeof(ropewalk_batch) */
  size_t struct_size;
  /** Sequences, at least 1. */
  size_t batch;
  /** Tokens of a sequence, at least 1. */
  size_t sequence;
  /** Ids of tokens. */
  const int32_t* input_ids;
  /** NULL: all 0. */
  const int32_t* token_type_ids;
  /** 1 for tokens, 0 for padding; NULL: all 1. */
  const int32_t* attention_mask;
} ropewalk_batch;

/** Outputs of ropewalk_encoder_forward() beside last_hidden_state and the logits of labels, to be added up. */
enum {
  /** "logits", of a masked language model. */
  ROPEWALK_OUTPUT_LOGITS = 1,
  /** "hidden_states", of the embeddings (layer 0) and of each layer. */
  ROPEWALK_OUTPUT_HIDDEN_STATES = 2,
  /** "attentions", of each layer. */
  ROPEWALK_OUTPUT_ATTENTIONS = 4,
  /** "rotated_queries" and "rotated_keys", of each layer. */
  ROPEWALK_OUTPUT_ROTATED_QK = 8,
  /** "scores", of each layer. */
  ROPEWALK_OUTPUT_SCORES = 16,
  /** "contacts", of a model with a contact head. */
  ROPEWALK_OUTPUT_CONTACTS = 32,
  /** "pooled" and "sentence_embedding"; needs ropewalk_encoder_set_sentence(). */
  ROPEWALK_OUTPUT_SENTENCE = 64
};

/** Kinds of pooling. */
enum {
  /** As the model's files say. */
  ROPEWALK_POOLING_OF_MODEL = 0,
  ROPEWALK_POOLING_CLS = 1,
  ROPEWALK_POOLING_MAX = 2,
  ROPEWALK_POOLING_MEAN = 3,
  ROPEWALK_POOLING_MEAN_SQRT_LEN = 4,
  ROPEWALK_POOLING_WEIGHTEDMEAN = 5,
  ROPEWALK_POOLING_LAST = 6
};

/** Unit length of a sentence vector, given at the very end. */
enum {
  /** As the model's files say. */
  ROPEWALK_NORMALIZE_OF_MODEL = 0,
  ROPEWALK_NORMALIZE_YES = 1,
  ROPEWALK_NORMALIZE_NO = 2
};

/** Steps from hidden states to a sentence vector. Zero stands for the model's own way. */
typedef struct ropewalk_sentence_options {
  /** sizeof(ropewalk_sentence_options) */
  size_t struct_size;
  /** One of ROPEWALK_POOLING_. */
  int32_t pooling;
  /** One of ROPEWALK_NORMALIZE_. */
  int32_t normalize;
  /** Leading tokens of each sequence that pooling leaves out, cls excepted. */
  size_t prompt_tokens;
  /** Keeps the first entries; 0 keeps all. */
  size_t dimensions;
} ropewalk_sentence_options;

/**
 * Runs an encoder. Its outputs can be read until its next forward.
 *
 * @param outputs sum of ROPEWALK_OUTPUT_ flags.
 * @param sentence NULL for the model's own way; read with ROPEWALK_OUTPUT_SENTENCE only.
 */
ROPEWALK_API ropewalk_status ropewalk_encoder_forward(ropewalk_encoder* encoder, const ropewalk_batch* batch,
                                                      uint32_t outputs,
                                                      const ropewalk_sentence_options* sentence);

/** Lists the outputs of the last forward as JSON: ["last_hidden_state", -1], with -1 or the layer, and so on. */
ROPEWALK_API ropewalk_status ropewalk_encoder_outputs(const ropewalk_encoder* encoder, char** json);

/**
 * Finds an output of the last forward: last_hidden_state [batch, sequence, hidden], sentence_embedding
 * [batch, dimensions], relevance [batch, labels], class_logits, and those that the flags name. Row-major.
 *
 * @param layer -1 for an output that layers do not have.
 * @param values where the address goes, valid until the next forward.
 */
ROPEWALK_API ropewalk_status ropewalk_encoder_output(const ropewalk_encoder* encoder, const char* name,
                                                     int32_t layer, const float** values, size_t* size);

/* --- Decoders -------------------------------------------------------------------------------------------------- */

/** A causal language model. */
typedef struct ropewalk_decoder ropewalk_decoder;

/** Keys and values of the tokens that were fed. It keeps what it needs of its decoder alive. */
typedef struct ropewalk_cache ropewalk_cache;

/** Makes a decoder. The parameters are those of ropewalk_encoder_create(); `config` may be Meta's params.json. */
ROPEWALK_API ropewalk_status ropewalk_decoder_create(const char* config, size_t config_size,
                                                     const ropewalk_file* weights, size_t weight_count,
                                                     const ropewalk_model_options* options,
                                                     ropewalk_decoder** decoder);

/** Frees a decoder. NULL is allowed. Its caches can be used on. */
ROPEWALK_API void ropewalk_decoder_destroy(ropewalk_decoder* decoder);

/** Describes a decoder as a JSON object: "config", "vocabulary", "context", "parameters", "precision" and "notes". */
ROPEWALK_API ropewalk_status ropewalk_decoder_facts(const ropewalk_decoder* decoder, char** json);

/** Options of a cache. Zero stands for the default of each member. */
typedef struct ropewalk_cache_options {
  /** sizeof(ropewalk_cache_options) */
  size_t struct_size;
  /** 0: as suits the model; 1: keys as they were first rotated; 2: keys without rotation. */
  int32_t keys;
  /** Element type: 0 float32, 1 float16, 2 int8. */
  int32_t type;
} ropewalk_cache_options;

/** Makes an empty cache. `options` may be NULL. */
ROPEWALK_API ropewalk_status ropewalk_cache_create(const ropewalk_decoder* decoder,
                                                   const ropewalk_cache_options* options,
                                                   ropewalk_cache** cache);

/** Frees a cache. NULL is allowed. */
ROPEWALK_API void ropewalk_cache_destroy(ropewalk_cache* cache);

/** Tokens held, 0 of NULL. Their ids go to `ids` unless it is NULL, valid until the next call that changes the cache. */
ROPEWALK_API size_t ropewalk_cache_tokens(const ropewalk_cache* cache, const int32_t** ids);

/**
 * Appends tokens. After an error the cache is as it was.
 *
 * @param all 0: the logits of the last token, [vocabulary]; 1: those of each, [count, vocabulary].
 * @param logits where their address goes, valid until the next call of this decoder or one of its caches; may be NULL.
 * @param size where their number goes; may be NULL.
 */
ROPEWALK_API ropewalk_status ropewalk_cache_feed(ropewalk_cache* cache, const int32_t* ids, size_t count,
                                                 int32_t all, const float** logits, size_t* size);

/** Keeps the first `length` tokens. */
ROPEWALK_API ropewalk_status ropewalk_cache_trim(ropewalk_cache* cache, size_t length);

/** Forgets tokens from `from` up to and without `to`; those behind move to the positions that are free. */
ROPEWALK_API ropewalk_status ropewalk_cache_drop(ropewalk_cache* cache, size_t from, size_t to);

/** A copy, which shares memory until one of both changes. */
ROPEWALK_API ropewalk_status ropewalk_cache_fork(const ropewalk_cache* cache, ropewalk_cache** copy);

/** All of a cache as bytes for ropewalk_cache_restore(); free them with ropewalk_free(). */
ROPEWALK_API ropewalk_status ropewalk_cache_save(const ropewalk_cache* cache, void** bytes, size_t* size);

/** The cache that ropewalk_cache_save() wrote, of the same model and precision. */
ROPEWALK_API ropewalk_status ropewalk_cache_restore(const ropewalk_decoder* decoder, const void* bytes,
                                                    size_t size, ropewalk_cache** cache);

/** Options of sampling. Begin with ROPEWALK_SAMPLING_INIT, which takes the likeliest. */
typedef struct ropewalk_sampling {
  /** sizeof(ropewalk_sampling) */
  size_t struct_size;
  /** 0: the likeliest token, the lowest id of equal ones. */
  double temperature;
  /** Keeps so many candidates; 0: all. */
  size_t top_k;
  /** Keeps the shortest beginning whose probabilities add up to at least this; 1: all. */
  double top_p;
  /** Keeps candidates with at least this times the best probability; 0: all. */
  double min_p;
  /** Makes tokens that occurred less likely; 1: off. */
  double repetition_penalty;
  /** Tokens at the end of the cache that the penalty looks at. */
  size_t repetition_window;
  /** Seed of the random numbers. */
  uint64_t seed;
  /** Tokens of this text that were drawn before. */
  uint64_t drawn;
} ropewalk_sampling;

/** Greedy. */
#define ROPEWALK_SAMPLING_INIT {sizeof(ropewalk_sampling), 0, 0, 1, 0, 1, 64, 0, 0}

/**
 * Takes a token from the logits of the last feed. The same logits and seed give the same tokens on every machine.
 *
 * @param id where the token goes.
 * @param log_probability where the natural logarithm of its probability under the model goes; may be NULL.
 */
ROPEWALK_API ropewalk_status ropewalk_cache_sample(ropewalk_cache* cache, const ropewalk_sampling* sampling,
                                                   int32_t* id, double* log_probability);

#ifdef __cplusplus
}
#endif

#endif /* ROPEWALK_MODELS_H */
