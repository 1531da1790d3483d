// docs/performance.md, from the results of a whole run, of later runs of some suites, and the notes that were written by
// hand.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SetUpError, say } from "../../../tools/setup/progress.mjs";
import { contractRows } from "./contracts.mjs";
import { decodersSection } from "./decoders.mjs";
import { digits, table } from "./markdown.mjs";
import { modelsSection } from "./models.mjs";
import { feltRows, feltTable, overviewPicture } from "./overview.mjs";
import { merged, mergedContracts, runsOf } from "./runs.mjs";
import { contractTable, machineText, measurementTable, verdictCounts } from "./tables.mjs";

const FOLDER = "docs/performance";

/**
 * The first note whose key fits: keys are those of contract rows, `<contract>/<host>/<case>`, with `*` for any text.
 */
export function noteFor(notes, key) {
  for (const [pattern, note] of Object.entries(notes)) {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    if (new RegExp(`^${parts.join(".*")}$`).test(key)) return { pattern, note };
  }
  return null;
}

/** Rows that fall short, under the note that explains them; those without one are said to have none. */
function shortfalls(contracts, notes) {
  const short = contracts.filter(({ verdict }) => verdict !== "met");
  if (short.length === 0) return ["Every row is met."];
  const groups = new Map();
  for (const row of short) {
    const found = noteFor(notes, row.key);
    const pattern = found?.pattern ?? "";
    if (!groups.has(pattern)) groups.set(pattern, { note: found?.note ?? "Not yet explained.", rows: [] });
    groups.get(pattern).rows.push(row);
  }
  return [...groups.values()].flatMap(({ note, rows }) => [
    ...rows.map(({ host, case: title, what, target, value, unit, verdict }) => {
      const said = value === undefined ? "" : ` ${digits(value)}${unit ? ` ${unit}` : ""} for ${target}`;
      return `- **${host}, ${title}**, ${what}:${said} (${verdict})`;
    }),
    "",
    note,
    "",
  ]);
}

const runText = (command, took) => `\`${command}\`, ${Math.round(took / 1000)} s.`;

export function documentText(results, notes) {
  const { machine, groups, contracts, failures, command, took, sizes } = results;
  const sizeRows = sizes.loads.map(({ name, files, raw, gzipped, limit }) => [
    name,
    files.join(" + "),
    raw,
    gzipped,
    limit,
  ]);
  return `${[
    "# Performance",
    "",
    "Measured, not promised: this page is written by `npm run bench -- --document`, from",
    "[results.json](performance/results.json) and the notes in [notes.json](performance/notes.json).",
    "",
    "## What you feel",
    "",
    "![Ropewalk beside what one would use instead: a bar for each row of the table below](performance/overview.svg)",
    "",
    "A bar reaches from 1, as fast as the other, to the median; the line over it spans the quartiles, and the mark is the",
    "target. Bars in the second colour fall short of it.",
    "",
    feltTable(feltRows(contracts)),
    "",
    "## How it was measured",
    "",
    // Nothing may be left of the whole run.
    ...(groups.every(({ run }) => run) ? [] : [machineText(machine), runText(command, took), ""]),
    ...runsOf(groups).flatMap((run) => [
      `Measured by themselves: ${run.cases.join(", ")}.`,
      machineText(run.machine),
      runText(run.command, run.took),
      "",
    ]),
    "Every result is checked before it is timed: against float64, those of models against the package's own float32.",
    'Samples of all that is compared are taken in turn, in one process; a figure is the median. "op alone" is nine chained',
    "nodes less one, divided by eight: without the call and its copies. A ratio's quartiles set the lower quartile of one",
    "against the upper of the other. GB/s counts each number once as read and once as written, whatever really moves.",
    "",
    "## What falls short, and why",
    "",
    ...shortfalls(contracts, notes),
    ...failures.map(({ host, suite, why }) => `${suite} in ${host} failed: ${why}`),
    ...modelsSection(groups),
    ...decodersSection(groups),
    "## Sizes",
    "",
    "Bytes of what is loaded together, raw and gzipped; `tests/package/sizes.test.ts` holds them to the budget.",
    "",
    table(["what", "files", "raw", "gzipped", "budget, gzipped"], sizeRows, "llrrr"),
    "",
    table(
      ["file", "raw", "gzipped"],
      sizes.files.map(({ file, raw, gzipped }) => [file, raw, gzipped]),
      "lrr",
    ),
    "",
    "## The whole contract",
    "",
    `${verdictCounts(contracts)}.`,
    "",
    contractTable(contracts),
    "",
    "## All figures",
    "",
    measurementTable(groups),
  ]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")}\n`;
}

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** Writes the document of a whole run, which replaces all that was recorded. */
export async function writeDocument(root, results) {
  const { measure, measureFiles } = await import("../../../tools/package/sizes.mjs");
  const folder = join(root, FOLDER);
  mkdirSync(folder, { recursive: true });
  const whole = { ...results, sizes: { loads: measure(root), files: measureFiles(root) } };
  writeFileSync(join(folder, "results.json"), `${JSON.stringify(whole, rounded)}\n`);
  redocument(root);
}

/** Writes the document of some suites: their groups and rows of the contract replace those recorded. */
export async function addToDocument(root, results) {
  const recorded = readResults(root);
  const all = merged(recorded, results);
  const contracts = mergedContracts(recorded.contracts, contractRows(results.groups), contractRows(all.groups));
  await writeDocument(root, { ...all, contracts });
}

/** The recorded results; throws if there are none yet. */
export function readResults(root) {
  const file = join(root, FOLDER, "results.json");
  if (!existsSync(file)) throw new SetUpError(`there is no ${FOLDER}/results.json: a whole run with --document first`);
  return readJson(file);
}

/** Five digits: more would be noise, and every run a larger difference. */
function rounded(_key, value) {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}

/** docs/performance.md again, from what is there: the contract is that of today, held against the recorded figures. */
export function redocument(root) {
  const recorded = readResults(root);
  const today = { ...recorded, contracts: contractRows(recorded.groups) };
  writeFileSync(join(root, FOLDER, "results.json"), `${JSON.stringify(today, rounded)}\n`);
  const results = readResults(root);
  const text = documentText(results, readJson(join(root, FOLDER, "notes.json")));
  writeFileSync(join(root, FOLDER, "overview.svg"), overviewPicture(feltRows(results.contracts)));
  writeFileSync(join(root, "docs/performance.md"), text);
  say("Written: docs/performance.md");
}
