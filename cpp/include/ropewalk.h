/*
 * Rotary position embeddings for C, and for every language that calls C.
 *
 * Pair j of a head at position m, (a, b), becomes
 *   (magnitude * (a cos phi - b sin phi), magnitude * (a sin phi + b cos phi)),  phi = m * theta_j
 * (RoFormer, arXiv 2104.09864, equations 14 to 16).
 *
 * Conventions
 * - A function that can fail returns a ropewalk_status. On failure nothing has been written, and
 *   ropewalk_last_error() tells the calling thread why.
 * - Texts that go in are UTF-8 with their length in bytes, and need no terminating zero. Texts that come out end with
 *   a zero. A `char**` result belongs to the caller, who passes it to ropewalk_free(). A `const char*` result belongs
 *   to the library.
 * - Options and configurations are JSON text, so that a new option changes no struct. Structs that may grow begin with
 *   `struct_size`: set it to the sizeof that the caller was compiled with. Begin a placement with ROPEWALK_PLACEMENT_INIT and
 *   a sampling with ROPEWALK_SAMPLING_INIT; elsewhere set every member that you do not use to 0.
 * - A rope never changes. Several threads may use one rope at a time.
 * - Members have the sizes of the platform: in WebAssembly (wasm32) size_t and pointers take 4 bytes.
 */
#ifndef ROPEWALK_H
#define ROPEWALK_H

#include <stddef.h>
#include <stdint.h>

#if defined(ROPEWALK_BUILDING) && defined(__wasm__)
/* An export of the module under its own name. */
#define ROPEWALK_API __attribute__((visibility("default"), used))
#elif defined(_WIN32) && defined(ROPEWALK_BUILDING)
#define ROPEWALK_API __declspec(dllexport)
#elif defined(_WIN32)
#define ROPEWALK_API __declspec(dllimport)
#elif defined(__GNUC__)
#define ROPEWALK_API __attribute__((visibility("default")))
#else
#define ROPEWALK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- Version -------------------------------------------------------------------------------------------------- */

/** Version of this header's functions and structs. It changes only if a program compiled with an older one would break. */
#define ROPEWALK_ABI_VERSION 1

/** ROPEWALK_ABI_VERSION of the library that is loaded. A program should compare it with its own at the start. */
ROPEWALK_API uint32_t ropewalk_abi_version(void);

/** Version of the library, for example "0.1.0". */
ROPEWALK_API const char* ropewalk_version(void);

/* --- Errors ---------------------------------------------------------------------------------------------------- */

/** 0 for success, otherwise one of the codes below. Later versions may add codes: treat every other value as a failure. */
typedef int32_t ropewalk_status;

enum {
  ROPEWALK_OK = 0,
  /** A value outside what is allowed. */
  ROPEWALK_ERROR_RANGE = 1,
  /** A value of the wrong kind, an unknown or missing name, or a null pointer where one is needed. */
  ROPEWALK_ERROR_TYPE = 2,
  /** Memory that cannot be had. */
  ROPEWALK_ERROR_OUT_OF_MEMORY = 3,
  /** A text or a file that is damaged, or not of its format. */
  ROPEWALK_ERROR_MALFORMED = 4,
  /** A sound file that asks for what is not implemented. */
  ROPEWALK_ERROR_UNSUPPORTED = 5
};

/**
 * Why the last call of this thread failed. `message` is a whole sentence. The other texts are its parts, for programs
 * that show them in their own words; each is "" where the message has no such part. All texts are valid until the
 * next failure in this thread.
 */
typedef struct ropewalk_error {
  /** One of the codes above. */
  ropewalk_status code;
  /** "rotate: `heads` is 0; allowed: a whole number of at least 1" */
  const char* message;
  /** "rotate" */
  const char* function;
  /** "heads" */
  const char* argument;
  /** "0" */
  const char* value;
  /** "a whole number of at least 1" */
  const char* allowed;
} ropewalk_error;

/** Writes the last failure of this thread to `error`. A call that succeeds does not clear it. */
ROPEWALK_API void ropewalk_last_error(ropewalk_error* error);

/* --- Memory ---------------------------------------------------------------------------------------------------- */

/**
 * Memory from the library, aligned for any type, or NULL. Hosts of the WebAssembly module need it to pass arrays and
 * texts; other programs may pass any memory of their own.
 */
ROPEWALK_API void* ropewalk_alloc(size_t bytes);

/** Frees a text or memory from the library. NULL is allowed. */
ROPEWALK_API void ropewalk_free(void* memory);

/* --- Ropes ----------------------------------------------------------------------------------------------------- */

