/** Methods of texts and the filters of the same names, where the library does otherwise than Python. */
import type { Budget } from "./budget.js";
import { TemplateRefused } from "./refused.js";
import { isList, isText, kindOf, make, printed, type Value } from "./values.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the spaces of Python.
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

type Method = (budget: Budget, text: string, args: readonly Value[]) => Value;
type Sides = "both" | "left" | "right";

function stripped(text: string, sides: Sides, characters: string | undefined): string {
  const set = characters === undefined ? undefined : new Set(characters);
  const goes = (each: string) => (set === undefined ? SPACE.test(each) : set.has(each));
  const all = Array.from(text);
  let [begin, end] = [0, all.length];
  if (sides !== "right") while (begin < end && goes(all[begin]!)) begin++;
  if (sides !== "left") while (end > begin && goes(all[end - 1]!)) end--;
  return all.slice(begin, end).join("");
}

/** The character at an index, which may count from the end. Looks at no more of the text than its distance asks for. */
export function characterAt(budget: Budget, text: string, at: number): Value {
  const part = at < 0 ? text.slice(2 * at) : text.slice(0, 2 * (at + 1));
  budget.make(part.length);
  return make(Array.from(part).at(at));
}

const capital = (word: string) => {
  const [first = "", ...rest] = Array.from(word);
  return first.toUpperCase() + rest.join("").toLowerCase();
};

/** Words of the filter `title` begin behind white space and opening brackets, those of the method behind any non-letter. */
const titled = (text: string, word: RegExp) => text.replace(word, capital);

function textArgument(what: string, value: Value | undefined): string {
  if (value !== undefined && isText(value)) return value.value;
  throw new TemplateRefused(`${what} takes a text, not ${value === undefined ? "nothing" : kindOf(value)}`);
}

function countArgument(what: string, value: Value | undefined): number {
  if (value === undefined || value.type === "NullValue") return Number.POSITIVE_INFINITY;
  if (value.type !== "IntegerValue") throw new TemplateRefused(`${what} takes a number, not ${kindOf(value)}`);
  const count = value.value as number;
  return count < 0 ? Number.POSITIVE_INFINITY : count;
}

/** Arguments by position, and by name in the last place. */
interface Given {
  at(index: number, name: string): Value | undefined;
}

function givenTo(what: string, args: readonly Value[], names: readonly string[]): Given {
  const last = args.at(-1);
  const named = last?.type === "KeywordArgumentsValue" ? (last.value as Map<string, Value>) : new Map<string, Value>();
  const positional = last?.type === "KeywordArgumentsValue" ? args.slice(0, -1) : args;
  if (positional.length > names.length) throw new TemplateRefused(`${what} takes at most ${names.length} arguments`);
  for (const name of named.keys())
    if (!names.includes(name)) throw new TemplateRefused(`${what} has no argument \`${name}\``);
  return { at: (index, name) => positional[index] ?? named.get(name) };
}

function strip(what: string, sides: Sides) {
  return (_: Budget, text: string, args: readonly Value[]): Value => {
    const characters = givenTo(what, args, ["chars"]).at(0, "chars");
    const given = characters === undefined || characters.type === "NullValue" ? undefined : characters;
    return make(stripped(text, sides, given && textArgument(what, given)));
  };
}

/** An index of a slice, in characters and counted from the beginning. */
function sliceArgument(what: string, value: Value | undefined, length: number, absent: number): number {
  if (value === undefined || value.type === "NullValue") return absent;
  if (value.type !== "IntegerValue") throw new TemplateRefused(`${what} takes a number, not ${kindOf(value)}`);
  const at = value.value as number;
  return at < 0 ? Math.max(0, at + length) : at;
}

/** Characters [start, end) of a text; undefined where they end before they begin, at which even an empty text is not. */
function partOf(budget: Budget, what: string, text: string, start?: Value, end?: Value): string | undefined {
  if (start === undefined && end === undefined) return text;
  budget.make(text.length);
  const all = Array.from(text);
  const from = sliceArgument(what, start, all.length, 0);
  const to = Math.min(sliceArgument(what, end, all.length, all.length), all.length);
  return from > to ? undefined : all.slice(from, to).join("");
}

