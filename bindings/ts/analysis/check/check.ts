/** checkRope: how readers interpret a configuration, and what a table says beside it. */
import { numbersOf } from "../../module/arrays.js";
import type { Core } from "../../module/core.js";
import { failure, hint, optionsObject, quoted, refusal } from "../../module/errors.js";
import type { NativeAnalysis } from "../../module/native.js";
import { configToJson } from "../../module/options.js";
import type { DType } from "../../module/tensor.js";
import { limitsOf, typeOf } from "../limits.js";
import { differencesOf } from "./differences.js";
import { candidateFixes } from "./fix.js";
import { madeWith } from "./made-with.js";
import { isObject, type Json, longestOf, type Model } from "./model.js";
import { outliersOf } from "./outliers.js";
import { fromParams } from "./params.js";
import { problemsOf } from "./problems.js";
import { LIBRARIES, READERS } from "./readers/index.js";
import { type Found, layerTypes, modelOf, readAll } from "./readings.js";
import type { CheckOptions, Reader, RopeDifference, RopeReading, RopeReport, RopeSubject } from "./report.js";
import { MOST_ENTRIES } from "./rules.js";
import { positionsInsteadOf } from "./still.js";
import { judgeTable, type Table, type TableVerdict } from "./table/judge.js";
import { precisionOf } from "./table/precision.js";
import { tableOfRow } from "./table/row.js";
import { sentenceOf } from "./verdict.js";

const FN = "checkRope";
const STATUS = {
  0: "agree",
  3: "readers-disagree",
  4: "table-differs",
  5: "table-uninitialised",
  6: "refused",
} as const;

/** Other names under which people give a member, by what it is called here. */
const MEANT: Readonly<Record<string, string>> = {
  inv_freq: "inverseFrequencies",
  invFreq: "inverseFrequencies",
};

/** A member that nobody reads would be passed over, and the verdict be about something else. */
function refuseOthers(argument: string, given: object, names: readonly string[]): void {
  const other = Object.keys(given).find((name) => !names.includes(name));
  if (other === undefined) return;
  const ours = Object.hasOwn(MEANT, other) ? MEANT[other]! : "";
  const rest = hint(other, names, names.includes(ours) ? ours : undefined);
  throw failure("type", FN, `\`${argument}\` has an unknown member \`${other}\`${rest}`, { argument: other });
}

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
  if (given === undefined) return LIBRARIES;
  if (!Array.isArray(given)) throw refusal("type", FN, "readers", given, "an array of names");
  const unknown = given.find((each) => !READERS.includes(each));
  if (unknown !== undefined)
    throw failure("range", FN, `\`readers\` holds ${quoted(unknown)}${hint(String(unknown), READERS)}`, {
      argument: "readers",
    });
  if (given.length === 0)
    throw failure("range", FN, `\`readers\` is empty; allowed: one or more of ${READERS.join(", ")}`, {
      argument: "readers",
    });
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
  // The strict reader has to take it as well: what it refuses is no fix.
  const readers = READERS.filter((each) => each === "ropewalk" || found.some(({ reading }) => reading.reader === each));
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

function noRotation(modelType: string, positions: string): RopeReport {
  const verdict = `Nothing rotates: ${modelType} has ${positions}, so that its configuration has no rope to compare.`;
  return {
    code: 0,
    status: "no-rotation",
    verdict,
    readings: [],
    refusals: [],
    differences: [],
    outliers: [],
    problems: [],
  };
}

const CHOOSE_ONCE: readonly Reader[] = ["vllm", "mlx-lm", "llama.cpp"];

/** Every table that the readers make of the file: of each type of layers, and on both sides of the original length. */
function tablesOf(
  core: Core<NativeAnalysis>,
  json: Json,
  model: Model,
  types: readonly (string | undefined)[],
  found: readonly Found[],
): Found[] {
  const originals = found
    .map(({ options }) => Number(options.original_max_position_embeddings))
    .filter(Number.isFinite);
  const inLayers = ({ reading }: Found) => (types.length < 2 ? "" : ` in its ${reading.layerType} layers`);
  const named = (list: readonly Found[], when: string) =>
    list.map((each) => ({ ...each, whose: inLayers(each) + (each.reading.rule === "longrope" ? when : "") }));
  const [original] = originals;
  if (original === undefined) return named(found, "");
  const readers = READERS.filter((each) => found.some(({ reading }) => reading.reader === each));
  const at = (context: number) => readAll(core, json, { ...model, context }, types, readers).found;
  return [
    ...named(at(Math.max(model.context, original + 1)), `, for texts longer than ${original} tokens (long_factor)`),
    ...named(at(original), `, for texts of up to ${original} tokens (short_factor)`),
  ];
}

