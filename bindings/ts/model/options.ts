/** Options of models: each name is known or refused, with the name that was meant. */
import { failure, hint, optionsObject, refusal } from "../module/errors.js";
import { refuse } from "./refuse.js";

/** Names of other libraries, by ours. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  dtype: "precision",
  quantized: "precision",
  quantization: "precision",
  load_in_8bit: "precision",
  max_new_tokens: "maxTokens",
  max_tokens: "maxTokens",
  max_length: "maxTokens",
  maxNewTokens: "maxTokens",
  maxLength: "maxTokens",
  n_predict: "maxTokens",
  n_ctx: "context",
  contextSize: "context",
  contextLength: "context",
  temp: "temperature",
  topk: "topK",
  top_k: "topK",
  topp: "topP",
  top_p: "topP",
  min_p: "minP",
  minp: "minP",
  repetition_penalty: "repetitionPenalty",
  repeat_penalty: "repetitionPenalty",
  repeatPenalty: "repetitionPenalty",
  repeat_last_n: "repetitionWindow",
  json_schema: "schema",
  jsonSchema: "schema",
  response_format: "schema",
  grammar: "schema",
  pattern: "regex",
  stop_sequences: "stop",
  stopSequences: "stop",
  stop_strings: "stop",
  stopStrings: "stop",
  customStopTriggers: "stop",
  add_special_tokens: "addSpecialTokens",
  return_offsets_mapping: "offsets",
  skip_special_tokens: "skipSpecialTokens",
  add_generation_prompt: "addGenerationPrompt",
  continue_final_message: "continueFinalMessage",
  chat_template: "template",
  chatTemplate: "template",
  chat_template_kwargs: "variables",
  normalise: "normalize",
  normalized: "normalize",
  normalize_embeddings: "normalize",
  dim: "dimensions",
  dims: "dimensions",
  truncate_dim: "dimensions",
  pooling_mode: "pooling",
  prompt_name: "prompt",
  promptName: "prompt",
  input_type: "prompt",
  inputType: "prompt",
  progress_callback: "onProgress",
  progressCallback: "onProgress",
  onLoadProgress: "onProgress",
  abortSignal: "signal",
  thread: "threads",
  numThreads: "threads",
  n_threads: "threads",
  worker: "workers",
  cache_dir: "cache",
  cacheDir: "cache",
  k: "topK",
  limit: "k",
  n_results: "k",
  filter: "where",
};

/** Options that have no counterpart, and why. */
const NEEDLESS: Readonly<Record<string, string>> = {
  batchSize: "batches are made by length, so there is none",
  batch_size: "batches are made by length, so there is none",
  device: "everything runs on the processor",
  padding: "texts are padded where they need it",
  truncation: "texts are cut where they are too long; `onTruncation` tells",
  do_sample: "`temperature` above 0 samples",
  doSample: "`temperature` above 0 samples",
};

/** As `hint`, for those who write another library's name. */
function hintFrom(name: string, names: readonly string[]): string {
  if (Object.hasOwn(NEEDLESS, name)) return `: ${NEEDLESS[name]}`;
  const ours = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name]! : "";
  return hint(name, names, names.includes(ours) ? ours : undefined);
}

/** An object of options without one that is not among the names. */
export function knownOptions<T extends object>(
  fn: string,
  options: T,
  names: readonly string[],
  argument = "options",
): T {
  const given = optionsObject(fn, argument, options);
  for (const name of Object.keys(given))
    if (!names.includes(name))
      throw failure("type", fn, `unknown option \`${name}\`${hintFrom(name, names)}`, { argument: name });
  const { signal, onProgress } = given as { signal?: unknown; onProgress?: unknown };
  if (signal !== undefined && typeof (signal as AbortSignal | null)?.throwIfAborted !== "function")
    throw refusal("type", fn, "signal", signal, "an AbortSignal");
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw refusal("type", fn, "onProgress", onProgress, "a function");
  return given;
}

/** The JSON of an argument. Rings, BigInts and what is too deep have none. */
export function jsonOf(fn: string, name: string, value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw refuse.malformed(fn, name, `cannot be written as JSON: ${(cause as Error).message.split("\n")[0]}`, cause);
  }
}

export function flag(fn: string, name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  throw refusal("type", fn, name, value, "true or false");
}

/** Options of encoders, in this thread and in workers. */
export const ENCODER_OPTIONS = ["precision", "workers", "offsets", "onProgress", "signal"];