/** The frequencies, the pairing and the window of a head: everything that a rotation needs except the positions. */
typedef struct ropewalk_rope ropewalk_rope;

/** The two channels that make pair j of the rotary dimension d. */
enum {
  /** (2j, 2j+1): RoFormer, GPT-J. */
  ROPEWALK_INTERLEAVED = 0,
  /** (j, j + d/2): Hugging Face's Llama, GPT-NeoX. */
  ROPEWALK_HALF = 1
};

/**
 * Makes a rope from options as JSON text, for example
 *   {"head_dim": 128, "pairing": "half", "frequencies": {"type": "linear", "base": 10000, "factor": 4}}
 * Members: head_dim (needed), rotary_dim, rotary_offset, pairing, frequencies, axes, xpos, query_scale, angles. They are those
 * of ropewalk::RopeOptions in <ropewalk/rope.hpp>. An unknown name is an error that names the nearest known one.
 *
 * @param rope where the new rope goes. Pass it to ropewalk_rope_destroy() when it is no longer used.
 */
ROPEWALK_API ropewalk_status ropewalk_rope_create(const char* options, size_t options_size,
                                                  ropewalk_rope** rope);

/** Answers to what a published configuration leaves open. */
typedef struct ropewalk_config_options {
  /** sizeof(ropewalk_config_options) */
  size_t struct_size;
  /** Tokens of the sequence, or 0 for not given. The rules "dynamic" and "longrope" cannot be read without it. */
  double sequence_length;
  /** "full_attention", "sliding_attention" and the like, where layers differ; NULL for not given. */
  const char* layer_type;
  /**
   * "interleaved" or "half", NULL for not given. Needed for a model type that is not known; where it is given it counts,
   * for weights that were brought to another order.
   */
  const char* pairing;
} ropewalk_config_options;

/**
 * Makes a rope from the configuration that a model is published with: Hugging Face's config.json, or GGUF metadata as
 * one JSON object. Strict: an unknown rope key, a missing one and a wrong length are errors that name the key.
 *
 * @param options NULL if nothing needs to be added.
 */
ROPEWALK_API ropewalk_status ropewalk_rope_create_from_config(const char* config, size_t config_size,
                                                              const ropewalk_config_options* options,
                                                              ropewalk_rope** rope);

/** Frees a rope. NULL is allowed. No other thread may still use it. */
ROPEWALK_API void ropewalk_rope_destroy(ropewalk_rope* rope);

/** The rope's options as JSON text that ropewalk_rope_create() reads. */
ROPEWALK_API ropewalk_status ropewalk_rope_options(const ropewalk_rope* rope, char** json);

/**
 * Describes for people what the rule did to which pairs, in a few lines.
 *
 * @param context length for which to say which pairs never complete a turn, or 0.
 */
ROPEWALK_API ropewalk_status ropewalk_rope_explain(const ropewalk_rope* rope, double context, char** text);

/* Properties of a rope. Of NULL they are 0, its pairing is -1 and its frequencies are NULL. */

/** Channels of a head. */
ROPEWALK_API size_t ropewalk_rope_head_dim(const ropewalk_rope* rope);
/** d, the number of channels that rotate. */
ROPEWALK_API size_t ropewalk_rope_rotary_dim(const ropewalk_rope* rope);
/** First channel that rotates. */
ROPEWALK_API size_t ropewalk_rope_rotary_offset(const ropewalk_rope* rope);
/** ROPEWALK_INTERLEAVED or ROPEWALK_HALF. */
ROPEWALK_API int32_t ropewalk_rope_pairing(const ropewalk_rope* rope);
/** Number of position axes: 1 unless the options have `axes`. */
ROPEWALK_API size_t ropewalk_rope_axes(const ropewalk_rope* rope);
/** Entries in a row of ropewalk_table(): d/2, or heads * d/2 if heads have frequencies of their own. */
ROPEWALK_API size_t ropewalk_rope_width(const ropewalk_rope* rope);
/** The factor of cos and sin (Hugging Face's attention_factor). */
ROPEWALK_API double ropewalk_rope_magnitude(const ropewalk_rope* rope);
/**
 * theta_j in radians per position, pair 0 first. The array belongs to the rope.
 *
 * @param count where the number of entries goes; may be NULL.
 */
ROPEWALK_API const double* ropewalk_rope_frequencies(const ropewalk_rope* rope, size_t* count);

/* --- Rotating -------------------------------------------------------------------------------------------------- */

/** Element types. The 16-bit types are rotated in float32 and rounded to nearest even. */
enum { ROPEWALK_FLOAT32 = 0, ROPEWALK_FLOAT16 = 1, ROPEWALK_BFLOAT16 = 2 };

