/**
 * Limits on what a tokenizer.json may ask for. A file from a stranger can turn one letter into gigabytes, or search for a
 * pattern without end. This file bounds each of its steps, for every text.
 */
import type { Tokenizer } from "@huggingface/tokenizers";
import type { Json } from "../files/read.js";
import { isExplosive } from "./backtracking.js";
import { objectsIn } from "./objects-in.js";

/** Characters of a string of the file that a step puts before, behind or in place of others. */
const LONGEST_PART = 64;
/** Steps of a file, of all kinds together. */
const MOST_STEPS = 512;
/** A step may make this many characters for each character of a text. NFKC makes up to 18. */
const GROWTH = 32;
/** Characters that a step may make on top of that. */
const SPARE = 1024;

const problem = (why: string) => new RangeError(why);

/** Refuses parts of the file before any of them runs. */
function checkParts({ normalizer, pre_tokenizer, decoder, post_processor, model }: Json): void {
  const { vocab: _, merges: __, ...affixes } = (model ?? {}) as Json;
  let steps = 0;
  for (const step of objectsIn([normalizer, pre_tokenizer, decoder, affixes])) {
    if (++steps > MOST_STEPS) throw problem(`it has more than ${MOST_STEPS} steps`);
    for (const [key, value] of Object.entries(step)) {
      if (typeof value !== "string" || /^(precompiled_charsmap|Regex|String)$/.test(key)) continue;
      if (value.length > LONGEST_PART)
        throw problem(`\`${key}\` has ${value.length} characters; allowed: up to ${LONGEST_PART}`);
      // A replacement in JavaScript would put other parts of the text in place of these signs.
      if (key === "content" && /\$[$&`'<\d]/.test(value)) throw problem(`\`content\` is ${JSON.stringify(value)}`);
    }
    const { type, pattern = {} } = step as { type?: unknown; pattern?: { Regex?: unknown; String?: unknown } };
    if ((type === "Split" || type === "Replace") && typeof (pattern?.Regex ?? pattern?.String) !== "string")
      throw problem(`the pattern of ${type} is neither \`String\` nor \`Regex\``);
  }
  const templates = [...objectsIn(post_processor)].flatMap(({ single, pair }) => [single, pair]);
  for (const template of templates) {
    const used = [...objectsIn(template)].flatMap(({ Sequence }) => (Sequence ? [(Sequence as Json).id] : []));
    if (new Set(used).size < used.length) throw problem("its template repeats a text");
  }
}

/** A step of the library. */
interface Step {
  _call(given: Given, ...rest: unknown[]): unknown;
  pattern?: RegExp | null;
  normalizers?: (Step | null)[];
  tokenizers?: (Step | null)[];
  decoders?: (Step | null)[];
  normalize?: Method;
  pre_tokenize?: Method;
  decode_chain?: Method;
}
type Given = string | (string | null)[];
type Method = (given: Given, ...rest: unknown[]) => Given;

const METHODS = ["normalize", "pre_tokenize", "decode_chain"] as const;

function* stepsOf(step: Step | null): Generator<Step> {
  const inner = step?.normalizers ?? step?.tokenizers ?? step?.decoders;
  if (inner !== undefined) for (const each of inner) yield* stepsOf(each);
  else if (step !== null) yield step;
}

/** Characters of a text or of several. The library has null for a token that it does not know. */
const lengthOf = (given: Given): number =>
  typeof given === "string" ? given.length : given.reduce((sum, part) => sum + (part?.length ?? 0), 0);

/** Limits how much the steps make, by the length of the text that the first of them is given. */
function bind(first: Step | null): void {
  if (first === null) return;
  // No limit outside a call of the first step: offsets call steps one by one, after the tokenizer has run them all.
  let length = Number.POSITIVE_INFINITY;
  const call = first._call.bind(first);
  first._call = (given, ...rest) => {
    length = lengthOf(given);
    try {
      return call(given, ...rest);
    } finally {
      length = Number.POSITIVE_INFINITY;
    }
  };
  for (const step of stepsOf(first)) {
    for (const name of METHODS) {
      const method = step[name]?.bind(step);
      if (method === undefined) continue;
      step[name] = (...given) => {
        const made = method(...given);
        if (lengthOf(made) > GROWTH * length + SPARE)
          throw problem(`its steps make more than ${GROWTH} characters of each in a text of ${length}`);
        return made;
      };
    }
  }
}

const KINDS = ["normalizer", "pre_tokenizer", "decoder"] as const;

/**
 * The tokenizer that `make` makes of a tokenizer.json, within limits.
 * @throws Error that says why, if the file cannot be read or goes beyond a limit.
 */
export function limitedTokenizer(make: (json: object) => Tokenizer, json: Json): Tokenizer {
  checkParts(json);
  const bound = (file: object) => {
    const tokenizer = make(file);
    for (const kind of KINDS) bind(tokenizer[kind] as Step | null);
    return tokenizer;
  };
  // The library normalises added tokens while it is constructed, so patterns are checked before that, on a file without them.
  const steps = bound({ ...json, added_tokens: [], ...(json.model !== undefined && { model: NO_WORDS }) });
  for (const kind of KINDS) {
    for (const { pattern } of stepsOf(steps[kind] as Step | null))
      if (pattern && isExplosive(pattern))
        throw problem(`the time that its pattern ${pattern.source} takes may double with each letter of a text`);
  }
  for (const { content, normalized, special } of (json.added_tokens ?? []) as readonly Json[])
    if (normalized ?? !special) steps.normalizer?.(content as string);
  return bound(json);
}

const NO_WORDS = { type: "WordPiece", vocab: {}, unk_token: "" };
