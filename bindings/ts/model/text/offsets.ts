/**
 * Offsets of tokens in their text. The library that makes the tokens, `@huggingface/tokenizers`, gives no offsets. So this
 * file calls the steps of that library one by one, and follows each character through them. Where a step adds, joins or
 * removes characters, their offsets are those of Hugging Face's package `tokenizers`, which does give them.
 */
import { refuse } from "../refuse.js";
import type { Framed, Offsets } from "./encoded.js";

/** A text between two steps. `from` has the offsets in the original of each code unit of `text`. */
interface Traced {
  text: string;
  from: readonly Offsets[];
}

// The parts of the library that this file reads.

interface AddedToken {
  lstrip: boolean;
  rstrip: boolean;
}

interface Splitter {
  split(text: string): string[];
}

interface Normalizer {
  config: { type: string; content?: string; prepend?: string };
  normalize(text: string): string;
  /** Steps of a sequence. */
  normalizers?: readonly (Normalizer | null)[];
  /** The pattern of a replacement. */
  pattern?: RegExp | null;
}

interface PreTokenizer {
  pre_tokenize_text(text: string, options: { section_index: number }): string[];
  /** Steps of a sequence. */
  tokenizers: readonly (PreTokenizer | null)[];
  /** The pattern of a replacement. */
  pattern: RegExp | null;
  content: string;
  /** An option of ByteLevel. */
  add_prefix_space: boolean;
  /** The letter that Metaspace writes for a space. */
  str_rep: string;
}

interface Model {
  encode(words: readonly string[]): string[];
  tokens_to_ids: ReadonlyMap<string, number>;
  unk_token: string | null | undefined;
  unk_token_id: number | undefined;
  fuse_unk: boolean;
  config: { continuing_subword_prefix?: string };
  /** This and the members below exist only in models of byte pairs (BPE). */
  bpe?(word: string): readonly string[];
  ignore_merges: boolean;
  byte_fallback: boolean;
  end_of_word_suffix?: string | null;
  continuing_subword_suffix?: string | null;
}

interface Library {
  normalizer: Normalizer | null;
  pre_tokenizer: PreTokenizer | null;
  model: Model;
  added_tokens_map: ReadonlyMap<string, AddedToken>;
  splitter_unnormalized: Splitter;
  splitter_normalized: Splitter;
  remove_space: unknown;
  do_lowercase_and_remove_accent: unknown;
}

interface Step {
  type: string;
  pretokenizers?: readonly (Step | null)[];
  processors?: readonly (Step | null)[];
  trim_offsets?: boolean;
  add_prefix_space?: boolean;
}

interface TokenizerJson {
  pre_tokenizer: Step | null;
  post_processor: Step | null;
}

// Texts and their offsets.

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const times = <T>(count: number, value: T): T[] => new Array<T>(count).fill(value);

const part = ({ text, from }: Traced, start: number, end: number): Traced => ({
  text: text.slice(start, end),
  from: from.slice(start, end),
});

const joined = (a: Traced, b: Traced): Traced => ({ text: a.text + b.text, from: [...a.from, ...b.from] });

/** Offsets of a stretch of code units: where the first begins and the last ends. The array is new, so a token may keep it. */
const offsetsOf = (from: readonly Offsets[]): Offsets => [from[0]?.[0] ?? 0, from.at(-1)?.[1] ?? 0];

