/**
 * Beginnings of a long text. A model reads a limited number of tokens, so the rest of the text need not be tokenized, if the
 * tokens of the beginning are the first tokens of the whole text.
 */
import type { Json } from "../files/read.js";
import { objectsIn } from "./objects-in.js";

/** Characters of the first beginning for each token. Where tokens are longer, or the text has no spaces, a longer one follows. */
const CHARACTERS_PER_TOKEN = 8;
const AT_LEAST = 256;

const WORDS = /^(BertPreTokenizer|Whitespace|WhitespaceSplit)$/;
/** Steps that handle the text before a space between two words alike, whatever follows the space. */
const LOCAL = /^(Sequence|BertNormalizer|Lowercase|NFK?[CD]|StripAccents|Strip|Prepend|Precompiled|Metaspace|Digits)$/;
const BLANKS = [" {2,}", "\\s{2,}|[\\n\\r\\t]"];

/** A step that writes another sign for a space. */
const isSign = ({ type, pattern }: Json) => type === "Metaspace" || (pattern as Pattern)?.String === " ";
interface Pattern {
  String?: string;
  Regex?: string;
}

function isLocal({ type, pattern, content, replacement = "▁", str_rep = "▁", use_regex }: Json): boolean {
  if (`${replacement}${str_rep}` !== "▁▁") return false;
  if (WORDS.test(String(type)) || LOCAL.test(String(type))) return true;
  if (type === "ByteLevel") return use_regex !== false;
  const { String: text, Regex: regex } = (pattern ?? {}) as Pattern;
  if (text === undefined) return BLANKS.includes(regex!);
  return text === " " ? type === "Split" || content === "▁" : !/[ ▁]/.test(text);
}

/** True if no token of this tokenizer can extend over a space between two words, in any text. */
function endsAtSpaces({ normalizer, pre_tokenizer, model, added_tokens }: Json): boolean {
  const typed = (steps: unknown) => [...objectsIn(steps)].filter(({ type }) => type !== undefined);
  const steps = typed([normalizer, pre_tokenizer]);
  const has = (types: RegExp) => steps.some(({ type }) => types.test(String(type)));
  const { type, vocab, ignore_merges, end_of_word_suffix, continuing_subword_suffix } = model as Json;
  if (!steps.every(isLocal) || ignore_merges || end_of_word_suffix || continuing_subword_suffix) return false;
  if ((added_tokens as Json[]).some(({ content }) => /\S[\s▁]/.test(String(content)))) return false;
  if ((has(WORDS) || has(/^ByteLevel$/)) && !steps.some(isSign)) return true;
  if (type === "WordPiece") return false;
  const tokens = Array.isArray(vocab) ? vocab.map(([token]) => String(token)) : Object.keys(vocab as Json);
  return tokens.every((token) => !/[^▁\s][▁ ]/.test(token));
}

/**
 * Beginnings of a text that end between two words. Each is about eight times as long as the one before. There are none if
 * tokens of the tokenizer.json may extend over a space.
 */
export function beginningsOf(json: Json): (text: string, tokens: number) => Iterable<string> {
  return endsAtSpaces(json) ? beginnings : () => [];
}

function* beginnings(text: string, tokens: number): Generator<string> {
  for (let at = CHARACTERS_PER_TOKEN * tokens + AT_LEAST; at < text.length / 2; at *= 8) {
    const found = text.slice(at - 1, 2 * at).search(/(?<=[\p{L}\p{Nd}]) (?=[\p{L}\p{Nd}])/u);
    if (found >= 0) yield text.slice(0, at - 1 + found);
  }
}
