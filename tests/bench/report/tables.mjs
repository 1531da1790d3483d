// The tables of a run.
import { digits, table, time } from "../../../tools/markdown.mjs";
import { runsOf } from "./runs.mjs";

/** The row of that key, if it was measured. */
export const timed = (group, key) => group?.rows.find((row) => row.key === key && row.error === undefined);

/** GB/s or GFLOP/s of a row, or nothing. */
function rateOf(row, group) {
  const amount = row.amount ?? group.work?.amount;
  if (!group.work || !amount || row.error !== undefined || row.median <= 0) return "";
  return `${digits(amount / row.median / 1e6)} ${group.work.unit}`;
}

/** A line while the bench runs: ropewalk's own row first, then the others. */
export function groupLine(group) {
  const said = group.rows.map((row) => `${row.key} ${row.error === undefined ? time(row.median) : `(${row.error})`}`);
  return `   ${group.title}: ${said.join(", ")}`;
}

export function machineText(machine) {
  const { peers } = machine;
  return [
    `${machine.processor}, ${machine.cores} cores, ${machine.caches.join(", ")}, ${machine.memoryGB} GB, ${machine.system}.`,
    `Node ${machine.node} (V8 ${machine.v8})${machine.chromium ? `, Chromium ${machine.chromium}` : ""}, Emscripten ${machine.emscripten}, ${machine.compiler}${machine.clang ? `, clang ${machine.clang}` : ""}.`,
    `${Object.entries(peers)
      .map(([name, version]) => `${name} ${version}`)
      .join(", ")}; one thread each.`,
  ].join("\n");
}

/** The commit and date of a run, and how busy the machine was. */
const runText = ({ commit, date, loadBefore, loadAfter, niceness }) =>
  `Commit ${commit}, ${date}; load ${loadBefore} before and ${loadAfter} after, niceness ${niceness}.`;

/** When each suite was measured, by which command, at which commit, and how busy the machine was. */
export function runTable({ machine, command, took, groups }) {
  const whole = groups.every(({ run }) => run)
    ? []
    : [{ machine, command, took, cases: runsOf(groups).length > 0 ? ["all others"] : ["all"] }];
  const rows = [...whole, ...runsOf(groups)].map((run) => [
    run.cases.join(", "),
    run.machine.commit,
    run.machine.date,
    `${run.machine.loadBefore} / ${run.machine.loadAfter}`,
    `\`${run.command}\``,
    `${Math.round(run.took / 1000)} s`,
  ]);
  return table(["suites", "commit", "date", "load before / after", "command", "took"], rows, "lllrlr");
}

export const withUnit = (value, unit) => (unit === "ns" || unit === "ms" ? `${digits(value)} ${unit}` : digits(value));

export const goalText = ({ target, unit, atLeast }) =>
  target === null ? "" : `${atLeast ? ">=" : "<="} ${withUnit(target, unit)}`;

export function contractTable(contracts) {
  const rows = contracts.map(
    ({ host, case: title, what, target, unit, atLeast, value, low, high, best, verdict, why }) => {
      const goal = goalText({ target, unit, atLeast });
      if (value === undefined) return [host, title, what, goal, "", "", "", why ? `${verdict}: ${why}` : verdict];
      const said = (each) => (each === null ? "" : withUnit(each, unit));
      return [host, title, what, goal, said(value), `${digits(low)} .. ${digits(high)}`, said(best), verdict];
    },
  );
  const head = ["host", "case", "what", "target", "measured", "quartiles", "of the best samples", "verdict"];
  return table(head, rows, "lllrrrrl");
}

/** Groups that rotate what the suite "rotation" times already: their rows are shares of their first. */
const isShare = ({ suite, key }) => suite === "call" && key !== "call";

function measuredCells(row, group) {
  if (row.error !== undefined) return [`failed: ${row.error}`, "", "", ""];
  if (row.q1 <= 0) return ["within the noise", "", "", ""];
  if (isShare(group)) return [`${digits(row.median / group.rows[0].median)} of the first row`, "", "", ""];
  return [
    time(row.median),
    `${time(row.q1)} .. ${time(row.q3)}`,
    `${time(row.min)} .. ${time(row.max)}`,
    rateOf(row, group),
  ];
}

export function measurementTable(groups) {
  const rows = groups.flatMap((group) =>
    group.rows.map((row) => [group.host, group.title, row.label, ...measuredCells(row, group)]),
  );
  return table(["host", "case", "what", "median", "quartiles", "min .. max", "rate"], rows, "lllrrrr");
}

export function verdictCounts(contracts) {
  const count = (verdict) => contracts.filter((each) => each.verdict === verdict).length;
  return `Of ${contracts.length} comparisons ${count("met")} are met, ${count("within the spread")} lie within the spread, ${count("short")} fall short, ${count("not measured")} could not be measured, and ${count("no target")} have no target`;
}

/** The text that the command prints. */
export function report({ machine, groups, contracts, failures }) {
  return [
    machineText(machine),
    runText(machine),
    "",
    measurementTable(groups),
    "",
    contracts.length > 0 ? contractTable(contracts) : "",
    "",
    ...failures.map(({ host, suite, why }) => `${suite} in ${host} failed: ${why}`),
    contracts.length > 0 ? `The contract. ${verdictCounts(contracts)}.` : "",
  ]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n");
}
