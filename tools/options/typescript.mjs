// The files that are made from the tables of options (cpp/src/options/).
import { readdirSync, readFileSync } from "node:fs";
import { nativeModule } from "../exports/native.mjs";
import { modelTypesPage } from "../facts/page.mjs";
import { familiesSection, ggufForms } from "../families/generated.mjs";

const camelCase = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
/** Puts the names that options have in JavaScript into a sentence of C++. */
function translatorOf({ frequencies, optimizer }) {
  const names = new Set([...frequencies.flatMap(({ options }) => options), ...optimizer].map(({ name }) => name));
  return (text) => text.replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (word) => (names.has(word) ? camelCase(word) : word));
}

const TYPES = {
  number: "number",
  count: "number",
  boolean: "boolean",
  numbers: "ArrayLike<number>",
  "number per head": "number | ArrayLike<number>",
};

/** "From 0 to 1.", "Above 0.", "At least 1." or nothing. */
function rangeOf({ type, least, above, most, below }) {
  if (type === "count" && most === Number.MAX_SAFE_INTEGER) return "A whole number from 0 to 2^53 - 1.";
  if (below !== undefined) return `From ${least}, below ${below}.`;
  if (most !== undefined) return above === undefined ? `From ${least} to ${most}.` : `Above ${above}, at most ${most}.`;
  if (above !== undefined) return `Above ${above}.`;
  return least === undefined ? "" : `At least ${least}.`;
}

/** The text of a docstring, in lines of at most `width` characters. */
function comment(text, indent, width = 120) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent.length + 3 + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  lines.push(line);
  if (lines.length === 1 && indent.length + 7 + lines[0].length <= width) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((each) => `${indent} * ${each}\n`).join("")}${indent} */\n`;
}

/** One member of an interface, with its docstring. */
function member(option, indent, translate, types = {}) {
  const quoted = typeof option.default === "string" ? `'${option.default}'` : option.default;
  const fallback = quoted ?? option.otherwise;
  const words = [
    translate(option.says),
    rangeOf(option),
    option.required || fallback === undefined ? "" : `Default${option.default === undefined ? ":" : ""} ${fallback}.`,
  ].filter(Boolean);
  const type = types[option.name] ?? TYPES[option.type];
  if (type === undefined) throw new Error(`${option.name}: no TypeScript type for ${option.type}`);
  const name = `${camelCase(option.name)}${option.required ? "" : "?"}`;
  const absent = option.required ? "" : " | undefined";
  return `${comment(words.join(" "), indent)}${indent}${name}: ${type}${absent};\n`;
}

const HEAD = "// Made by `npm run generate` from the tables of options in cpp/src. Do not edit.\n\n";
const HEAD_OF_NUMBERS = `// Made by \`npm run generate\` from tools/options/numbers.hpp. Do not edit.

/**
 * Numbers on which C++ and TypeScript agree. Enumerations: their names at the places of their values. Blocks of float64 values
 * (bindings/embind/blocks.hpp): the names of their members in order. The block of hot calls (call.hpp): places of its members in
 * words of 32 bits, and those of a member that has some itself from its own place on.
 */