/** Bytes of a letter in UTF-8. */
function bytesOf(letter: string): number {
  const code = letter.codePointAt(0)!;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/** The original text. Both halves of a surrogate pair have the offsets of the pair. */
function traced(text: string): Traced {
  const from: Offsets[] = [];
  for (const { length } of text) {
    const start = from.length;
    from.push(...times<Offsets>(length, [start, start + length]));
  }
  return { text, from };
}

/** A letter and the marks that normal forms may join to it: accents, vowels and last consonants of Hangul, voicing of kana. */
const CLUSTER = /[\s\S][\p{M}\u1160-\u11ff\uff9e\uff9f]*/gu;

/**
 * The text after a change that looks at one cluster at a time. `byTable`: the change is NFKC in place of a SentencePiece table.
 */
function changed({ text, from }: Traced, change: (text: string) => string, byTable = false): Traced {
  const result: Offsets[] = [];
  let at = 0;
  for (const [cluster] of text.matchAll(CLUSTER)) {
    const sources = from.slice(at, at + cluster.length);
    at += cluster.length;
    const letters = Array.from(cluster);
    const { length } = change(cluster);
    const lengths = letters.length === 1 ? [length] : letters.map((letter) => change(letter).length);
    if (sum(lengths) === length) {
      let unit = 0;
      for (const [i, letter] of letters.entries()) {
        result.push(...times(lengths[i]!, sources[unit]!));
        unit += letter.length;
      }
      continue;
    }
    // The letter has taken in marks that follow it, and keeps the offsets that it had alone. Only clusters of 6 bytes or
    // more under a SentencePiece table differ: NFKC joins them and the table does not, so they have the offsets of the cluster.
    const isWhole = byTable && sum(letters.map(bytesOf)) >= 6;
    const all = offsetsOf(sources);
    for (let i = 0; i < length; i++)
      result.push(isWhole ? all : sources[i === 0 ? 0 : Math.max(0, sources.length - length + i)]!);
  }
  return { text: change(text), from: result };
}

/** Replaces a pattern. New characters get the offsets of the last character that they replace. */
function replaced({ text, from }: Traced, pattern: RegExp, content: string): Traced {
  const result: Offsets[] = [];
  let at = 0;
  for (const { 0: old, index } of text.matchAll(pattern)) {
    const end = index + old.length;
    while (at < index) result.push(from[at++]!);
    result.push(...times<Offsets>(content.length, from[end - 1] ?? from[0] ?? [0, 0]));
    at = end;
  }
  while (at < from.length) result.push(from[at++]!);
  return { text: text.replaceAll(pattern, content), from: result };
}

/** Puts a prefix before a text. Its characters get the offsets of the first character of the text. */
const prefixed = ({ text, from }: Traced, prefix: string): Traced => ({
  text: prefix + text,
  from: [...times<Offsets>(prefix.length, from[0] ?? [0, 0]), ...from],
});

/** Finds pieces of a text in it, each behind the one before. */
function pieces(whole: Traced, texts: readonly string[]): Traced[] {
  let at = 0;
  return texts.map((text) => {
    const start = whole.text.indexOf(text, at);
    at = start + text.length;
    return part(whole, start, at);
  });
}

const trimmed = (whole: Traced, text: string) => pieces(whole, [text])[0]!;

// The steps.

/** An added token, or a part of the text between two of them. */
interface Section {
  whole: Traced;
  /** An added token with the white space that it takes in. */
  wide: Traced;
}

function sectionsOf(text: Traced, splitter: Splitter, added: Library["added_tokens_map"]): Section[] {
  const sections: Section[] = pieces(text, splitter.split(text.text)).map((whole) => ({ whole, wide: whole }));
  for (const [i, section] of sections.entries()) {
    const token = added.get(section.whole.text);
    const [before, after] = [sections[i - 1], sections[i + 1]];
    if (token?.lstrip && before) {
      const { length } = before.whole.text;
      const kept = before.whole.text.trimEnd().length;
      section.wide = joined(part(before.whole, kept, length), section.wide);
      before.whole = part(before.whole, 0, kept);
    }
    if (token?.rstrip && after) {
      const { length } = after.whole.text;
      const taken = length - after.whole.text.trimStart().length;
      section.wide = joined(section.wide, part(after.whole, 0, taken));
      after.whole = part(after.whole, taken, length);
    }
  }
  return sections;
}

function normalized(text: Traced, step: Normalizer | null): Traced {
  if (step === null) return text;
  const { type, content = "", prepend = "" } = step.config;
  if (type === "Sequence") return (step.normalizers ?? []).reduce(normalized, text);
  if (type === "Replace") return step.pattern ? replaced(text, step.pattern, content) : text;
  if (type === "Prepend") return prefixed(text, prepend);
  if (type === "Strip") return trimmed(text, step.normalize(text.text));
  return changed(text, (each) => step.normalize(each), type === "Precompiled");
}

function words(text: Traced, step: Step | null, by: PreTokenizer | null, section: number): Traced[] {
  if (step === null || by === null) return [text];
  if (step.type === "Sequence")
    return (step.pretokenizers ?? []).reduce(
      (parts, each, i) => parts.flatMap((one) => words(one, each, by.tokenizers[i]!, section)),
      [text],
    );
  if (step.type === "Replace") return [by.pattern ? replaced(text, by.pattern, by.content) : text];
  const texts = by.pre_tokenize_text(text.text, { section_index: section });
  if (step.type === "Metaspace") {
    const spaced = replaced(text, / /g, by.str_rep);
    return [texts[0]!.length > spaced.text.length ? prefixed(spaced, by.str_rep) : spaced];
  }
  if (step.type === "ByteLevel") {
    const whole = by.add_prefix_space && !text.text.startsWith(" ") ? prefixed(text, " ") : text;
    let at = 0;
    const from = Array.from(whole.text).flatMap((letter) => {
      const offsets = whole.from[at]!;
      at += letter.length;
      return times(bytesOf(letter), offsets);
    });
    return pieces({ text: texts.join(""), from }, texts);
  }
  return pieces(text, texts);
}

interface Token {
  text: string;
  offsets: Offsets;
}

function tokensOf(word: Traced, model: Model): Token[] {
  const { tokens_to_ids: known, unk_token: unknown } = model;
  const all = offsetsOf(word.from);
  let at = 0;
  const next = (length: number) => {
    const from = word.from.slice(at, at + length);
    at += length;
    return offsetsOf(from);
  };
  if (model.bpe === undefined) {
    const texts = model.encode([word.text]);
    if (texts.length === 1) return [{ text: texts[0]!, offsets: all }];
    const prefix = model.config.continuing_subword_prefix?.length ?? 0;
    return texts.map((text, i) => ({ text, offsets: next(text.length - (i > 0 ? prefix : 0)) }));
  }
  if (model.ignore_merges && known.has(word.text)) return [{ text: word.text, offsets: all }];
  const merged = model.bpe(word.text);
  return merged.flatMap((text, i) => {
    const suffix = i + 1 === merged.length ? model.end_of_word_suffix : model.continuing_subword_suffix;
    const offsets = next(text.length - (suffix?.length ?? 0));
    if (known.has(text)) return [{ text, offsets }];
    const bytes = Array.from(new TextEncoder().encode(text), (byte) => {
      return `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
    });
    if (model.byte_fallback && bytes.every((byte) => known.has(byte)))
      return bytes.map((byte) => ({ text: byte, offsets: [...offsets] }));
    return unknown == null ? [] : [{ text: unknown, offsets }];
  });
}

/** Joins neighbouring unknown tokens into one, if the model does. */
function fused(tokens: readonly Token[], { fuse_unk: fuses, tokens_to_ids: ids, unk_token_id: unknown }: Model) {
  if (!fuses) return tokens;
  const result: Token[] = [];
  let wasUnknown = false;
  for (const token of tokens) {
    const isUnknown = (ids.get(token.text) ?? unknown) === unknown;
    if (isUnknown && wasUnknown) result.at(-1)!.offsets[1] = token.offsets[1];
    else result.push(token);
    wasUnknown = isUnknown;
  }
  return result;
}

const tokenOf = ({ wide }: Section): Token => ({ text: wide.text, offsets: offsetsOf(wide.from) });

/** The tokens of a text, without special tokens around it. */
function tokensIn(text: Traced, library: Library, steps: TokenizerJson): Token[] {
  const { added_tokens_map: added, model } = library;
  return sectionsOf(text, library.splitter_unnormalized, added).flatMap((section, index) => {
    let { whole } = section;
    if (whole.text === "") return [];
    if (added.has(whole.text)) return [tokenOf(section)];
    if (library.remove_space === true) whole = replaced(trimmed(whole, whole.text.trim()), /\s+/g, " ");
    if (library.do_lowercase_and_remove_accent)
      whole = changed(whole, (each) => each.toLowerCase().replace(/\p{M}/gu, ""));
    return sectionsOf(normalized(whole, library.normalizer), library.splitter_normalized, added).flatMap((inner) => {
      if (inner.whole.text === "") return [];
      if (added.has(inner.whole.text)) return [tokenOf(inner)];
      const parts = words(inner.whole, steps.pre_tokenizer, library.pre_tokenizer, index);
      return fused(
        parts.flatMap((word) => tokensOf(word, model)),
        model,
      );
    });
  });
}

/** The post-processors that leave spaces at the ends of a token out of its offsets. */
function trimming(step: Step | null): Step[] {
  if (step === null) return [];
  return step.type === "Sequence" ? (step.processors ?? []).flatMap(trimming) : step.trim_offsets ? [step] : [];
}

/**
 * Leaves spaces at both ends of a token out of its offsets. They are counted in the token's text, where "Ġ" may stand for a
 * space. `isFirst`: it is the first token of the text. `prefixes`: a space may have been put before the text.
 */
function withoutSpaces(original: string, { text, offsets }: Token, isFirst: boolean, prefixes: boolean | undefined) {
  let [leading, trailing] = [/^[Ġ\s]*/, /[Ġ\s]*$/].map((spaces) => spaces.exec(text)![0].length) as [number, number];
  let [start, end] = offsets;
  // A space alone may be the one that was put before the text, and has no offsets.
  if (leading === 1 && prefixes && (isFirst || start === 0)) leading = 0;
  for (; leading > 0 && start < end; leading--) start += original.codePointAt(start)! > 0xffff ? 2 : 1;
  for (; trailing > 0 && end > start; trailing--)
    end -= end - start > 1 && original.codePointAt(end - 2)! > 0xffff ? 2 : 1;
  offsets.splice(0, 2, start, end);
}

/**
 * Gives each token of a text or a pair its offsets in the text that it comes from. Special tokens get [0, 0].
 * @throws Error if the steps give other tokens than the tokenizer did.
 */
export function addOffsets(
  fn: string,
  tokenizer: object,
  json: object,
  { encoded, first, second }: Framed,
  texts: readonly [first: string, pair: string | undefined],
  lowerCase: boolean,
): void {
  const [library, steps] = [tokenizer as Library, json as TokenizerJson];
  const trims = trimming(steps.post_processor);
  const offsets = encoded.tokens.map((): Offsets => [0, 0]);
  for (const [i, span] of [first, second].entries()) {
    if (span === undefined) continue;
    const original = texts[i]!;
    const text = traced(original);
    const tokens = tokensIn(lowerCase ? changed(text, (each) => each.toLowerCase()) : text, library, steps);
    if (tokens.length !== span[1] - span[0])
      throw refuse.unsupported(fn, "offsets", true, "false: the steps of this tokenizer cannot be followed");
    for (const [index, token] of tokens.entries()) {
      for (const step of trims) withoutSpaces(original, token, index === 0, step.add_prefix_space);
      offsets[span[0] + index] = token.offsets;
    }
  }
  encoded.offsets = offsets;
}
