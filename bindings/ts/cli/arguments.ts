/** The command line: options by name, read strictly, and the words between them. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { type ErrorDetails, hint } from "../module/errors.js";

/** A mistake on the command line: exit code 2 and a pointer to the help. */
export class UsageError extends Error {}

/** The error of an option's value. Texts stand in quotation marks. */
export const refusal = (option: string, value: string | number, allowed: string): UsageError =>
  new UsageError(`${option} is ${JSON.stringify(value)}; allowed: ${allowed}`);

export type OptionKinds = NonNullable<ParseArgsConfig["options"]>;

/** Options that take a value, from their names with spaces between them. */
export const textOptions = (names: string): OptionKinds =>
  Object.fromEntries(names.split(" ").map((name) => [name, { type: "string" }]));

/** `--start -5` is `--start=-5`: parseArgs takes what begins with a dash for an option of its own. */
function joinNegative(argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  const joined: string[] = [];
  for (const [i, word] of argv.entries()) {
    const before = joined.at(-1);
    const isOption = (end < 0 || i < end) && before !== undefined && /^--[a-z-]+$/.test(before);
    if (isOption && /^-[\d.]/.test(word)) joined.push(`${joined.pop()}=${word}`);
    else joined.push(word);
  }
  return joined;
}

/** Describes what parseArgs refuses. */
function describeRefusal(message: string, options: OptionKinds): string {
  const option = /^(?:Unknown option|Option) '(?:-\w, )?(--?[^']*?)(?: <value>)?'/.exec(message)?.[1] ?? "";
  if (/argument is ambiguous/.test(message))
    return `${option} has no value; one that begins with a dash is written ${option}=-...`;
  if (/argument missing/.test(message)) return `${option} has no value`;
  if (/not take an argument/.test(message)) return `${option} takes no value`;
  if (!option.startsWith("--")) return `unknown option ${option}; words that begin with a dash stand behind --`;
  return `unknown option ${option}${hint(
    option,
    Object.keys(options).map((name) => `--${name}`),
  )}`;
}

/** Arguments of the library by the options that have another name. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  length: "sequenceLength",
  "inv-freq": "inverseFrequencies",
  start: "positions",
  // --type is checked before the library is called. A `type` in its messages is a key of config.json.
  type: "limits.type",
};

/** Objects of the library whose members are options. Other names with a dot are files and keys of files. */
const OBJECTS = /^(?:frequencies|subject(?:\.row)?)\./;

const argumentOf = (option: string): string =>
  OTHER_NAMES[option] ?? option.replace(/-[a-z]/g, ([, letter]) => letter!.toUpperCase());

/** The commands that open the models of a function of the library. */
const COMMAND_OF: Readonly<Record<string, string>> = { encoder: "embed", decoder: "generate" };

export class Arguments {
  readonly #values: Record<string, unknown>;
  readonly #words: string[];
  /** Names of options by those of the library's arguments. */
  readonly #options: ReadonlyMap<string, string>;

