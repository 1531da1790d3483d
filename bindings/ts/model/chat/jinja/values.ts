/** Values of the interpreter of `@huggingface/jinja`, and how Python compares and prints them. */
import { Environment } from "@huggingface/jinja";
import { TemplateRefused } from "./refused.js";

/** A value as the library holds it; its classes are not exported. */
export interface Value {
  readonly type: string;
  readonly value: unknown;
  readonly builtins: ReadonlyMap<string, Value>;
  __bool__(): { value: boolean };
}
export interface Text extends Value {
  readonly value: string;
}
export interface List extends Value {
  readonly value: Value[];
}
export interface Mapping extends Value {
  readonly value: Map<string, Value>;
}
export interface Numeric extends Value {
  readonly value: number | boolean;
}
export type Call = (args: Value[], scope: Environment) => Value;
export interface Callable extends Value {
  readonly value: Call;
}

/** A JavaScript value as the library takes it. */
export const make = (value: unknown): Value => new Environment().set("value", value) as unknown as Value;

const classOf = <T>(value: Value) => value.constructor as new (value: T) => Value;
const FloatValue = classOf<number>(make(0.5));
const FunctionValue = classOf<Call>(make(() => null));
const ArrayValue = classOf<Value[]>(make([]));

export const makeFloat = (value: number): Value => new FloatValue(value);
export const makeFunction = (call: Call): Value => new FunctionValue(call);
export const makeList = (values: Value[]): Value => new ArrayValue(values);
/** Numbers that equal no list, and are refused where they are printed. */
export const makeRange = (numbers: number[]): Value => Object.assign(make(numbers), { type: "RangeValue" });
export const UNDEFINED = make(undefined);

export const isText = (value: Value): value is Text => value.type === "StringValue";
const LISTS = new Set(["ArrayValue", "TupleValue", "RangeValue"]);
export const isList = (value: Value): value is List => LISTS.has(value.type);
export const isMapping = (value: Value): value is Mapping => value.type === "ObjectValue";
export const isUndefined = (value: Value): boolean => value.type === "UndefinedValue";
export const isFloat = (value: Value): boolean => value.type === "FloatValue";
export const isNumeric = (value: Value): value is Numeric =>
  value.type === "IntegerValue" || isFloat(value) || value.type === "BooleanValue";
export const isCallable = (value: Value): value is Callable => value.type === "FunctionValue";
export const truth = (value: Value): boolean => value.__bool__().value;

const KINDS: Readonly<Record<string, string>> = {
  StringValue: "a text",
  IntegerValue: "a number",
  FloatValue: "a number",
  BooleanValue: "true or false",
  ArrayValue: "a list",
  TupleValue: "a tuple",
  RangeValue: "a range",
  ObjectValue: "a mapping",
  NullValue: "none",
  UndefinedValue: "undefined",
  FunctionValue: "a function",
};
/** The kind of a value, for messages. */
export const kindOf = (value: Value): string => KINDS[value.type] ?? value.type;

export function equal(a: Value, b: Value): boolean {
  if (isNumeric(a) && isNumeric(b)) return Number(a.value) === Number(b.value);
  if (a.type !== b.type) return false;
  if (isList(a) && isList(b)) {
    return a.value.length === b.value.length && a.value.every((each, i) => equal(each, b.value[i]!));
  }
  if (isMapping(a) && isMapping(b)) {
    const other = b.value;
    return a.value.size === other.size && [...a.value].every(([key, each]) => equal(each, other.get(key) ?? UNDEFINED));
  }
  return a.value === b.value;
}

/** As Python writes floating-point numbers. */
function float(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return Object.is(value, -0) ? "-0.0" : Number.isInteger(value) ? value.toFixed(1) : String(value);
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const hex = (character: string) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

function literal(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what Python escapes.
  const escaped = text.replace(/[\\\n\r\t]/g, (each) => ESCAPES[each]!).replace(/[\x00-\x1f\x7f-\xa0\xad]/g, hex);
  return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
}

/** As Python's repr. */
function written(value: Value): string {
  if (isText(value)) return literal(value.value);
  if (isMapping(value))
    return `{${[...value.value].map(([key, each]) => `${literal(key)}: ${written(each)}`).join(", ")}}`;
  if (!isList(value) || value.type === "RangeValue") return printed(value);
  const items = value.value.map(written).join(", ");
  if (value.type !== "TupleValue") return `[${items}]`;
  return value.value.length === 1 ? `(${items},)` : `(${items})`;
}

/** As Jinja prints a value. */
export function printed(value: Value): string {
  switch (value.type) {
    case "StringValue":
      return (value as Text).value;
    case "UndefinedValue":
      return "";
    case "NullValue":
      return "None";
    case "BooleanValue":
      return value.value === true ? "True" : "False";
    case "IntegerValue":
      return String(value.value);
    case "FloatValue":
      return float(value.value as number);
    case "ArrayValue":
    case "TupleValue":
    case "ObjectValue":
      return written(value);
    default:
      throw new TemplateRefused(`it prints ${kindOf(value)}`);
  }
}
