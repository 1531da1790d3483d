/** checkRope: how readers interpret a configuration, and what a table says beside it. */
import { numbersOf } from "../../module/arrays.js";
import type { Core } from "../../module/core.js";
import { failure, optionsObject, quoted, refusal } from "../../module/errors.js";
import type { NativeAnalysis } from "../../module/native.js";
import { configToJson } from "../../module/options.js";
import { differencesOf } from "./differences.js";
import { candidateFixes } from "./fix.js";
import { isObject, type Json, longestOf, type Model } from "./model.js";
import { READERS } from "./readers/index.js";
import { type Found, layerTypes, modelOf, readAll } from "./readings.js";
import type { CheckOptions, Reader, RopeReport, RopeSubject } from "./report.js";
import { MOST_ENTRIES } from "./rules.js";
import { judgeTable, type Table, type TableVerdict } from "./table/judge.js";
import { precisionOf } from "./table/precision.js";
import { tableOfRow } from "./table/row.js";
import { sentenceOf } from "./verdict.js";

const FN = "checkRope";
const STATUS = { 0: "agree", 3: "readers-disagree", 4: "table-differs", 5: "table-uninitialised" } as const;

function listOf(name: string, given: unknown): number[] {
  return Array.from(
    numbersOf(FN, name, given, (length) => {
      if (length >= 1 && length <= MOST_ENTRIES) return;
      throw failure("range", FN, `\`${name}\` has ${length} entries; allowed: 1 to ${MOST_ENTRIES}`, {
        argument: name,
      });
    }),
  );
}

function rowOf(given: RopeSubject["row"]) {
  const row = optionsObject(FN, "subject.row", given as object) as NonNullable<RopeSubject["row"]>;
  const { position } = row;
  const cos = listOf("subject.row.cos", row.cos);
  const sin = listOf("subject.row.sin", row.sin);
  if (cos.length !== sin.length) {
    throw failure(
      "range",
      FN,
      `\`subject.row.sin\` has ${sin.length} entries; allowed: ${cos.length}, as \`cos\` has`,
      { argument: "subject.row.sin" },
    );
  }
  if (typeof position !== "number") throw refusal("type", FN, "subject.row.position", position, "a number");
  if (!Number.isFinite(position) || position === 0) {
    throw refusal("range", FN, "subject.row.position", position, "a finite number other than 0");
  }
  return { cos, sin, position };
}

function readersOf(given: CheckOptions["readers"]): readonly Reader[] {
  if (given === undefined) return READERS;
  if (!Array.isArray(given)) throw refusal("type", FN, "readers", given, "an array of names");
  const allowed = READERS.map((each) => JSON.stringify(each)).join(", ");
  const unknown = given.find((each) => !READERS.includes(each));
  if (unknown !== undefined)
    throw failure("range", FN, `\`readers\` holds ${quoted(unknown)}; allowed: ${allowed}`, { argument: "readers" });
  if (given.length === 0)
    throw failure("range", FN, `\`readers\` is empty; allowed: one or more of ${allowed}`, { argument: "readers" });
  return READERS.filter((each) => given.includes(each));
}

function contextOf(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  if (typeof given !== "number") throw refusal("type", FN, "context", given, "a number of tokens");
  if (Number.isSafeInteger(given) && given >= 1) return given;
  throw refusal("range", FN, "context", given, "a whole number of tokens, at least 1");
}

function typesOf(model: Model, wanted: unknown): readonly (string | undefined)[] {
  const types = layerTypes(model);
  if (wanted === undefined) return types.length === 0 ? [undefined] : types;
  if (typeof wanted !== "string") throw refusal("type", FN, "layerType", wanted, "a type of layers");
  if (types.includes(wanted)) return [wanted];
  const listed = model.config.layer_types;
  if (types.length === 0 && Array.isArray(listed) && listed.includes(wanted)) return [undefined];
  const allowed = types.length === 0 ? "none, since all layers rotate alike" : types.join(" or ");
  throw refusal("range", FN, "layerType", wanted, allowed);
}

