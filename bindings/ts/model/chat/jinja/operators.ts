/** Operators between two values, as Python has them. `and` and `or` are the interpreter's. */
import type { Budget } from "./budget.js";
import { TemplateRefused } from "./refused.js";
import {
  equal,
  isFloat,
  isList,
  isMapping,
  isNumeric,
  isText,
  isUndefined,
  kindOf,
  make,
  makeFloat,
  makeList,
  type Numeric,
  printed,
  type Value,
} from "./values.js";

const nothing = (operator: string, left: Value, right: Value): never => {
  throw new TemplateRefused(`there is no \`${operator}\` between ${kindOf(left)} and ${kindOf(right)}`);
};

function divided(operator: string, a: number, b: number): number {
  if (b === 0) throw new TemplateRefused("it divides by zero");
  if (operator === "/") return a / b;
  // Rounded towards minus infinity; the rest has the sign of the divisor.
  return operator === "//" ? Math.floor(a / b) : a - b * Math.floor(a / b);
}

function calculated(operator: string, a: number, b: number): number | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "**":
      return a ** b;
    case "/":
    case "//":
    case "%":
      return divided(operator, a, b);
    default:
      return undefined;
  }
}

function numbers(operator: string, left: Numeric, right: Numeric): Value | undefined {
  const [a, b] = [Number(left.value), Number(right.value)];
  const result = calculated(operator, a, b);
  if (result === undefined) return undefined;
  const floating = operator === "/" || isFloat(left) || isFloat(right) || (operator === "**" && b < 0);
  if (floating ? !Number.isFinite(result) : !Number.isSafeInteger(result)) {
    throw new TemplateRefused(`\`${operator}\` gives a number that is too large`);
  }
  return floating ? makeFloat(result) : make(result);
}

function ordered(operator: string, a: number | string, b: number | string): Value | undefined {
  switch (operator) {
    case "<":
      return make(a < b);
    case ">":
      return make(a > b);
    case "<=":
      return make(a <= b);
    case ">=":
      return make(a >= b);
    default:
      return undefined;
  }
}

function contains(whole: Value, part: Value): boolean | undefined {
  if (isUndefined(whole)) return false;
  if (isList(whole)) return whole.value.some((each) => equal(each, part));
  if (!isText(part)) return undefined;
  if (isText(whole)) return whole.value.includes(part.value);
  return isMapping(whole) ? whole.value.has(part.value) : undefined;
}

function repeated(budget: Budget, text: string, count: number): Value {
  budget.make(text.length * Math.max(0, count));
  return make(text.repeat(Math.max(0, count)));
}

function added(budget: Budget, operator: string, left: Value, right: Value): Value | undefined {
  if (operator === "~") {
    budget.walk(left);
    budget.walk(right);
    return make(printed(left) + printed(right));
  }
  if (operator === "+" && isText(left) && isText(right)) return make(left.value + right.value);
  if (operator === "+" && isList(left) && left.type === right.type && left.type !== "RangeValue") {
    return makeList([...left.value, ...(right.value as Value[])]);
  }
  if (operator !== "*") return undefined;
  if (isText(left) && right.type === "IntegerValue") return repeated(budget, left.value, right.value as number);
  if (isText(right) && left.type === "IntegerValue") return repeated(budget, right.value, left.value as number);
  return undefined;
}

export function operate(budget: Budget, operator: string, left: Value, right: Value): Value {
  switch (operator) {
    case "==":
    case "!=":
      budget.walk(left);
      budget.walk(right);
      return make(equal(left, right) === (operator === "=="));
    case "in":
    case "not in": {
      budget.walk(right);
      const found = contains(right, left);
      return found === undefined ? nothing(operator, left, right) : make(found === (operator === "in"));
    }
  }
  const result =
    isNumeric(left) && isNumeric(right)
      ? (numbers(operator, left, right) ?? ordered(operator, Number(left.value), Number(right.value)))
      : isText(left) && isText(right)
        ? ordered(operator, left.value, right.value)
        : undefined;
  return result ?? added(budget, operator, left, right) ?? nothing(operator, left, right);
}
