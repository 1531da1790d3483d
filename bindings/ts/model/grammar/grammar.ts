/**
 * Output that follows a JSON schema or a regular expression: which tokens may come next, by XGrammar (Dong et al. 2024). The
 * package holds this and that library in a file of their own, grammar.js, which is loaded with the first such request.
 */
import { refuse } from "../refuse.js";
import type { Pieces } from "../text/tokenizer.js";
import { readSchema } from "./schema.js";
import { partialTokens, Utf8 } from "./utf8.js";
import { type NativeMatcher, startXGrammar, type XGrammar } from "./xgrammar.js";

/** A schema or an expression that the text has to follow. */
export interface Form {
  schema?: unknown;
  regex?: unknown;
}

/** Where a text stands within its grammar. */
export interface Matcher {
  /** A bit for each token that may come next. */
  allowed(): Int32Array;
  accept(id: number): void;
  dispose(): void;
}

export interface Vocabulary {
  pieces: Pieces;
  /** Tokens of the model, which may be more than those of the tokenizer. */
  size: number;
  /** Ids that end a text. */
  stops: readonly number[];
}

function sourceOf(fn: string, regex: unknown): string {
  const isExpression = regex instanceof RegExp;
  if (!isExpression && typeof regex !== "string")
    throw refuse.type(fn, "regex", regex, "a regular expression, as a RegExp or as its source");
  if (isExpression && /[^dgsuvy]/.test(regex.flags))
    throw refuse.unsupported(fn, "regex", String(regex), "expressions without the flags i and m");
  const source = isExpression ? regex.source : (regex as string);
  if (source === "" || source === "(?:)") throw refuse.range(fn, "regex", source, "an expression that is not empty");
  return source;
}

/** The last reason among the lines that XGrammar printed. */
function reasonIn(printed: readonly string[]): string | undefined {
  const found = printed.filter((line) => /\[(FATAL|WARNING)\]|ignored/.test(line)).at(-1);
  return found?.replace(/^.*?\.cc:\d+: /, "").replace(/ is false: /, ": ");
}

class Grammars {
  readonly #vocabulary: Vocabulary;
  readonly #partial: ReadonlyMap<number, readonly number[]>;
  #running: { native: XGrammar; printed: string[]; compiler: InstanceType<XGrammar["GrammarCompiler"]> } | undefined;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#partial = partialTokens(vocabulary.pieces);
  }

  async #start(fn: string) {
    if (this.#running !== undefined) return this.#running;
    const { native, printed } = await startXGrammar(fn);
    const { pieces, size, stops } = this.#vocabulary;
    const texts = native.vecStringFromJSArray(pieces.texts);
    const ends = native.vecIntFromJSArray(stops);
    const tokens = new native.TokenizerInfo(texts, pieces.form, size, ends, false);
    texts.delete();
    ends.delete();
    const compiler = new native.GrammarCompiler(tokens, 1, true);
    tokens.delete();
    this.#running = { native, printed, compiler };
    return this.#running;
  }

  async matcher(fn: string, { schema, regex }: Form): Promise<Matcher> {
    const name = regex === undefined ? "schema" : "regex";
    const text = regex === undefined ? readSchema(fn, schema) : sourceOf(fn, regex);
    const { native, printed, compiler } = await this.#start(fn);
    printed.length = 0;
    try {
      const grammar =
        regex === undefined
          ? compiler.CompileJSONSchema(text, false, undefined, undefined, true, undefined)
          : compiler.CompileStructuralTag(
              JSON.stringify({ type: "structural_tag", format: { type: "regex", pattern: text } }),
            );
      // It says what it ignores.
      const ignored = reasonIn(printed);
      if (ignored !== undefined) throw refuse.malformed(fn, name, `is not supported: ${ignored}`);
      const matcher = new native.GrammarMatcher(grammar, undefined, false, -1);
      grammar.delete();
      return new GrammarMatcher(fn, native, matcher, this.#vocabulary.size, new Utf8(this.#partial));
    } catch (cause) {
      if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
      // It ends its module where it refuses.
      this.#running = undefined;
      throw refuse.malformed(fn, name, `cannot be read: ${reasonIn(printed) ?? cause.message}`, cause);
    }
  }
}

class GrammarMatcher implements Matcher {
  readonly #fn: string;
  readonly #xgrammar: XGrammar;
  readonly #native: NativeMatcher;
  readonly #size: number;
  readonly #utf8: Utf8;

  constructor(fn: string, xgrammar: XGrammar, native: NativeMatcher, size: number, utf8: Utf8) {
    this.#fn = fn;
    this.#utf8 = utf8;
    this.#xgrammar = xgrammar;
    this.#native = native;
    this.#size = size;
  }

  allowed(): Int32Array {
    const words = this.#native.GetNextTokenBitmask(this.#size);
    const allowed = this.#xgrammar.vecIntToView(words).slice();
    words.delete();
    // It also sets the bits of the last word that stand for no token.
    const rest = this.#size % 32;
    if (rest > 0) allowed[allowed.length - 1]! &= (1 << rest) - 1;
    this.#utf8.restrict(allowed);
    return allowed;
  }

  accept(id: number): void {
    if (!this.#native.AcceptToken(id, false)) throw new Error(`${this.#fn}: the grammar does not have token ${id}`);
    this.#utf8.accept(id);
  }

  dispose(): void {
    this.#native.delete();
  }
}

/** One for each vocabulary. */
export const grammarsOf = (vocabulary: Vocabulary): Grammars => new Grammars(vocabulary);
export type { Grammars };