/** Memory order of an array. b batch, s sequence, h head, d channel, t token of packed sequences. */
enum { ROPEWALK_BSHD = 0, ROPEWALK_BHSD = 1, ROPEWALK_THD = 2, ROPEWALK_STRIDED = 3 };

/** The side of the score that an array is on. Only xpos and query_scale tell them apart. */
enum { ROPEWALK_QUERY = 0, ROPEWALK_KEY = 1 };

/** Positions m of the tokens. They may be negative and fractional. */
typedef struct ropewalk_positions {
  /** Token s stands at start + s, if `values` is NULL. */
  double start;
  /** One value per token, [sequence] or [batch * sequence]; with several axes [axes * batch * sequence], axis-major. */
  const double* values;
  /** Number of `values`. */
  size_t count;
} ropewalk_positions;

/** Distances between neighbours, in elements. The channels of one head are always contiguous. */
typedef struct ropewalk_strides {
  /** From sequence to sequence. */
  ptrdiff_t batch;
  /** From token to token. */
  ptrdiff_t sequence;
  /** From head to head. */
  ptrdiff_t head;
} ropewalk_strides;

/** The shape of an array and the positions of its tokens. Begin with ROPEWALK_PLACEMENT_INIT. */
typedef struct ropewalk_placement {
  /** sizeof(ropewalk_placement) */
  size_t struct_size;
  /** Sequences, at least 1. */
  size_t batch;
  /** Tokens of a sequence, at least 1. */
  size_t sequence;
  /** Heads, at least 1. For ropewalk_rotate_qk(), the number of query heads. */
  size_t heads;
  /** Key heads; only ropewalk_rotate_qk() reads it. */
  size_t kv_heads;
  /** ROPEWALK_BSHD, ROPEWALK_BHSD, ROPEWALK_THD or ROPEWALK_STRIDED. */
  int32_t layout;
  /** ROPEWALK_QUERY or ROPEWALK_KEY. */
  int32_t role;
  /** Strides of ROPEWALK_STRIDED. */
  ropewalk_strides strides;
  /** Strides of ropewalk_rotate_qk()'s keys, for ROPEWALK_STRIDED. */
  ropewalk_strides key_strides;
  /** Positions of the tokens. */
  ropewalk_positions positions;
  /**
   * For ROPEWALK_THD: the start of each packed sequence, then the total, which is `sequence`. [0, 5, 12] are two
   * sequences of 5 and 7 tokens. `batch` is 1.
   */
  const size_t* cumulative_lengths;
  /** Number of `cumulative_lengths`. */
  size_t cumulative_count;
} ropewalk_placement;

/** A placement of one batch in BSHD order that starts at position 0. Set `sequence` and `heads`. */
/* clang-format off */
#define ROPEWALK_PLACEMENT_INIT                                                                  \
  {                                                                                              \
    sizeof(ropewalk_placement), 1, 0, 0, 0, ROPEWALK_BSHD, ROPEWALK_QUERY, {0, 0, 0}, {0, 0, 0}, \
        {0, NULL, 0}, NULL, 0                                                                    \
  }
/* clang-format on */

/**
 * Rotates x into `out`. `out` is x itself (in place) or does not overlap it. Channels outside the rotated window are
 * copied.
 *
 * @param size elements of x, and of `out`.
 * @param dtype ROPEWALK_FLOAT32, ROPEWALK_FLOAT16 or ROPEWALK_BFLOAT16.
 */
ROPEWALK_API ropewalk_status ropewalk_rotate(const ropewalk_rope* rope, const void* x, void* out, size_t size,
                                             int32_t dtype, const ropewalk_placement* placement);

/** The inverse of ropewalk_rotate(), also where the magnitude is not 1. */
ROPEWALK_API ropewalk_status ropewalk_unrotate(const ropewalk_rope* rope, const void* x, void* out,
                                               size_t size, int32_t dtype,
                                               const ropewalk_placement* placement);

/** Rotates queries (`placement->heads` heads) and keys (`placement->kv_heads` heads) at the same positions. */
ROPEWALK_API ropewalk_status ropewalk_rotate_qk(const ropewalk_rope* rope, const void* q, void* out_q,
                                                size_t q_size, const void* k, void* out_k, size_t k_size,
                                                int32_t dtype, const ropewalk_placement* placement);

/**
 * Takes an array that `rope` rotated at `placement->positions` to new positions in one pass, as if `to_rope` had
 * rotated it at `to_positions`. For cached keys: set `placement->role` to ROPEWALK_KEY.
 *
 * @param to_rope a rope of the same shape with other frequencies, or NULL for `rope` itself.
 */
