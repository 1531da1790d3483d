/**
 * The interpreter of `@huggingface/jinja` with bounds, and with Python's values where it prints, compares or calculates
 * as JavaScript does. Anything that neither can do is refused by its name.
 */
import { Environment, Interpreter } from "@huggingface/jinja";
import type { Budget } from "./budget.js";
import { filtered, tested } from "./filters.js";
import { operate } from "./operators.js";
import { TemplateRefused } from "./refused.js";
import { characterAt, METHODS } from "./strings.js";
import {
  isCallable,
  isList,
  isMapping,
  isText,
  isUndefined,
  kindOf,
  type Mapping,
  make,
  makeFunction,
  printed,
  truth,
  UNDEFINED,
  type Value,
} from "./values.js";

/** A node of the library's tree. */
interface Node {
  readonly type: string;
  readonly value?: unknown;
}
interface Member extends Node {
  object: Node;
  property: Node;
  computed: boolean;
}
interface Binary extends Node {
  operator: { value: string; chained?: boolean };
  left: Node;
  right: Node;
}
interface Filter extends Node {
  operand: Node;
  filter: Node & { callee?: Node; args?: readonly Node[] };
}
interface Test extends Node {
  operand: Node;
  test: { value: string };
  negate: boolean;
}
interface Call extends Node {
  callee: Node;
}
interface Loop extends Node {
  loopvar: Node;
  iterable: Node & { lhs?: Node; test?: Node };
  body: readonly Node[];
  defaultBlock: readonly Node[];
}
/** A value that stands in the tree where an expression was, so that nothing is evaluated twice. */
const KNOWN = "Known";
const known = (value: Value): Node => ({ type: KNOWN, value });
/** A copy of a node with other members. */
const like = <T extends Node>(node: T, changed: Partial<T>): T => ({ ...node, ...changed });

/** A loop's `break` or `continue`, with the text that was written since its turn began. */
class Jump extends Error {
  text = "";
  constructor(readonly ends: boolean) {
    super(`\`${ends ? "break" : "continue"}\` stands outside of a loop`);
  }
}

/** Statements that print nothing, whatever they give. */
const SILENT = new Set(["Set", "Macro", "Comment"]);

/** Statements and expressions whose results are new, and as long as they like. */
const MAKERS = new Set(["BinaryExpression", "CallExpression", "FilterExpression", "MemberExpression", "Set", "For"]);

/** The library declares as private what it calls on `this`; its version is pinned, and tests hold what is replaced. */
interface Library {
  evaluate(node: Node | undefined, scope: Environment): Value;
  evaluateArguments(args: readonly Node[], scope: Environment): [Value[], Map<string, Value>];
}
const Base = Interpreter as unknown as new (scope: Environment) => Library;

const nameOf = (node: Node): string => {
  if (node.type === "Identifier") return String(node.value);
  if (node.type !== "MemberExpression") return "this expression";
  const { object, property, computed } = node as Member;
  return computed ? `${nameOf(object)}[...]` : `${nameOf(object)}.${String(property.value)}`;
};

/** A turn of a loop makes a scope and the dozen values of `loop`, which takes about as long as so many evaluations. */
const STEPS_OF_A_TURN = 10;

export class StrictInterpreter extends Base {
  readonly #budget: Budget;

  constructor(scope: Environment, budget: Budget) {
    super(scope);
    this.#budget = budget;
  }

  override evaluate(node: Node | undefined, scope: Environment): Value {
    if (node === undefined) return UNDEFINED;
    if (node.type === KNOWN) return node.value as Value;
    let value: Value;
    try {
      this.#budget.enter();
      value = this.#evaluate(node, scope) ?? UNDEFINED;
    } finally {
      this.#budget.leave();
    }
    if (MAKERS.has(node.type)) {
      if (isText(value) || isList(value)) this.#budget.make(value.value.length);
      else if (isMapping(value)) this.#budget.make(value.value.size);
    }
    return value;
  }

