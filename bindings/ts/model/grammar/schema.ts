/**
 * A JSON schema as XGrammar keeps it. Version 0.1.27 ignores some keywords and is wrong about others: it lets the integer 128
 * pass for a maximum of 120, and a quotation mark for a pattern. A keyword that it would not keep is written in another way
 * here, or refused by its name.
 */
import type { Json } from "../files/read.js";
import { refuse } from "../refuse.js";

/** Keywords that say nothing about which values are valid. */
const ANNOTATIONS = [
  ...["$schema", "$id", "$comment", "title", "description", "default", "examples"],
  ...["deprecated", "readOnly", "writeOnly"],
];
const DEFINITIONS = ["$defs", "definitions"];

/** Keywords that each type may have beside `type`. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  number: [],
  boolean: [],
  null: [],
  array: ["items", "prefixItems", "minItems", "maxItems"],
  object: ["properties", "required", "additionalProperties"],
};
const TYPES = Object.keys(KEYWORDS);

/** Integers of a range, which become a list. */
const MOST_INTEGERS = 1024;
/** Characters of a string and items of an array: each makes the grammar larger. */
const LONGEST = 1024;
const DEEPEST = 64;

/** Characters that JSON writes as they are. */
const PLAIN = '[^\\x00-\\x1f"\\\\\\x7f]';

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(", ");
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function fits(value: unknown, type: string): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOf(value) === type;
}

class Reader {
  readonly #fn: string;
  readonly #root: unknown;

  constructor(fn: string, root: unknown) {
    this.#fn = fn;
    this.#root = root;
  }

