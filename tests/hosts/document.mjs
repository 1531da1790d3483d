// docs/hosts.md, from the results of one whole run.
import { writeFileSync } from "node:fs";
import { table } from "../../tools/markdown.mjs";
import { fromRoot } from "../../tools/setup/environment.mjs";
import { STEPS } from "./steps.mjs";

const NAMES = {
  rotate: "rotation",
  analysis: "analysis",
  model: "model",
  workers: "two workers",
  threads: "threads",
  trainer: "trainer",
};

function cell({ host, results, failures = [] }, step) {
  if (!results) return "not run";
  if (host.without?.[step]) return "none";
  const { error, threads } = results[step] ?? {};
  if (error || failures.some((text) => text.startsWith(`${step}:`))) return "**fails**";
  return threads ? `passes (${threads.join(", ")})` : "passes";
}

/** Why hosts have "none" in a cell: each reason once, with the hosts that it holds for. */
function reasons(rows) {
  const hostsOf = new Map();
  for (const { host } of rows) {
    for (const why of new Set(Object.values(host.without ?? {}))) {
      hostsOf.set(why, [...(hostsOf.get(why) ?? []), host.name]);
    }
  }
  return [...hostsOf].map(([why, names]) => `- ${names.join("; ")}: ${why}`);
}

function notes(rows) {
  const troubles = rows.flatMap(({ host, missing, failures = [] }) => [
    ...(missing ? [`- ${host.name} did not run: ${missing}.`] : []),
    ...failures.map((text) => `- ${host.name} fails. ${text.split("\n")[0].slice(0, 300)}`),
  ]);
  return [...reasons(rows), ...troubles];
}

/** The page, of a run that tried the commit `tried`. */
export function writeDocument(rows, types, { commit, date }) {
  const hosts = rows.map((row) => [
    row.host.name,
    row.version ?? "",
    ...STEPS.map((step) => cell(row, step)),
    row.host.ways ?? "",
  ]);
  const ways = Object.keys(types[0]?.said ?? {});
  const checked = types.map(({ version, said }) => [
    version,
    ...ways.map((way) => (said[way] ? "**errors**" : "no errors")),
  ]);
  const lines = [
    "# Hosts",
    "",
    "A host is a place in which the package runs: a runtime, a bundler and the browser that opens its pages, a test runner, a",
    "worker, an extension. `npm run test:hosts` packs the package as npm would, installs it into an empty project, runs six",
    "steps in each host, and writes this page from what it found.",
    "",
    `Commit ${commit}, ${date}, on ${process.platform} ${process.arch}. Bundlers and command line tools run under Node ${process.versions.node}.`,
    "",
    "- *Rotation*: queries are rotated to position 1,000,000 and back, and return within 1e-6.",
    "- *Analysis*: `load({ analysis: true })`, then `explain` and `decay`.",
    "- *Model*: `fillMask` of the playground's RoFormer, with its tokenizer.",
    "- *Two workers*: the same with `{ workers: 2 }`.",
    "- *Threads*: an encoder of 1.1 million parameters, whose states must be the same before and after its threads have",
    "  started. The number in brackets is how many threads one call then had. 1 passes as well: where memory cannot be shared,",
    "  or where no thread has started within ten seconds. Two numbers are those of a page and of its server. *Both headers* are",
    "  COOP and COEP, which [isolate a page](encoders.md#threads).",
    "- *Trainer*: twenty steps, after which the loss must be lower.",
    "",
    "A step *passes* when it ends without an error and gives the same result as in Node 20, and *fails* otherwise. *None*",
    "means that the host cannot do it; the list below the table says why. Where a page is bundled in several files, a second",
    "page that only rotates must fetch neither analysis, nor model, nor tokenizer.",
    "",
    "Each test program holds nothing but the import of the package and these steps. The column *how* names the settings that",
    "it needs and the forms of import that were tried.",
    "",
    table(["host", "version", ...STEPS.map((step) => NAMES[step]), "how"], hosts),
    "",
    ...notes(rows),
    "",
    "## TypeScript",
    "",
    "The declarations are checked without `skipLibCheck`, in a project for Node without the `dom` library and in one for",
    "pages.",
    "",
    table(["version", ...ways], checked),
    "",
  ];
  writeFileSync(fromRoot("docs/hosts.md"), lines.join("\n"));
}