  #evaluate(node: Node, scope: Environment): Value {
    switch (node.type) {
      case "BinaryExpression":
        return this.#binary(node as Binary, scope);
      case "MemberExpression":
        return this.#member(node as Member, scope);
      case "FilterExpression":
        return this.#filter(node as Filter, scope);
      case "TestExpression":
        return this.#test(node as Test, scope);
      case "CallExpression":
        return this.#call(node as Call, scope);
      case "For":
        return this.#loop(node as Loop, scope);
      case "Break":
      case "Continue":
        throw new Jump(node.type === "Break");
      case "FilterStatement":
        throw new TemplateRefused("filters of whole blocks are not done");
      default:
        return super.evaluate(node, scope);
    }
  }

  /** Text of a block; the library calls it by this name. */
  evaluateBlock(statements: readonly Node[], scope: Environment): Value {
    let text = "";
    for (const statement of statements) {
      try {
        const value = this.evaluate(statement, scope);
        if (SILENT.has(statement.type)) continue;
        if (!isText(value)) this.#budget.walk(value);
        const more = printed(value);
        this.#budget.make(more.length);
        text += more;
      } catch (error) {
        if (error instanceof Jump) error.text = text + error.text;
        throw error;
      }
    }
    return make(text);
  }

  #binary(node: Binary, scope: Environment): Value {
    const { operator, left, right } = node;
    if (operator.chained === true) return this.#compared(node, scope).result;
    const first = this.evaluate(left, scope);
    if (operator.value === "and") return truth(first) ? this.evaluate(right, scope) : first;
    if (operator.value === "or") return truth(first) ? first : this.evaluate(right, scope);
    return operate(this.#budget, operator.value, first, this.evaluate(right, scope));
  }

  /** A chain of comparisons, with the value that the next one goes on from. */
  #compared({ operator, left, right }: Binary, scope: Environment): { result: Value; last: Value } {
    const before =
      operator.chained === true
        ? this.#compared(left as Binary, scope)
        : { result: undefined, last: this.evaluate(left, scope) };
    if (before.result !== undefined && !truth(before.result)) return { result: before.result, last: before.last };
    const last = this.evaluate(right, scope);
    return { result: operate(this.#budget, operator.value, before.last, last), last };
  }

  #member(node: Member, scope: Environment): Value {
    const object = this.evaluate(node.object, scope);
    if (isUndefined(object)) throw new TemplateRefused(`\`${nameOf(node.object)}\` is undefined`);
    const name = !node.computed && node.property.type === "Identifier" ? String(node.property.value) : undefined;
    const found = name === undefined ? undefined : this.#attribute(object, name);
    if (found !== undefined) return found;
    let { property } = node;
    if (isText(object) && (node.computed || property.type === "IntegerLiteral")) {
      if (property.type === "SliceExpression") this.#budget.make(object.value.length);
      else {
        const index = this.evaluate(property, scope);
        if (index.type === "IntegerValue") return characterAt(this.#budget, object.value, index.value as number);
        property = known(index);
      }
    }
    const value = super.evaluate(like(node, { object: known(object), property }), scope);
    const isLoop = node.object.type === "Identifier" && node.object.value === "loop";
    if (isLoop && isUndefined(value)) throw new TemplateRefused(`there is no \`${nameOf(node)}\``);
    return value;
  }

  /** Attributes that the library has otherwise; undefined: as it has them. */
  #attribute(object: Value, name: string): Value | undefined {
    if (isText(object) && Object.hasOwn(METHODS, name)) {
      return makeFunction((args) => METHODS[name]!(this.#budget, object.value, args));
    }
    if (name === "length" && (isText(object) || isList(object))) return UNDEFINED;
    // In Python a method comes before an entry of its name.
    return isMapping(object) && object.value.has(name) ? object.builtins.get(name) : undefined;
  }

  #filter(node: Filter, scope: Environment): Value {
    const operand = this.evaluate(node.operand, scope);
    const { filter } = node;
    const name = String((filter.callee ?? filter).value);
    const args = filter.args === undefined ? [] : this.#arguments(filter.args, scope);
    const value = filtered(this.#budget, name, operand, args);
    return value ?? super.evaluate(like(node, { operand: known(operand) }), scope);
  }

  /** By position, and those with names in the last place, as the library hands them to functions. */
  #arguments(args: readonly Node[], scope: Environment): Value[] {
    const [positional, named] = this.evaluateArguments(args, scope);
    if (named.size === 0) return positional;
    const last: Value = Object.assign(make({}), { type: "KeywordArgumentsValue", value: named });
    return [...positional, last];
  }

  #test(node: Test, scope: Environment): Value {
    const operand = this.evaluate(node.operand, scope);
    const result = tested(node.test.value, operand);
    if (result !== undefined) return make(result !== node.negate);
    return super.evaluate(like(node, { operand: known(operand) }), scope);
  }

  #call(node: Call, scope: Environment): Value {
    const callee = this.evaluate(node.callee, scope);
    if (!isCallable(callee)) throw new TemplateRefused(`there is no function \`${nameOf(node.callee)}\``);
    return super.evaluate(like(node, { callee: known(callee) }), scope);
  }

  #items(from: Value): Value[] {
    if (isList(from)) return from.value;
    if (isMapping(from)) return [...from.value.keys()].map(make);
    if (isText(from)) return Array.from(from.value, make);
    if (isUndefined(from)) return [];
    throw new TemplateRefused(`a loop over ${kindOf(from)}`);
  }

  #loop(node: Loop, scope: Environment): Value {
    const { iterable, loopvar } = node;
    const selects = iterable.type === "SelectExpression";
    const all = this.#items(this.evaluate(selects ? iterable.lhs : iterable, scope));
    const chosen = selects
      ? all.filter((item) => truth(this.evaluate(iterable.test, bound(loopvar, item, new Environment(scope)))))
      : all;
    if (chosen.length === 0) return this.evaluateBlock(node.defaultBlock, scope);
    let text = "";
    for (let i = 0; i < chosen.length; i++) {
      this.#budget.step(STEPS_OF_A_TURN);
      const inner = new Environment(scope);
      inner.setVariable("loop", loopAt(chosen, i) as never);
      try {
        text += printed(this.evaluateBlock(node.body, bound(loopvar, chosen[i]!, inner)));
      } catch (error) {
        if (!(error instanceof Jump)) throw error;
        text += error.text;
        if (error.ends) break;
      }
    }
    return make(text);
  }
}

