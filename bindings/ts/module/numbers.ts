// Made by `npm run generate` from tools/options/numbers.hpp. Do not edit.

/**
 * Numbers on which C++ and TypeScript agree. Enumerations: their names at the places of their values. Blocks of float64 values
 * (bindings/embind/blocks.hpp): the names of their members in order. The block of hot calls (call.hpp): places of its members in
 * words of 32 bits, and those of a member that has some itself from its own place on.
 */

export const CODES = ["ok", "range", "type", "out-of-memory", "malformed", "unsupported"] as const;
export const DTYPES = ["float32", "float16", "bfloat16"] as const;
export const PAIRINGS = ["interleaved", "half"] as const;
export const LAYOUTS = ["bshd", "bhsd", "thd"] as const;
export const ROLES = ["query", "key"] as const;
export const POOLINGS = ["cls", "max", "mean", "mean_sqrt_len", "weightedmean", "last"] as const;
export const PRECISIONS = ["float32", "int8"] as const;
export const STORED_KEYS = ["rotated", "raw"] as const;
export const CACHE_TYPES = ["float32", "float16", "int8"] as const;
export const OUTPUTS = ["logits", "hiddenStates", "attentions", "rotatedQK", "scores", "contacts", "pooled"] as const;
export const WORKS = ["train", "evaluate", "gradients"] as const;
export const CALL_POSITIONS = 0 as const;
export const CALL_TO = 6 as const;
export const CALL_X = 12 as const;
export const CALL_K = 20 as const;
export const CALL_BATCH = 28 as const;
export const CALL_SEQUENCE = 29 as const;
export const CALL_HEADS = 30 as const;
export const CALL_LAYOUT = 31 as const;
export const CALL_STRIDES = 32 as const;
export const CALL_CUMULATIVE_LENGTHS = 36 as const;
export const CALL_CUMULATIVE_COUNT = 38 as const;
export const CALL_ROLE = 39 as const;
export const CALL_KV_HEADS = 40 as const;
export const CALL_KEY_STRIDES = 41 as const;
export const CALL_TO_ROPE = 44 as const;
export const CALL_MAGNITUDE = 46 as const;
export const CALL_GRADIENTS = 48 as const;
export const CALL_DIMENSION = 68 as const;
export const CALL_PAIRS = 69 as const;
export const CALL_PAIRING = 70 as const;
export const CALL_GRAD_ANGLES = 72 as const;
export const POSITIONS_START = 0 as const;
export const POSITIONS_VALUES = 2 as const;
export const POSITIONS_COUNT = 4 as const;
export const ARRAY_X = 0 as const;
export const ARRAY_X_SIZE = 2 as const;
export const ARRAY_X_TYPE = 3 as const;
export const ARRAY_OUT = 4 as const;
export const ARRAY_OUT_SIZE = 6 as const;
export const ARRAY_OUT_TYPE = 7 as const;
export const STRIDES_BATCH = 0 as const;
export const STRIDES_SEQUENCE = 1 as const;
export const STRIDES_HEAD = 2 as const;
export const FOUND_ADDRESS = 0 as const;
export const FOUND_SIZE = 2 as const;
export const FOUND_WORDS = 4 as const;
export const CALL_WORDS = 74 as const;
export const JSON_LIMITS_BYTES = 16777216 as const;
export const JSON_LIMITS_VALUES = 262144 as const;
export const FILE_BLOCK = ["name", "nameSize", "bytes", "size"] as const;
export const FORWARD_BLOCK = [
  "ids",
  "idCount",
  "types",
  "typeCount",
  "mask",
  "maskCount",
  "batch",
  "sequence",
  "sequenceIds",
  "sequenceIdCount",
  "outputs",
  "pooling",
  "promptTokens",
  "normalize",
  "dimensions",
] as const;
export const BATCH_BLOCK = [
  "work",
  "ids",
  "idCount",
  "types",
  "typeCount",
  "mask",
  "maskCount",
  "batch",
  "sequence",
  "labels",
  "labelCount",
] as const;
export const SAMPLING_BLOCK = [
  "temperature",
  "topK",
  "topP",
  "minP",
  "repetitionPenalty",
  "repetitionWindow",
  "seed",
  "drawn",
] as const;