ROPEWALK_API ropewalk_status ropewalk_rerotate(const ropewalk_rope* rope, const void* x, void* out,
                                               size_t size, int32_t dtype,
                                               const ropewalk_placement* placement,
                                               const ropewalk_rope* to_rope,
                                               const ropewalk_positions* to_positions);

/**
 * Writes cos and sin of m * theta_j times the magnitude, [rows, ropewalk_rope_width()] each.
 *
 * @param positions [rows], or [axes * rows] axis-major with several axes.
 * @param size entries of `cos`, and of `sin`: rows * width.
 */
ROPEWALK_API ropewalk_status ropewalk_table(const ropewalk_rope* rope, const double* positions,
                                            size_t position_count, float* cos, float* sin, size_t size);

/* --- Given angles ---------------------------------------------------------------------------------------------- */

/**
 * The shape of arrays that are rotated by given angles, one for each token, head and pair: x [batch, sequence, heads,
 * dimension], angles [batch, sequence, heads or 1, pairs] in radians. The first 2 * pairs channels of a head rotate, the
 * others pass.
 */
typedef struct ropewalk_given_angles {
  /** sizeof(ropewalk_given_angles) */
  size_t struct_size;
  /** Sequences, at least 1. */
  size_t batch;
  /** Tokens of a sequence, at least 1. */
  size_t sequence;
  /** Heads, at least 1. */
  size_t heads;
  /** Channels of a head. */
  size_t dimension;
  /** Pairs that rotate, at most dimension / 2. */
  size_t pairs;
  /** ROPEWALK_INTERLEAVED or ROPEWALK_HALF, among the first 2 * pairs channels. */
  int32_t pairing;
} ropewalk_given_angles;

/**
 * Rotates each pair (a, b) of x by its angle phi: (a cos phi - b sin phi, a sin phi + b cos phi).
 *
 * @param size elements of `x`, and of `out`, which is `x` itself or does not overlap it.
 * @param angle_count elements of `angles`; finite, up to 2^45 in magnitude.
 */
ROPEWALK_API ropewalk_status ropewalk_rotate_by(const float* x, float* out, size_t size, const double* angles,
                                                size_t angle_count, const ropewalk_given_angles* shape);

/**
 * The gradients of ropewalk_rotate_by() from `grad_y`, of `size` elements.
 *
 * @param grad_x `size` elements; may be `grad_y` itself.
 * @param grad_angles `angle_count` elements, summed over the heads that share an angle.
 */
ROPEWALK_API ropewalk_status ropewalk_rotate_by_gradient(const float* x, const float* grad_y, float* grad_x,
                                                         size_t size, const double* angles,
                                                         double* grad_angles, size_t angle_count,
                                                         const ropewalk_given_angles* shape);

/* --- Weights --------------------------------------------------------------------------------------------------- */

/** Describes a query or key projection whose rows move from one pairing to the other. */
typedef struct ropewalk_conversion {
  /** sizeof(ropewalk_conversion) */
  size_t struct_size;
  /** The pairing of the weight as it is: ROPEWALK_INTERLEAVED or ROPEWALK_HALF. */
  int32_t from;
  /** The pairing of the weight to be written. */
  int32_t to;
  /** Heads of this projection. 1 for a query or key norm weight that heads share. */
  size_t heads;
  /** Channels of a head. */
  size_t head_dim;
  /** Channels of the rotated window. 0 for head_dim - rotary_offset. */
  size_t rotary_dim;
  /** First channel of the rotated window. */
  size_t rotary_offset;
  /** Columns of the weight; 0 to take them from its size. */
  size_t columns;
} ropewalk_conversion;

/**
 * Moves rows of a query or key projection [heads * head_dim, columns] (or of its bias, or of a query or key norm
 * weight) so that rotating with the pairing `to` gives the scores that rotating with `from` gave. Exact.
 *
 * @param out `weight` itself (in place), or memory that does not overlap it.
 * @param size elements of `weight`, and of `out`.
 */
ROPEWALK_API ropewalk_status ropewalk_convert_pairing(const void* weight, void* out, size_t size,
                                                      int32_t dtype, const ropewalk_conversion* conversion);

/* --- Vector instructions --------------------------------------------------------------------------------------- */

/** The instruction set in use: "wasm", or one of the names in ropewalk/architecture.hpp, such as "avx2". */
ROPEWALK_API const char* ropewalk_architecture(void);

/** Uses the instruction set `name` from now on, in the whole process. */
ROPEWALK_API ropewalk_status ropewalk_use_architecture(const char* name);

#ifdef __cplusplus
}
#endif

#endif /* ROPEWALK_H */
