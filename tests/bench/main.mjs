// `npm run bench`: sets up what is missing, builds, measures, prints. Each suite runs in a process or a page of its own;
// one that fails is said so, and the others go on.
import { fork } from "node:child_process";
import { rmSync } from "node:fs";
import { getPriority, loadavg, setPriority } from "node:os";
import { join } from "node:path";
import { buildNativePackage, buildPackage, buildPreset } from "../../tools/run/builds.mjs";
import { run } from "../../tools/setup/commands.mjs";
import { projectRoot } from "../../tools/setup/environment.mjs";
import { setUp } from "../../tools/setup/index.mjs";
import { say, seconds, step } from "../../tools/setup/progress.mjs";
import { parseArguments, planOf } from "./arguments.mjs";
import { buildModules, buildProgram } from "./builds.mjs";
import { machine } from "./machine.mjs";
import { modelsFolder, writeDecoder, writeModels } from "./models/files.mjs";
import { installPeers } from "./peers.mjs";
import { contractRows } from "./report/contracts.mjs";
import { addToDocument, redocument, writeDocument } from "./report/document.mjs";
import { groupLine, report } from "./report/tables.mjs";

const root = projectRoot();
/** After so long a suite is taken to hang. */
const minutesOf = (suite, long) => (!["models", "decoders"].includes(suite) ? 5 : long ? 40 : 20);

/** In a browser the clock's steps are coarser, so that a sample lasts longer. */
const timingOf = (host, quick) =>
  quick
    ? { rounds: 7, sampleMs: host === "chromium" ? 2 : 1, budgetMs: 150, atLeast: 3 }
    : { rounds: 21, sampleMs: host === "chromium" ? 4 : 1.5, budgetMs: 900, atLeast: 5 };

export async function bench(args) {
  const options = parseArguments(args);
  if (options.redocument) return redocument();
  const isWhole = options.only.length === 0;
  const plan = planOf(options.only);
  const wants = (host, suite) =>
    plan.some(([h, s]) => (host === undefined || h === host) && (suite === undefined || s === suite));
  const toolchain = await setUp({ native: true, wasm: true, browser: wants("chromium") });
  await installPeers();
  await buildPackage();
  const folder = join(root, "build/bench");
  const modules = join(folder, "modules");
  await buildModules(root, modules);
  if (wants("node", "models") || wants("node", "decoders")) await buildNativePackage();
  let program;
  if (wants("node", "native") || wants("node", "models")) {
    await buildPreset("release", "ropewalk");
    program = await buildProgram(root, folder);
  }
  const models = modelsFolder(folder);
  if (wants(undefined, "models")) await makeModels(models);
  if (wants(undefined, "decoders") || wants("node", "batches"))
    await step("A decoder of random weights", async (note) => writeDecoder(models, note));
  const begun = Date.now();
  const about = { ...machine("performance"), ...raisePriority(), quick: options.quick };
  if (about.loadBefore > 1) {
    say(`\nThe machine is not at rest (load ${about.loadBefore}): figures will scatter, and ratios with them.`);
  }
  const groups = [];
  const failures = [];
  const take = (group) => {
    groups.push(group);
    say(groupLine(group));
  };
  let browser;
  for (const [host, suite] of plan) {
    say(`\n== ${suite} in ${host}`);
    const how = { timing: timingOf(host, options.quick), quick: options.quick, long: options.long };
    const minutes = minutesOf(suite, options.long);
    try {
      if (host === "chromium") {
        browser ??= await openChromium({
          root,
          modules,
          models,
          folder: join(folder, "page"),
          executablePath: toolchain.chromium,
        });
        await inTime(browser.run(suite, how, take), minutes);
        about.chromium = browser.version;
      } else {
        const more = { root, program, folder, models };
        await inProcess({ suite, root, modules, models, ...how, more }, take, minutes);
      }
    } catch (error) {
      const why = String(error.message).split("\n")[0];
      failures.push({ host, suite, why });
      say(`   failed: ${why}`);
    }
  }
  await browser?.close();
  about.loadAfter = Number(loadavg()[0].toFixed(2));
  const results = { machine: about, command: commandOf(args), took: Date.now() - begun, groups, failures };
  results.contracts = contractRows(groups);
  say(`\n${report(results)}`);
  say(`Measured in ${seconds(results.took)}.`);
  if (options.document) await (isWhole ? writeDocument : addToDocument)(results);
}

const commandOf = (args) => ["npm run bench", ...(args.length > 0 ? ["--", ...args] : [])].join(" ");

/** The files of the models, and one of them in int8 by the package's own command, which may write it otherwise today. */
async function makeModels(folder) {
  await step("Models of random weights", async (note) => writeModels(folder, note));
  const [source, target] = ["minilm", "minilm-int8"].map((name) => join(folder, name));
  rmSync(target, { recursive: true, force: true });
  const { code, output } = await run(process.execPath, [join(root, "dist/cli.js"), "quantize", source, target]);
  if (code !== 0) say(`  No file in int8: ${output.trim().split("\n")[0]}`);
}

/** Bundles and starts the browser; imported here, since it needs packages that set-up installs. */
async function openChromium(options) {
  const { openBrowser } = await import("./hosts/browser.mjs");
  return openBrowser(options);
}

/** Ahead of other programs where the system lets us; whoever started us keeps what they have. */
export function raisePriority() {
  try {
    setPriority(-15);
  } catch {
    // Only root may.
  }
  return { niceness: getPriority() };
}

export async function inTime(promise, minutes) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${minutes} minutes`)), minutes * 60_000);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A suite in a fresh process of Node. */
function inProcess(request, take, minutes) {
  const child = fork(join(import.meta.dirname, "hosts/suite-process.mjs"), [JSON.stringify(request)], { execArgv: [] });
  const ended = new Promise((resolve, reject) => {
    let failure;
    child.on("message", ({ group, error }) => {
      if (group !== undefined) take(group);
      else if (error !== undefined) failure = error;
    });
    child.on("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(failure ?? `its process ended (${signal ?? `exit code ${code}`})`));
    });
  });
  return inTime(ended, minutes).finally(() => child.kill());
}
