// `npm run test:hosts`: the package in every host of hosts/*.mjs, then docs/hosts.md and its row of docs/trust.md. With
// names after `--`, only those hosts whose names hold one of them, without writing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromRoot, toolchainEnvironment } from "../../tools/setup/environment.mjs";
import { setUpNpmPackages } from "../../tools/setup/npm-packages.mjs";
import { say, seconds } from "../../tools/setup/progress.mjs";
import { about, record } from "../../tools/trust/document.mjs";
import { makeProject } from "../package/project.mjs";
import { writeDocument } from "./document.mjs";
import { makeFolder, served, versionOf } from "./folder.mjs";
import { agreeing, lateParts } from "./results.mjs";
import { STEPS } from "./steps.mjs";

const GROUPS = [
  "node",
  "vite",
  "bundlers",
  "next",
  "node-bundles",
  "runtimes",
  "test-runners",
  "unbundled",
  "workers",
  "extension",
];

function folderName(name, more = "") {
  return `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}${more && `-${more}`}`;
}

async function runHost(host, context) {
  const missing = host.missing?.();
  if (missing) return { host, missing };
  const make = (more) => makeFolder(context.project, folderName(host.name, more), context.environment);
  const packageVersion = host.packageOf && versionOf(host.packageOf);
  try {
    const found = await host.run({ ...context, folder: make(), makeFolder: make });
    // Browsers say their version themselves.
    const { results, version } = found.results ? found : { results: found };
    return { host, results, version: version ?? packageVersion };
  } catch (error) {
    const results = Object.fromEntries(STEPS.map((step) => [step, { error: error.message }]));
    return { host, results, version: packageVersion };
  }
}

/** Failures of a host, apart from what it cannot do. */
function failuresOf({ host, results }) {
  if (!results) return [];
  return STEPS.flatMap((step) => {
    const { error } = results[step] ?? { error: "did not run" };
    if (host.without?.[step]) return error ? [] : [`${step}: passed, though it should be impossible`];
    return error ? [`${step}: ${error}`] : [];
  });
}

/** The counts of a run that docs/trust.md shows. A host that cannot do a single step has not passed. */
function countsOf(rows, types) {
  const missing = rows.filter(({ host, missing }) => missing || STEPS.every((step) => host.without?.[step])).length;
  const failed = rows.filter((row) => row.failures.length > 0).length;
  return { tried: rows.length, passed: rows.length - missing - failed, failed, missing, typescript: types.length };
}

export async function main(args) {
  const tried = about("hosts");
  await setUpNpmPackages(import.meta.dirname, ["--ignore-scripts"]);
  const groups = await Promise.all(GROUPS.map((name) => import(`./hosts/${name}.mjs`)));
  const { checkTypes, VERSIONS } = await import("./hosts/typescript.mjs");
  const all = groups.flatMap(({ hosts }) => hosts);
  const named = (name) => args.length === 0 || args.some((arg) => name.toLowerCase().includes(arg.toLowerCase()));
  const environment = { ...toolchainEnvironment(), CI: "1", NO_COLOR: "1", WRANGLER_SEND_METRICS: "false" };
  const project = makeProject();
  const rows = [];
  const types = [];
  let failed = 0;
  try {
    const read = (name) => readFileSync(join(project.folder, "node_modules/ropewalk/dist", name), "utf8");
    await served(fromRoot("web/public/model"), { "access-control-allow-origin": "*" }, async (modelAddress) => {
      const modelEnvironment = { ...environment, ROPEWALK_MODEL: modelAddress };
      const context = { project, environment: modelEnvironment, modelAddress, lateParts: lateParts(read) };
      for (const host of all.filter(({ name }) => named(name))) {
        const begun = Date.now();
        const row = await runHost(host, context);
        rows.push(row);
        const failures = [...failuresOf(row), ...agreeing(rows, row)];
        row.failures = failures;
        failed += failures.length > 0 ? 1 : 0;
        const threads = row.results?.threads?.threads?.join(", ") ?? "none";
        const passed = `passed, threads: ${threads}`;
        const how = row.missing ?? (failures.length > 0 ? `FAILED\n    ${failures.join("\n    ")}` : passed);
        say(`  ${host.name} ${row.version ?? ""}: ${how} (${seconds(Date.now() - begun)})`);
      }
    });
    for (const version of VERSIONS.filter(named)) {
      const said = await checkTypes(version, makeFolder(project, version, environment));
      types.push({ version: versionOf(version), said });
      const problems = Object.entries(said).filter(([, text]) => text);
      failed += problems.length > 0 ? 1 : 0;
      say(`  TypeScript ${versionOf(version)}: ${problems.map((each) => each.join(": ")).join("\n    ") || "passed"}`);
    }
    if (args.length === 0) {
      writeDocument(rows, types, tried);
      record("hosts", "hosts", countsOf(rows, types), tried);
    }
  } finally {
    project.remove();
  }
  if (failed > 0) throw new Error(`${failed} hosts failed`);
}