const affixed = (what: string, argument: string, has: (text: string, affix: string) => boolean): Method => {
  return (budget, text, args) => {
    const given = givenTo(what, args, [argument, "start", "end"]);
    const part = partOf(budget, what, text, given.at(1, "start"), given.at(2, "end"));
    const fits = (affix: Value | undefined) => {
      const sought = textArgument(what, affix);
      return part !== undefined && has(part, sought);
    };
    const affix = given.at(0, argument);
    return make(affix !== undefined && isList(affix) ? affix.value.some(fits) : fits(affix));
  };
};

function replaced(budget: Budget, text: string, args: readonly Value[]): Value {
  const given = givenTo("replace", args, ["old", "new", "count"]);
  const old = textArgument("replace", given.at(0, "old"));
  const fresh = textArgument("replace", given.at(1, "new"));
  const parts = old === "" ? ["", ...text, ""] : text.split(old);
  const count = Math.min(countArgument("replace", given.at(2, "count")), parts.length - 1);
  budget.make(text.length + count * fresh.length);
  if (count === parts.length - 1) return make(parts.join(fresh));
  return make(
    parts.slice(0, count + 1).join(fresh) + (count < parts.length ? old : "") + parts.slice(count + 1).join(old),
  );
}

function joined(budget: Budget, values: Value, separator: string): Value {
  budget.walk(values);
  if (!isList(values) && !isText(values)) throw new TemplateRefused(`join takes a list, not ${kindOf(values)}`);
  const parts = isList(values) ? values.value.map(printed) : Array.from(values.value);
  budget.make(parts.reduce((sum, part) => sum + part.length, 0) + parts.length * separator.length);
  return make(parts.join(separator));
}

/** Methods by name. */
export const METHODS: Readonly<Record<string, Method>> = {
  strip: strip("strip", "both"),
  lstrip: strip("lstrip", "left"),
  rstrip: strip("rstrip", "right"),
  replace: replaced,
  startswith: affixed("startswith", "prefix", (text, prefix) => text.startsWith(prefix)),
  endswith: affixed("endswith", "suffix", (text, suffix) => text.endsWith(suffix)),
  title: (_, text) => make(titled(text, /\p{L}+/gu)),
  capitalize: (_, text) => make(capital(text)),
  join: (budget, text, args) => joined(budget, args[0] ?? make(""), text),
};

const WIDEST = 1_000;

function indented(budget: Budget, text: string, args: readonly Value[]): Value {
  const given = givenTo("indent", args, ["width", "first", "blank"]);
  const width = given.at(0, "width") ?? make(4);
  const isWidth = width.type === "IntegerValue" && (width.value as number) <= WIDEST;
  if (!isWidth && !isText(width)) throw new TemplateRefused(`indent takes a width of at most ${WIDEST}, or a text`);
  const [first, blank] = [given.at(1, "first")?.value === true, given.at(2, "blank")?.value === true];
  const space = isText(width) ? width.value : " ".repeat(Math.max(0, width.value as number));
  const lines = text.split("\n");
  budget.make(text.length + lines.length * space.length);
  const all = lines.map((line, i) => ((i === 0 ? first : blank || line !== "") ? space + line : line));
  return make(all.join("\n"));
}

/** Python's formatting by `%`, for texts and whole numbers. */
function formatted(budget: Budget, text: string, args: readonly Value[]): Value {
  let next = 0;
  const result = text.replace(/%(.?)/gs, (_, letter: string) => {
    if (letter === "%") return "%";
    const value = args[next++];
    const fits = value !== undefined && (letter === "s" || (letter === "d" && value.type === "IntegerValue"));
    if (!fits) throw new TemplateRefused(`format has no %${letter} for ${value ? kindOf(value) : "nothing"}`);
    budget.walk(value);
    return printed(value);
  });
  if (next !== args.length) throw new TemplateRefused("format has more values than places");
  return make(result);
}

/** Filters of texts by name. */
export const TEXT_FILTERS: Readonly<Record<string, Method>> = {
  trim: strip("trim", "both"),
  replace: replaced,
  indent: indented,
  format: formatted,
  title: (_, text) => make(titled(text, /[^\s\-({[<]+/g)),
  capitalize: (_, text) => make(capital(text)),
  length: (_, text) => make(Array.from(text).length),
  count: (_, text) => make(Array.from(text).length),
};

export function joinFilter(budget: Budget, values: Value, args: readonly Value[]): Value {
  const given = givenTo("join", args, ["d"]).at(0, "d");
  return joined(budget, values, given === undefined ? "" : textArgument("join", given));
}
