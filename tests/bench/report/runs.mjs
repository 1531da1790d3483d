// Results of several runs in one file: a group that is not of the whole run carries its own { machine, command, took },
// the machine with commit and date.

/** Native code is measured by a process of Node. */
const placeOf = (host) => (host === "chromium" ? "Chromium" : "Node");
/** "models in Node", of a group or a failure. */
export const suiteOf = ({ host, suite }) => `${suite} in ${placeOf(host)}`;
const keyOf = ({ suite, host, key }) => `${suite}/${host}/${key}`;

/** The recorded results with the groups of a later run in place of the same ones, or behind them. */
export function merged(recorded, { machine, command, took, groups, failures }) {
  const run = { machine, command, took };
  const later = new Map(groups.map((group) => [keyOf(group), { ...group, run }]));
  const kept = recorded.groups.map((group) => later.get(keyOf(group)) ?? group);
  const known = new Set(recorded.groups.map(keyOf));
  const added = [...later.values()].filter((group) => !known.has(keyOf(group)));
  const measured = new Set([...groups, ...failures].map(suiteOf));
  return {
    ...recorded,
    groups: [...kept, ...added],
    failures: [...recorded.failures.filter((each) => !measured.has(suiteOf(each))), ...failures],
  };
}

/**
 * `all` rows of the contract; those that are neither `fresh` nor have another target than before are as they were
 * recorded, since recorded figures are rounded.
 */
export function mergedContracts(recorded, fresh, all) {
  const measured = new Set(fresh.map(({ key }) => key));
  const known = new Map(recorded.map((row) => [row.key, row]));
  return all.map((row) => {
    const before = known.get(row.key);
    return measured.has(row.key) || before?.target !== row.target ? row : before;
  });
}

/** The later runs that groups are of: [{ machine, command, took, cases }], cases like "models in node". */
export function runsOf(groups) {
  const runs = new Map();
  for (const group of groups) {
    const { run } = group;
    if (run === undefined) continue;
    const id = JSON.stringify(run);
    if (!runs.has(id)) runs.set(id, { ...run, cases: new Set() });
    runs.get(id).cases.add(suiteOf(group));
  }
  return [...runs.values()].map((run) => ({ ...run, cases: [...run.cases] }));
}
