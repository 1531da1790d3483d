/** Chat templates: Jinja, by `@huggingface/jinja` within bounds. */
import { Environment, parse, tokenize } from "@huggingface/jinja";
import { Budget } from "./budget.js";
import { strftime } from "./dates.js";
import { StrictInterpreter } from "./interpreter.js";
import { TemplateRaised, TemplateRefused } from "./refused.js";
import { isText, make, makeFunction, makeRange, printed, type Value } from "./values.js";

/** Characters of a template. */
const LONGEST = 2 ** 20;
/** As Jinja's sandbox has it. */
const LONGEST_RANGE = 100_000;

/** A template that can be rendered. `now` is the time that strftime_now writes. */
export interface Template {
  /** @throws TemplateRaised, TemplateRefused */
  render(variables: Readonly<Record<string, unknown>>, now?: Date): string;
}

interface Token {
  readonly value: string;
  readonly type: string;
  /** True for an operator that goes on from the comparison before it. */
  chained?: boolean;
}

function chain(before: Token, token: Token): void {
  // The tree keeps the tokens of these operators alone.
  if (before.type !== "ComparisonBinaryOperator" || token.type !== before.type)
    throw new TemplateRefused("`in` among comparisons of more than two values is not done");
  token.chained = true;
}

const isComparison = ({ type, value }: Token, inFor: boolean) =>
  type === "ComparisonBinaryOperator" || (type === "Identifier" && !inFor && (value === "in" || value === "not in"));
const OPENS = new Set(["OpenParen", "OpenSquareBracket", "OpenCurlyBracket", "OpenExpression", "OpenStatement"]);
const CLOSES = new Set(["CloseParen", "CloseSquareBracket", "CloseCurlyBracket", "CloseExpression", "CloseStatement"]);
const SEPARATES = new Set(["Comma", "Colon", "Equals"]);
const JOINS = new Set(["and", "or", "if", "else", "not"]);

/** The library reads `a < b < c` as `(a < b) < c`, and its tree no longer shows which of both it was: marks the second `<`. */
function markChains(tokens: readonly Token[]): void {
  const compared: (Token | undefined)[] = [undefined];
  let inFor = false;
  for (const [i, token] of tokens.entries()) {
    if (token.type === "OpenStatement") inFor = tokens[i + 1]?.value === "for";
    if (OPENS.has(token.type)) compared.push(undefined);
    else if (CLOSES.has(token.type)) compared.pop();
    else if (isComparison(token, inFor)) {
      if (compared.at(-1) !== undefined) chain(compared.at(-1)!, token);
      compared[compared.length - 1] = token;
    } else if (SEPARATES.has(token.type) || (token.type === "Identifier" && JOINS.has(token.value))) {
      compared[compared.length - 1] = undefined;
    }
    // The first `in` of a loop is its own.
    if (inFor && token.value === "in") inFor = false;
  }
}

function ranged(args: readonly Value[]): Value {
  const numbers = args.map(({ value }) => value);
  if (!numbers.every((each) => Number.isInteger(each)) || numbers.length < 1 || numbers.length > 3)
    throw new TemplateRefused("range takes one to three whole numbers");
  const [a, b, step = 1] = numbers as [number, number?, number?];
  const [start, stop] = b === undefined ? [0, a] : [a, b];
  if (step === 0) throw new TemplateRefused("range has a step of 0");
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > LONGEST_RANGE) throw new TemplateRefused(`range gives more than ${LONGEST_RANGE} numbers`);
  return makeRange(Array.from({ length }, (_, i) => start + i * step));
}

/** The names that every template finds; nothing else of this program can be reached from it. */
function scopeOf(now: Date): Environment {
  const scope = new Environment();
  const set = (name: string, value: Value) => scope.setVariable(name, value as never);
  for (const [name, value] of Object.entries({
    true: true,
    True: true,
    false: false,
    False: false,
    none: null,
    None: null,
  }))
    set(name, make(value));
  set("range", makeFunction(ranged));
  set(
    "raise_exception",
    makeFunction(([said]) => {
      throw new TemplateRaised(said === undefined ? "" : printed(said));
    }),
  );
  set(
    "strftime_now",
    makeFunction(([format]) => {
      if (format !== undefined && isText(format)) return make(strftime(format.value, now));
      throw new TemplateRefused("strftime_now takes a text");
    }),
  );
  return scope;
}

interface Size {
  values: number;
  characters: number;
}

function sizeOf(value: unknown, size: Size = { values: 0, characters: 0 }): Size {
  size.values++;
  if (typeof value === "string") size.characters += value.length;
  else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) sizeOf(each, size);
  return size;
}

/** An error of the library, or of a stack that is full, in our words. */
function reworded(error: unknown): Error {
  if (error instanceof TemplateRaised || error instanceof TemplateRefused) return error;
  return new TemplateRefused(error instanceof Error ? error.message : String(error), { cause: error });
}

/** Reads a template. @throws TemplateRefused */
export function compile(text: string): Template {
  if (text.length > LONGEST) throw new TemplateRefused(`it has more than ${LONGEST} characters`);
  try {
    const tokens = tokenize(text, { lstrip_blocks: true, trim_blocks: true });
    markChains(tokens);
    const program = parse(tokens);
    return {
      render(variables, now = new Date()) {
        try {
          const { values, characters } = sizeOf(variables);
          const scope = scopeOf(now);
          for (const [name, value] of Object.entries(variables)) scope.setVariable(name, make(value) as never);
          const interpreter = new StrictInterpreter(scope, new Budget(values, characters + text.length));
          return printed(interpreter.evaluate(program as never, scope));
        } catch (error) {
          throw reworded(error);
        }
      },
    };
  } catch (error) {
    throw reworded(error);
  }
}
