// docs/hosts.md, from the results of one whole run.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { STEPS } from "./steps.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const NAMES = {
  rotate: "rotation",
  analysis: "analysis",
  model: "model",
  workers: "two workers",
  trainer: "trainer",
};

function cell({ host, results, failures = [] }, step) {
  if (!results) return "not run";
  if (host.without?.[step]) return "none";
  const { error } = results[step] ?? {};
  return error || failures.some((text) => text.startsWith(`${step}:`)) ? "**fails**" : "passes";
}

/** Removes what a cell of a table must not hold. */
const inCell = (text) => text.split("\n")[0].slice(0, 300).replaceAll("|", "\\|");

function notes(rows) {
  return rows.flatMap(({ host, missing, failures = [] }) => [
    ...(missing ? [`- ${host.name} did not run: ${missing}.`] : []),
    ...Object.values(host.without ?? {}).map((why) => `- ${host.name}: ${why}`),
    ...failures.map((text) => `- ${host.name} fails. ${inCell(text)}`),
  ]);
}

export function writeDocument(rows, types) {
  const commit = execFileSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  const date = new Date().toISOString().slice(0, 10);
  const table = rows.map((row) => {
    const cells = STEPS.map((step) => cell(row, step));
    return `| ${row.host.name} | ${row.version ?? ""} | ${cells.join(" | ")} | ${row.host.ways ?? ""} |`;
  });
  const ways = Object.keys(types[0]?.said ?? {});
  const checked = types.map(
    ({ version, said }) =>
      `| ${version} | ${ways.map((way) => (said[way] ? "**errors**" : "no errors")).join(" | ")} |`,
  );
  const lines = [
    "# Hosts",
    "",
    "`npm run test:hosts` writes this page. It packs the package as npm would, installs it into an empty project, and runs",
    "five steps in each host below. No host has a setting that is about Ropewalk; the last column names what else was set.",
    "",
    `Commit ${commit}, ${date}, on ${process.platform} ${process.arch}. Bundlers and command line tools run under Node ${process.versions.node}.`,
    "",
    "- *Rotation*: queries are rotated to position 1,000,000 and back, and return within 1e-6.",
    "- *Analysis*: `load({ analysis: true })`, then `explain` and `decay`.",
    "- *Model*: `fillMask` of the playground's RoFormer, with its tokenizer.",
    "- *Two workers*: the same with `{ workers: 2 }`.",
    "- *Trainer*: twenty steps, after which the loss must be lower.",
    "",
    "Every host must also give the same results as Node. Where a page is bundled in several files, a second page that only",
    "rotates must fetch neither analysis, nor model, nor tokenizer.",
    "",
    `| host | version | ${STEPS.map((step) => NAMES[step]).join(" | ")} | how |`,
    `| --- | --- | ${STEPS.map(() => "---").join(" | ")} | --- |`,
    ...table,
    "",
    ...notes(rows),
    "",
    "## TypeScript",
    "",
    "The declarations are checked without `skipLibCheck`, in a project for Node without the `dom` library and in one for",
    "pages.",
    "",
    `| version | ${ways.join(" | ")} |`,
    `| --- | ${ways.map(() => "---").join(" | ")} |`,
    ...checked,
    "",
  ];
  writeFileSync(fileURLToPath(new URL("../../docs/hosts.md", import.meta.url)), lines.join("\n"));
}