/** The fix keeps the reading of the first of these that has one: the strictest. */
const TRUSTED: readonly Reader[] = ["ropewalk", "remote-gte", "remote-nomic", "transformers-5", "llama.cpp"];

/** The first spelling that all readers of the configuration take for the rotation of the most trusted one. */
function fixOf(
  core: Core<NativeAnalysis>,
  config: Json,
  model: Model,
  types: readonly (string | undefined)[],
  found: readonly Found[],
): object | undefined {
  if (model.gguf || config !== model.config) return undefined;
  const readers = READERS.filter((each) => found.some(({ reading }) => reading.reader === each));
  const trusted = readAll(core, config, model, types, TRUSTED).found;
  const best = TRUSTED.find((each) => trusted.some(({ reading }) => reading.reader === each));
  const wanted = trusted.filter(({ reading }) => reading.reader === best).map(({ reading }) => reading);
  if (wanted.length !== types.length) return undefined;
  for (const candidate of candidateFixes(config, wanted[0]!.base, longestOf(config))) {
    const read = readAll(core, candidate as Json, { ...model, config: candidate as Json }, types, readers);
    if (read.refusals.length > 0 || read.found.length !== readers.length * types.length) continue;
    const readings = read.found.map(({ reading }) => reading);
    if (differencesOf([...wanted, ...readings], model.context).length === 0) return candidate;
  }
  return undefined;
}

/** Compares how readers interpret a configuration, a table of frequencies or a row of cos and sin. */
export function checkRope(core: Core<NativeAnalysis>, subject: RopeSubject, options: CheckOptions): RopeReport {
  const { config, inverseFrequencies, row } = optionsObject(FN, "subject", subject);
  const { readers, context, layerType } = optionsObject(FN, "options", options);
  const names = readersOf(readers);
  const tokens = contextOf(context);
  if (config === undefined && inverseFrequencies === undefined && row === undefined) {
    throw failure("type", FN, `\`subject\` is empty; allowed: config, inverseFrequencies or row, or several of them`, {
      argument: "subject",
    });
  }
  if (config !== undefined && !isObject(config)) {
    throw refusal("type", FN, "subject.config", config, "config.json, parsed");
  }
  const theta = inverseFrequencies === undefined ? undefined : listOf("subject.inverseFrequencies", inverseFrequencies);
  const cosSin = row === undefined ? undefined : rowOf(row);
  let found: Found[] = [];
  let refusals: RopeReport["refusals"] = [];
  let model: Model | undefined;
  let fix: object | undefined;
  if (config !== undefined) {
    const json = JSON.parse(configToJson(FN, config)) as Json;
    model = modelOf(json, tokens);
    const types = typesOf(model, layerType);
    ({ found, refusals } = readAll(core, json, model, types, names));
    fix = found.length === 0 ? undefined : fixOf(core, json, model, types, found);
  }
  const readings = found.map(({ reading }) => reading);
  const differences = differencesOf(readings, model?.context ?? tokens ?? 8192);
  const tables: Table[] = [];
  if (theta !== undefined) tables.push({ theta, precision: precisionOf(theta) });
  if (cosSin !== undefined)
    tables.push(
      tableOfRow(
        cosSin,
        readings.map(({ frequencies }) => frequencies),
      ),
    );
  const verdicts = tables.map((table) => judgeTable(table, found));
  const worst = verdicts.reduce<TableVerdict | undefined>(
    (a, b) => (a === undefined || b.code > a.code ? b : a),
    undefined,
  );
  const disagree = differences.length > 0 ? 3 : 0;
  const code = worst !== undefined && worst.code > 0 ? worst.code : disagree;
  return {
    code,
    status: STATUS[code],
    verdict: sentenceOf({ readings, refusals, differences, table: worst, context: model?.context }),
    readings,
    refusals,
    differences,
    ...(worst?.table === undefined ? {} : { table: worst.table }),
    ...(fix === undefined ? {} : { fix }),
  };
}