/** LongRoPE has other factors for short texts, and some readers do not: differences that the whole context does not show. */
function differencesOfShortTexts(
  core: Core<NativeAnalysis>,
  json: Json,
  model: Model,
  types: readonly (string | undefined)[],
  found: readonly Found[],
): RopeDifference[] {
  const original = found.map(({ options }) => options.original_max_position_embeddings).find(Number.isFinite);
  if (typeof original !== "number" || original >= model.context) return [];
  // These choose the factors once, by the context that they are started with.
  const once = found.filter(({ reading }) => CHOOSE_ONCE.includes(reading.reader));
  const readers = READERS.filter((each) => found.some((one) => !once.includes(one) && one.reading.reader === each));
  const short = readAll(core, json, { ...model, context: original }, types, readers).found;
  const when = `texts of up to ${original} tokens`;
  const readings = [...short, ...once].map(({ reading }) => reading);
  return differencesOf(readings, original).map((each) => ({ ...each, when }));
}

/** Limits of each type of layers, as the most trusted reader has it; without any, of the table. */
function limitsOfReadings(
  readings: readonly RopeReading[],
  table: readonly number[] | undefined,
  context: number,
  type: DType,
) {
  const types = new Set(readings.map(({ layerType }) => layerType));
  if (types.size === 0) return table ? [limitsOf(table, context, type)] : [];
  return Array.from(types, (layerType) => {
    const own = readings.filter((each) => each.layerType === layerType);
    const best = TRUSTED.map((name) => own.find(({ reader }) => reader === name)).find(Boolean) ?? own[0]!;
    return { ...(layerType && { layerType }), ...limitsOf(best.frequencies, context, type) };
  });
}

/** Compares how readers interpret a configuration, a table of frequencies or a row of cos and sin. */
export function checkRope(core: Core<NativeAnalysis>, subject: RopeSubject, options: CheckOptions): RopeReport {
  const { config, inverseFrequencies, row } = optionsObject(FN, "subject", subject);
  const { readers, context, layerType, type: given } = optionsObject(FN, "options", options);
  refuseOthers("subject", subject, ["config", "inverseFrequencies", "row"]);
  refuseOthers("options", options, ["readers", "context", "layerType", "type"]);
  const type = typeOf(FN, given);
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
  let refused = false;
  let ofShortTexts: RopeDifference[] = [];
  let candidates: Found[] = [];
  let json: Json = {};
  if (config !== undefined) {
    json = fromParams(JSON.parse(configToJson(FN, config)) as Json);
    model = modelOf(core, json, tokens);
    const still = positionsInsteadOf(model);
    if (still !== undefined && theta === undefined && cosSin === undefined) return noRotation(model.modelType, still);
    const types = typesOf(model, layerType);
    const read = readAll(core, json, model, types, names);
    ({ found, refusals } = read);
    const count = (each: readonly { reader: Reader }[]) => new Set(each.map(({ reader }) => reader)).size;
    refused = count(refusals) > count(found.map(({ reading }) => reading)) || found.length === 0;
    if (readers !== undefined || found.length === 0) refusals.push(...read.absences);
    if (theta !== undefined) candidates = tablesOf(core, json, model, types, found);
    if (tokens === undefined) ofShortTexts = differencesOfShortTexts(core, json, model, types, found);
    fix = refused ? undefined : found.length === 0 ? undefined : fixOf(core, json, model, types, found);
  }
  const readings = found.map(({ reading }) => reading);
  const whole = differencesOf(readings, model?.context ?? tokens ?? 8192);
  const differences = whole.length > 0 ? whole : ofShortTexts;
  const tables: Table[] = [];
  if (theta !== undefined) tables.push({ theta, precision: precisionOf(theta) });
  if (cosSin !== undefined)
    tables.push(
      tableOfRow(
        cosSin,
        readings.map(({ frequencies }) => frequencies),
      ),
    );
  const verdicts = tables.map((table) => judgeTable(table, candidates.length > 0 ? candidates : found));
  const worst = verdicts.reduce<TableVerdict | undefined>(
    (a, b) => (a === undefined || b.code > a.code ? b : a),
    undefined,
  );
  // A table that follows one of the readings is what was asked for: that others differ is said, and no fault of it.
  const disagree = differences.length > 0 && worst === undefined ? 3 : 0;
  const outliers = model === undefined ? [] : outliersOf(model, readings, differences);
  const problems = model === undefined ? [] : problemsOf(model);
  if (model && worst?.code === 4 && worst.nearest && worst.table) {
    const made = madeWith(core, json, model, tables[verdicts.indexOf(worst)]!, worst.table, worst.nearest);
    if (made) problems.unshift(...made);
    fix = undefined;
  }
  const length = model && { tokens: model.context, from: model.contextFrom };
  const code = refused ? 6 : worst !== undefined && worst.code > 0 ? worst.code : disagree;
  return {
    code,
    status: STATUS[code],
    verdict: sentenceOf({ refused, readings, refusals, outliers, problems, table: worst, length }),
    readings,
    refusals,
    differences,
    outliers,
    problems,
    ...(length === undefined ? {} : { length }),
    ...(worst?.table === undefined ? {} : { table: worst.table }),
    ...(type && { limits: limitsOfReadings(readings, theta, model?.context ?? tokens ?? 8192, type) }),
    ...(fix === undefined ? {} : { fix }),
  };
}