/** The scope with the loop's variables in it. */
function bound(loopvar: Node, item: Value, scope: Environment): Environment {
  const set = (name: Node, value: Value) => {
    if (name.type !== "Identifier") throw new TemplateRefused("a loop whose variables lie within each other");
    scope.setVariable(String(name.value), value as never);
  };
  if (loopvar.type === "Identifier") set(loopvar, item);
  else {
    const names = loopvar.value as readonly Node[];
    if (!isList(item) || item.value.length !== names.length)
      throw new TemplateRefused(`a loop of ${names.length} variables over ${kindOf(item)} of another length`);
    for (const [i, name] of names.entries()) set(name, item.value[i]!);
  }
  return scope;
}

/** The variable `loop`. */
function loopAt(items: readonly Value[], i: number): Value {
  const { length } = items;
  const loop = make({
    index: i + 1,
    index0: i,
    revindex: length - i,
    revindex0: length - i - 1,
    first: i === 0,
    last: i === length - 1,
    length,
    depth: 1,
    depth0: 0,
  }) as Mapping;
  loop.value.set("previtem", items[i - 1] ?? UNDEFINED);
  loop.value.set("nextitem", items[i + 1] ?? UNDEFINED);
  loop.value.set(
    "cycle",
    makeFunction((args) => args[i % args.length] ?? UNDEFINED),
  );
  return loop;
}