  /** `names` of the words, all of which must be there unless they are in brackets; `...` ends a list of any length. */
  constructor(argv: readonly string[], options: OptionKinds, names: readonly string[]) {
    this.#options = new Map(Object.keys(options).map((option) => [argumentOf(option), option]));
    try {
      const parsed = parseArgs({ args: joinNegative(argv), options, allowPositionals: true, strict: true });
      this.#values = parsed.values;
      this.#words = parsed.positionals;
    } catch (error) {
      throw new UsageError(describeRefusal((error as Error).message, options));
    }
    if (this.flag("help")) return;
    const missing = names.slice(this.#words.length).find((name) => !name.startsWith("["));
    if (missing !== undefined) throw new UsageError(`${missing} is missing`);
    if (this.#words.length > names.length && names.at(-1)?.endsWith("...") !== true)
      throw new UsageError(`unexpected argument ${JSON.stringify(this.#words[names.length])}`);
  }

  /** A word that must be there. */
  word(place: number): string {
    return this.#words[place]!;
  }

  optionalWord(place: number): string | undefined {
    return this.#words[place];
  }

  words(): readonly string[] {
    return this.#words;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    if (value === "") throw new UsageError(`--${name} is empty`);
    return value as string | undefined;
  }

  /** Values of an option that may be repeated. */
  texts(name: string): readonly string[] | undefined {
    const values = this.#values[name] as readonly string[] | undefined;
    if (values?.includes("")) throw new UsageError(`--${name} is empty`);
    return values;
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : numberOf(`--${name}`, text);
  }

  /** A whole number of at least 1. */
  count(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^[0-9]{1,15}$/.test(text) && Number(text) >= 1) return Number(text);
    throw refusal(`--${name}`, text, "a whole number of at least 1");
  }

  /** A whole number, 0 included. */
  whole(name: string): number | undefined {
    const value = this.number(name);
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return value;
    throw refusal(`--${name}`, value, "a whole number of at least 0");
  }

  choice<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const found = allowed.find((each) => each === text);
    if (found !== undefined) return found;
    throw refusal(`--${name}`, text, allowed.join(" or "));
  }

  /** The option that was given of an argument such as `frequencies.base`, `stop[1]` or `schema.items`. */
  #given(argument = ""): string | undefined {
    const name = argument.replace(OBJECTS, "").replace(/^(prompt|schema)\..*|\[.*/s, "$1");
    const option = this.#options.get(name);
    return option !== undefined && this.#values[option] !== undefined ? option : undefined;
  }

  /** Describes an error of the library in words of the command line: an argument is --option, and no function is named. */
  describe(error: unknown): string {
    const { message, function: fn } = error as Error & Partial<ErrorDetails>;
    return this.#worded(error, fn && message.startsWith(`${fn}: `) ? message.slice(fn.length + 2) : message);
  }

  #worded(error: unknown, said: string): string {
    const { argument } = error as Partial<ErrorDetails>;
    const loads = said.replace(/`(encoder|decoder)` loads/, (_, name) => `\`ropewalk ${COMMAND_OF[name]}\` loads`);
    // Texts in quotation marks are values.
    return loads.replace(/"[^"]*"|(?:the option )?`([^`]+)`|\b[a-z]+[A-Z]\w*/g, (whole, name = whole) => {
      const option = name === argument ? this.#given(argument) : this.#options.get(name);
      return option === undefined ? whole : `--${option}`;
    });
  }

  /**
   * An error of the library in words of the command line, and as a mistake on it if it is about an option that was given.
   */
  inOptions(error: unknown): unknown {
    const { code = "", argument, function: fn } = error as Partial<ErrorDetails>;
    if (fn === undefined) return error;
    const isMistake = ["range", "type"].includes(code) && this.#given(argument) !== undefined;
    if (isMistake) return new UsageError(this.describe(error));
    return new Error(this.#worded(error, (error as Error).message), { cause: error });
  }
}

export function numberOf(name: string, text: string): number {
  const value = /^\s*$/.test(text) ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw refusal(name, text, "a number");
}

const MOST = 1_000_000;

/** "0:8" is 0 to 7, "0:1024:64" goes in steps, "0,1,10" lists; all of these may be mixed. */
export function rangeOf(name: string, text: string): number[] {
  const values: number[] = [];
  for (const part of text.split(",")) {
    const numbers = part.split(":").map((each) => numberOf(name, each));
    const [first, end, step = 1] = numbers;
    if (numbers.length > 3) throw refusal(name, text, "start:end:step");
    const count = end === undefined ? 1 : Math.ceil((end - first!) / step - 1e-9);
    if (step === 0 || count < 1) throw new UsageError(`${name} is ${JSON.stringify(text)}, which names no number`);
    if (!(values.length + count <= MOST)) throw new UsageError(`${name} names more than ${MOST} numbers`);
    for (let i = 0; i < count; i++) values.push(first! + i * step);
  }
  return values;
}