`;
const HEAD_OF_FACTS = "// Made by `npm run generate` from cpp/src/rope_config/facts.inc. Do not edit.\n\n";

/** bindings/ts/rope/frequencies.ts */
function frequenciesModule(table) {
  const translate = translatorOf(table);
  const rules = table.frequencies.map(({ type, formula, says, source, options }) => {
    const words = [formula && `${translate(formula)}.`, translate(says), source && `Source: ${source}.`];
    return (
      `${comment(words.filter(Boolean).join(" "), "  ")}  | {\n      type: "${type}";\n` +
      `${options.map((option) => member(option, "      ", translate)).join("")}    }`
    );
  });
  return (
    `${HEAD}/** The frequencies theta_j, in radians per position, and the magnitude of cos and sin: one type per rule. */\n` +
    `export type Frequencies =\n${rules.join("\n")};\n`
  );
}

/** One parameter of a rule as a form needs it. */
const parameter = (translate) => (option) => {
  const kind = option.type === "boolean" ? "switch" : option.type === "numbers" ? "list" : "number";
  const first = option.example ?? (option.name === "base" ? option.default : undefined);
  const fallback = option.default === undefined ? option.otherwise : String(option.default);
  return {
    name: camelCase(option.name),
    label: option.label,
    says: translate(option.says),
    kind,
    ...(first !== undefined && { first }),
    ...(kind === "number" && first === undefined && { otherwise: fallback }),
  };
};

/** web/rope/rule-table.ts */
function ruleTableModule(table) {
  const translate = translatorOf(table);
  const rules = Object.fromEntries(
    table.frequencies.map(({ type, structure, label, says, options }) => [
      type,
      { label, says: translate(says), structure, parameters: options.map(parameter(translate)) },
    ]),
  );
  return (
    `${HEAD}import type { Frequencies } from "ropewalk";\nimport type { RuleKind } from "./rule-kind.js";\n\n` +
    "/** The rules of theta_j with their parameters in the order in which C++ declares them. */\n" +
    `export const rules: Readonly<Record<Frequencies["type"], RuleKind>> = ${JSON.stringify(rules, null, 2)};\n`
  );
}

const union = (names) => names.map((name) => `"${name}"`).join(" | ");

/** bindings/ts/train/options.ts */
function trainModule(table) {
  const translate = translatorOf(table);
  const described = (says, name, options, types) =>
    `\n${comment(translate(says), "")}export interface ${name} {\n` +
    `${options.map((option) => member(option, "  ", translate, types)).join("")}}\n`;
  const objective = table.trainer.find(({ name }) => name === "objective");
  const tasks = table.tasks.map(({ name, says, distance, least, most }) => {
    const range = distance === undefined ? "" : ` \`distance\` from ${least} to ${most}, default ${distance}.`;
    return ` * - ${name}: ${says}${range}\n`;
  });
  return (
    `${HEAD}import type { Pooling } from "../model/encoder-output.js";\n\n` +
    `${comment(translate(objective.says), "")}export type Objective = ${objective.type};\n` +
    described(table.optimizerSays, "OptimizerOptions", table.optimizer) +
    described(table.contrastiveSays, "ContrastiveOptions", table.contrastive, { pooling: "Pooling" }) +
    described("How a model is trained.", "TrainingOptions", table.trainer, {
      objective: "Objective",
      optimizer: "OptimizerOptions",
      contrastive: "ContrastiveOptions",
    }) +
    `\n/**\n * Small tasks that need word order. Every one is a masked language model's.\n *\n${tasks.join("")} */\n` +
    `export type TaskName = ${union(table.tasks.map(({ name }) => name))};\n` +
    described("A task and its settings.", "TaskOptions", table.task, { name: "TaskName" })
  );
}

/** bindings/ts/module/numbers.ts */
function numbersModule({ numbers }) {
  const spelled = { codes: (name) => name.replaceAll("_", "-"), outputs: camelCase };
  const constant = (name, value) => `export const ${name.toUpperCase()} = ${JSON.stringify(value)} as const;\n`;
  const constants = Object.entries(numbers).map(([name, value]) => {
    // Members of a block come as the text between its braces.
    if (typeof value === "string") return constant(name, value.split(", ").map(camelCase));
    if (Array.isArray(value)) return constant(name, value.map(spelled[name] ?? ((each) => each)));
    if (typeof value === "number") return constant(name, value);
    // A constant for each, since the build puts their values where they are used.
    return Object.entries(value)
      .map(([member, number]) => constant(`${name}_${member}`, number))
      .join("");
  });
  return HEAD_OF_NUMBERS + constants.join("");
}

/** The rows of the sheet of facts, after one with the version. */
export function factRows() {
  const sheet = readFileSync(new URL("../../cpp/src/rope_config/facts.inc", import.meta.url), "utf8");
  return sheet.split("\n").filter((line) => line.startsWith("{"));
}

/** cpp/src/rope_config/facts_of_families.inc: the rows of the types that models are read of. */
function factsOfFamilies() {
  const folder = new URL("../../cpp/src/model/families/", import.meta.url);
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
  const types = sources.flatMap((source) =>
    [...source.matchAll(/\b(?:model_type|family) = "([\w.-]+)"/g)].map(([, type]) => type),
  );
  const rows = factRows()
    .map((row) => JSON.parse(row))
    .filter(({ type }) => types.includes(type))
    .map(({ since, divides, numbers, nullRope, nullScaling, flat, ...row }) =>
      JSON.stringify({ ...row, ...(Array.isArray(flat) && { flat }) }),
    );
  return `${HEAD_OF_FACTS}R"facts(\n${rows.join("\n")}\n)facts"\n`;
}

/** The files, by their paths in the repository. */
export const generated = {
  "bindings/ts/model/gguf/forms.ts": ggufForms,
  "bindings/ts/module/native.ts": nativeModule,
  "bindings/ts/module/numbers.ts": numbersModule,
  "bindings/ts/rope/frequencies.ts": frequenciesModule,
  "bindings/ts/train/options.ts": trainModule,
  "cpp/src/rope_config/facts_of_families.inc": factsOfFamilies,
  "docs/model-types.md": () => modelTypesPage(factRows(), familiesSection()),
  "web/rope/rule-table.ts": ruleTableModule,
};
