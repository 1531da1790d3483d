// The tables of a run.
import { digits, table, time } from "./markdown.mjs";

/** GB/s or GFLOP/s of a row, or nothing. */
export function rateOf(row, group) {
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
    `Commit ${machine.commit}, ${machine.date}; load ${machine.loadBefore} before and ${machine.loadAfter} after, niceness ${machine.niceness}.`,
  ].join("\n");
}

export const withUnit = (value, unit) => (unit === "ns" || unit === "ms" ? `${digits(value)} ${unit}` : digits(value));

export function contractTable(contracts) {
  const rows = contracts.map(({ host, case: title, what, target, unit, atLeast, value, low, high, best, verdict }) => {
    const goal = `${atLeast ? ">=" : "<="} ${withUnit(target, unit)}`;
    if (value === undefined) return [host, title, what, goal, "", "", "", verdict];
    const said = (each) => (each === null ? "" : withUnit(each, unit));
    return [host, title, what, goal, said(value), `${digits(low)} .. ${digits(high)}`, said(best), verdict];
  });
  const head = ["host", "case", "what", "target", "measured", "quartiles", "of the best samples", "verdict"];
  return table(head, rows, "lllrrrrl");
}

export function measurementTable(groups) {
  const rows = groups.flatMap((group) =>
    group.rows.map((row) =>
      row.error !== undefined
        ? [group.host, group.title, row.label, `failed: ${row.error}`, "", "", ""]
        : [
            group.host,
            group.title,
            row.label,
            time(row.median),
            `${time(row.q1)} .. ${time(row.q3)}`,
            `${time(row.min)} .. ${time(row.max)}`,
            rateOf(row, group),
          ],
    ),
  );
  return table(["host", "case", "what", "median", "quartiles", "min .. max", "rate"], rows, "lllrrrr");
}

export function verdictCounts(contracts) {
  const count = (verdict) => contracts.filter((each) => each.verdict === verdict).length;
  return `${count("met")} of ${contracts.length} rows met, ${count("within the spread")} within the spread, ${count("short")} short, ${count("not measured")} not measured`;
}

/** The text that the command prints. */
export function report({ machine, groups, contracts, failures }) {
  return [
    machineText(machine),
    "",
    measurementTable(groups),
    "",
    contracts.length > 0 ? contractTable(contracts) : "",
    "",
    ...failures.map(({ host, suite, why }) => `${suite} in ${host} failed: ${why}`),
    contracts.length > 0 ? `The contract: ${verdictCounts(contracts)}.` : "",
  ]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n");
}
