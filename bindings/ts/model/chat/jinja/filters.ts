/** Filters and tests where the library does otherwise than Jinja; undefined means that the library does as Jinja does. */
import type { Budget } from "./budget.js";
import { TemplateRefused } from "./refused.js";
import { joinFilter, TEXT_FILTERS } from "./strings.js";
import {
  isFloat,
  isList,
  isMapping,
  isNumeric,
  isText,
  isUndefined,
  make,
  makeList,
  printed,
  type Value,
} from "./values.js";

function unique(budget: Budget, values: readonly Value[]): Value {
  budget.make(values.length);
  const seen = new Set<unknown>();
  // Upper and lower case count as the same, as Jinja has it.
  const keyOf = (value: Value) => (isText(value) ? `text ${value.value.toLowerCase()}` : value.value);
  return makeList(values.filter((value) => !seen.has(keyOf(value)) && seen.add(keyOf(value))));
}

/** Longest indent or separator of `tojson`. */
const WIDEST = 64;

function checkJson(budget: Budget, operand: Value, args: readonly Value[]): void {
  budget.walk(operand);
  const named = args.at(-1);
  if (named?.type === "KeywordArgumentsValue") {
    for (const [name, value] of named.value as Map<string, Value>) checkJsonOption(name, value);
  }
  const check = (value: Value): void => {
    if (isUndefined(value)) throw new TemplateRefused("tojson meets a value that is undefined");
    if (isFloat(value) && Number.isInteger(value.value)) throw new TemplateRefused("tojson of a whole float");
    const inner = isList(value) ? value.value : isMapping(value) ? [...value.value.values()] : [];
    for (const each of inner) check(each);
  };
  check(operand);
}

function checkJsonOption(name: string, value: Value): void {
  if (name === "sort_keys" && value.value === true) throw new TemplateRefused("tojson cannot sort keys");
  const sizes = isList(value) ? value.value : [value];
  for (const each of sizes) {
    const size = isText(each) ? each.value.length : Number(each.value);
    if (size > WIDEST) throw new TemplateRefused(`tojson has \`${name}\` above ${WIDEST}`);
  }
}

const WHOLE = /^\s*[+-]?\d+\s*$/;
const DECIMAL = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

function checkNumber(name: string, operand: Value): void {
  const readable = !isText(operand) || WHOLE.test(operand.value) || (name === "float" && DECIMAL.test(operand.value));
  if (!readable) throw new TemplateRefused(`\`${name}\` of a text that is no such number`);
}

function selected(name: string, args: readonly Value[]): void {
  const [attribute, test] = args;
  if (attribute !== undefined && isText(attribute) && attribute.value.includes("."))
    throw new TemplateRefused(`\`${name}\` by an attribute of an attribute`);
  if (test?.value === "undefined") throw new TemplateRefused(`\`${name}\` by what is undefined`);
}

/** The value that a filter makes, or undefined where the library makes it. `args` end with those that have names. */
export function filtered(budget: Budget, name: string, operand: Value, args: readonly Value[]): Value | undefined {
  if (isText(operand) && Object.hasOwn(TEXT_FILTERS, name)) return TEXT_FILTERS[name]!(budget, operand.value, args);
  switch (name) {
    case "string":
      budget.walk(operand);
      return make(printed(operand));
    case "list":
      return isList(operand) ? makeList(operand.value) : undefined;
    case "join":
      return joinFilter(budget, operand, args);
    case "count":
      if (isList(operand)) return make(operand.value.length);
      return isMapping(operand) ? make(operand.value.size) : undefined;
    case "first":
    case "last":
      return isList(operand) && operand.value.length === 0 ? make(undefined) : undefined;
    case "unique":
      return isList(operand) && args.length === 0 ? unique(budget, operand.value) : undefined;
    case "tojson":
      checkJson(budget, operand, args);
      return undefined;
    case "int":
      if (isFloat(operand)) return make(Math.trunc(operand.value as number));
      checkNumber(name, operand);
      return undefined;
    case "float":
      checkNumber(name, operand);
      return undefined;
    case "selectattr":
    case "rejectattr":
      selected(name, args);
      return undefined;
    default:
      return undefined;
  }
}

const cased = (value: Value, text: (each: string) => string): boolean =>
  isText(value) && value.value === text(value.value) && value.value.toLowerCase() !== value.value.toUpperCase();

const TESTS: Readonly<Record<string, (value: Value) => boolean>> = {
  iterable: (value) => isText(value) || isList(value) || isMapping(value) || isUndefined(value),
  number: isNumeric,
  lower: (value) => cased(value, (each) => each.toLowerCase()),
  upper: (value) => cased(value, (each) => each.toUpperCase()),
};

export function tested(name: string, operand: Value): boolean | undefined {
  return Object.hasOwn(TESTS, name) ? TESTS[name]!(operand) : undefined;
}