  /** `at` is the schema's place in messages. */
  read(schema: unknown, at: string, depth = 0): unknown {
    if (schema === true) return {};
    if (!isObject(schema)) throw refuse.type(this.#fn, at, schema, "a JSON schema, an object");
    if (depth > DEEPEST)
      throw refuse.range(this.#fn, at, "deeper", `schemas within ${DEEPEST} others; \`$ref\` has no bound`);
    const { $ref, enum: values, anyOf } = schema;
    if ($ref !== undefined) return this.#reference($ref, schema, at);
    if ("const" in schema) return this.#values([schema.const], schema, "const", at);
    if (values !== undefined) return this.#values(values, schema, "enum", at);
    if (anyOf !== undefined) {
      this.#only(schema, ["anyOf"], at);
      if (!Array.isArray(anyOf) || anyOf.length === 0)
        throw refuse.type(this.#fn, `${at}.anyOf`, anyOf, "an array of at least one schema");
      return { anyOf: anyOf.map((each, i) => this.read(each, `${at}.anyOf[${i}]`, depth + 1)) };
    }
    return this.#typed(schema, at, depth);
  }

  #only(schema: Json, names: readonly string[], at: string): void {
    const own = at === "schema" ? DEFINITIONS : [];
    const unknown = Object.keys(schema).find(
      (name) => schema[name] !== undefined && ![...names, ...own, ...ANNOTATIONS].includes(name),
    );
    if (unknown === undefined) return;
    const besides = names.length === 1 ? ` beside \`${names[0]}\`` : "";
    const advice = unknown === "oneOf" ? "anyOf" : unknown === "format" ? "pattern" : undefined;
    const allowed = names.length < 2 ? "no other keyword" : names.join(", ");
    throw refuse.unsupported(
      this.#fn,
      `${at}.${unknown}`,
      schema[unknown],
      advice === undefined ? `${allowed}${besides}` : `\`${advice}\` instead`,
    );
  }

  #reference(ref: unknown, schema: Json, at: string): Json {
    this.#only(schema, ["$ref"], at);
    const [start, group, name, ...rest] = typeof ref === "string" ? ref.split("/") : [];
    const found = isObject(this.#root) ? this.#root[group ?? ""] : undefined;
    const isKnown = start === "#" && DEFINITIONS.includes(group ?? "") && rest.length === 0;
    if (ref === "#" || (isKnown && isObject(found) && Object.hasOwn(found, name ?? ""))) return { $ref: ref };
    throw refuse.range(this.#fn, `${at}.$ref`, ref, '"#" or "#/$defs/NAME" with a name that is there');
  }

  #values(values: unknown, schema: Json, keyword: string, at: string): Json {
    this.#only(schema, [keyword, "type"], at);
    if (!Array.isArray(values) || values.length === 0)
      throw refuse.type(this.#fn, `${at}.${keyword}`, values, "an array of at least one value");
    const types = schema.type === undefined ? undefined : this.#types(schema.type, at);
    const left = values.filter((value) => types === undefined || types.some((type) => fits(value, type)));
    if (left.length === 0)
      throw refuse.range(this.#fn, `${at}.${keyword}`, JSON.stringify(values), `a value of type ${quoted(types!)}`);
    return { enum: left };
  }

  #types(type: unknown, at: string): string[] {
    const types: unknown[] = Array.isArray(type) ? type : [type];
    const wrong = types.find((each) => !TYPES.includes(each as string));
    if (types.length === 0 || wrong !== undefined)
      throw refuse.range(this.#fn, `${at}.type`, wrong ?? type, quoted(TYPES));
    return types as string[];
  }

  /** The types that a schema without `type` speaks about. */
  #implied(schema: Json): string[] | undefined {
    return ["object", "array"]
      .filter((type) => KEYWORDS[type]!.some((name) => schema[name] !== undefined))
      .map((type) => [type])[0];
  }

  #typed(schema: Json, at: string, depth: number): unknown {
    const types = schema.type === undefined ? this.#implied(schema) : this.#types(schema.type, at);
    if (types === undefined) {
      this.#only(schema, ["type", "$ref", "enum", "const", "anyOf"], at);
      return {};
    }
    this.#only(schema, ["type", ...types.flatMap((type) => KEYWORDS[type]!)], at);
    const all = types.map((type) => this.#one(type, schema, at, depth));
    return all.length === 1 ? all[0] : { anyOf: all };
  }

  #one(type: string, schema: Json, at: string, depth: number): Json {
    if (type === "string") return this.#string(schema, at);
    if (type === "integer") return this.#integer(schema, at);
    if (type === "array") return this.#array(schema, at, depth);
    if (type === "object") return this.#object(schema, at, depth);
    return { type };
  }

  #size(schema: Json, name: string, at: string, unless: number): number {
    const size = schema[name] ?? unless;
    if (Number.isInteger(size) && (size as number) >= 0 && (size as number) <= LONGEST) return size as number;
    throw refuse.range(this.#fn, `${at}.${name}`, size, `a whole number from 0 to ${LONGEST}`);
  }

  #string(schema: Json, at: string): Json {
    const { pattern, minLength, maxLength } = schema;
    if (pattern !== undefined) {
      if (minLength !== undefined || maxLength !== undefined)
        throw refuse.unsupported(this.#fn, `${at}.pattern`, pattern, "`pattern` or lengths, not both");
      return { type: "string", pattern: plainPattern(this.#fn, pattern, `${at}.pattern`) };
    }
    if (minLength === undefined && maxLength === undefined) return { type: "string" };
    const least = this.#size(schema, "minLength", at, 0);
    const most = maxLength === undefined ? "" : this.#size(schema, "maxLength", at, 0);
    if (most !== "" && most < least)
      throw refuse.range(this.#fn, `${at}.maxLength`, most, `at least \`minLength\` = ${least}`);
    return most === 0 ? { enum: [""] } : { type: "string", pattern: `^${PLAIN}{${least},${most}}$` };
  }

  #integer(schema: Json, at: string): Json {
    const bound = (name: string): number | undefined => {
      const value = schema[name];
      if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
      throw refuse.type(this.#fn, `${at}.${name}`, value, "a number");
    };
    const [least, most, above, below] = KEYWORDS.integer!.map(bound);
    const low = Math.max(
      least === undefined ? Number.NEGATIVE_INFINITY : Math.ceil(least),
      above === undefined ? Number.NEGATIVE_INFINITY : Math.floor(above) + 1,
    );
    const high = Math.min(
      most === undefined ? Number.POSITIVE_INFINITY : Math.floor(most),
      below === undefined ? Number.POSITIVE_INFINITY : Math.ceil(below) - 1,
    );
    if (low === Number.NEGATIVE_INFINITY && high === Number.POSITIVE_INFINITY) return { type: "integer" };
    if ((low === 0 || low === 1) && high === Number.POSITIVE_INFINITY) return { type: "integer", minimum: low };
    if (low > high) throw refuse.range(this.#fn, `${at}.maximum`, high, `at least the minimum, ${low}`);
    if (!(high - low < MOST_INTEGERS) || !Number.isSafeInteger(low))
      throw refuse.unsupported(
        this.#fn,
        `${at}.${high === Number.POSITIVE_INFINITY ? "minimum" : "maximum"}`,
        high === Number.POSITIVE_INFINITY ? low : high,
        `ranges of up to ${MOST_INTEGERS} integers, or a minimum of 0 or 1 alone`,
      );
    return { enum: Array.from({ length: high - low + 1 }, (_, i) => low + i) };
  }

  #array(schema: Json, at: string, depth: number): Json {
    const { items, prefixItems = [], minItems, maxItems } = schema;
    if (!Array.isArray(prefixItems))
      throw refuse.type(this.#fn, `${at}.prefixItems`, prefixItems, "an array of schemas");
    const least = this.#size(schema, "minItems", at, 0);
    if (maxItems !== undefined && this.#size(schema, "maxItems", at, 0) < least)
      throw refuse.range(this.#fn, `${at}.maxItems`, maxItems, `at least \`minItems\` = ${least}`);
    return {
      type: "array",
      ...(prefixItems.length > 0 && {
        prefixItems: prefixItems.map((each, i) => this.read(each, `${at}.prefixItems[${i}]`, depth + 1)),
      }),
      ...(items !== undefined && { items: items === false ? false : this.read(items, `${at}.items`, depth + 1) }),
      ...(minItems !== undefined && { minItems }),
      ...(maxItems !== undefined && { maxItems }),
    };
  }

  #object(schema: Json, at: string, depth: number): Json {
    const { properties = {}, required = [], additionalProperties: others } = schema;
    if (!isObject(properties)) throw refuse.type(this.#fn, `${at}.properties`, properties, "an object of schemas");
    if (!Array.isArray(required)) throw refuse.type(this.#fn, `${at}.required`, required, "an array of names");
    const names = Object.keys(properties);
    for (const name of names)
      if (/["\\\p{Cc}]/u.test(name))
        throw refuse.unsupported(this.#fn, `${at}.properties`, name, "names that JSON writes as they are");
    const missing = required.find((name) => !names.includes(name as string));
    if (missing !== undefined) throw refuse.range(this.#fn, `${at}.required`, missing, "names of `properties`");
    if (names.length === 0 && others !== false)
      return {
        type: "object",
        ...(others !== undefined && {
          additionalProperties: this.read(others, `${at}.additionalProperties`, depth + 1),
        }),
      };
    // Another property might have the name of one that is here.
    if (others !== undefined && typeof others !== "boolean")
      throw refuse.unsupported(this.#fn, `${at}.additionalProperties`, others, "`properties` or these, not both");
    const read = names.map((name) => [name, this.read(properties[name], `${at}.properties.${name}`, depth + 1)]);
    return { type: "object", properties: Object.fromEntries(read), required, additionalProperties: false };
  }
}

/** A pattern whose texts JSON writes as they are: letters, digits, most marks, classes and groups of these. */
function plainPattern(fn: string, pattern: unknown, at: string): string {
  if (typeof pattern !== "string") throw refuse.type(fn, at, pattern, "a regular expression as a text");
  const plain = pattern.replace(/\\[dw]|\\[-.+*?()[\]{}|^$/]/g, "");
  if (/["\\\p{Cc}]|\[\^|(?<!\\)\.(?![^[]*\])/u.test(plain))
    throw refuse.unsupported(
      fn,
      at,
      pattern,
      'characters that JSON writes as they are, and classes of these: no ".", "[^", quotation marks or backslashes but those of \\d, \\w and marks',
    );
  return pattern;
}

/** @throws RangeError or TypeError that names the keyword. */
export function readSchema(fn: string, schema: unknown): string {
  const read = new Reader(fn, schema);
  const lowered = read.read(schema, "schema");
  const own = isObject(schema) ? DEFINITIONS.filter((name) => schema[name] !== undefined) : [];
  const definitions = own.map((group) => {
    const all = (schema as Json)[group];
    if (!isObject(all)) throw refuse.type(fn, `schema.${group}`, all, "an object of schemas");
    const each = Object.entries(all).map(([name, one]) => [name, read.read(one, `schema.${group}.${name}`)]);
    return [group, Object.fromEntries(each)];
  });
  return JSON.stringify({ ...(lowered as object), ...Object.fromEntries(definitions) });
}
