// `npm run bench:published`: published weights in Chromium and Node, beside transformers.js, wllama and llama.cpp. Each part puts
// its figures into docs/performance/published.json when it ends, so that an interrupted run is finished with `-- --only PART`.
import { loadavg } from "node:os";
import { join } from "node:path";
import { buildNativePackage, buildPackage } from "../../../tools/run/builds.mjs";
import { projectRoot } from "../../../tools/setup/environment.mjs";
import { setUp } from "../../../tools/setup/index.mjs";
import { say, seconds, step } from "../../../tools/setup/progress.mjs";
import { readGolden } from "../../published/fetch.mjs";
import { encoderMeasures } from "../../published/measures.mjs";
import { MODELS } from "../../published/models.mjs";
import { readOptions } from "../arguments.mjs";
import { measureGroup } from "../harness/group.mjs";
import { openBrowser } from "../hosts/browser.mjs";
import { machine } from "../machine.mjs";
import { inTime, raisePriority } from "../main.mjs";
import { installPeers } from "../peers.mjs";
import { redocument } from "../report/document.mjs";
import { readPublished, writePublished } from "../report/published.mjs";
import { groupLine } from "../report/tables.mjs";
import { FILE } from "./decoder.mjs";
import { decoderInNode, installLlama, openLlama } from "./decoder-in-node.mjs";
import { ENGINES } from "./encoders.mjs";
import { publishedFiles } from "./files.mjs";

const root = projectRoot();
/** After so long a part is taken to hang. */
const MINUTES = 8;

const ROUNDS = { encoders: 7, first: 5, decoder: 5, node: 5 };
const timingOf = (part, quick) => {
  const rounds = quick ? 2 : ROUNDS[part];
  return { rounds, sampleMs: 1, budgetMs: 1e6, atLeast: rounds };
};

/** Runs a suite of the page; its groups, and what the engines' vectors are worth. */
async function inPage({ inPage, addresses }, suite, options, { measures, llama }) {
  const groups = [];
  const quality = {};
  await inPage("published-page.html", "runPublished", async (page) => {
    await page.exposeFunction("report", (group) => {
      say(groupLine(group));
      groups.push(group);
    });
    await page.exposeFunction("vectors", (key, vectors) => {
      quality[key] = measures(vectors);
    });
    await page.exposeFunction("llama", (call) => llama[call]());
    await page.evaluate(([name, at, how]) => window.runPublished(name, at, how), [suite, addresses, options]);
  });
  return { groups, quality };
}

const PARTS = {
  async encoders({ browser }, timing) {
    const golden = readGolden(MODELS.minilm.golden);
    const measures = (vectors) => encoderMeasures({ vectors }, golden);
    return inPage(browser, "encoders", { texts: golden.texts, timing }, { measures });
  },
  async first({ browser }, timing) {
    const ask = (key) =>
      browser.inPage("published-page.html", "firstPublished", (page) =>
        page.evaluate(([name, at]) => window.firstPublished(name, at), [key, browser.addresses]),
      );
    const makers = Object.entries(ENGINES).map(([key, { label }]) => ({
      key,
      label,
      make: async () => {
        const { code, weights } = await ask(key);
        // However often it is asked, a page can start only once.
        const sample = async (iterations) => (await ask(key)).took * iterations;
        return { sample, took: Number.POSITIVE_INFINITY, code, weights };
      },
    }));
    const title = "all-MiniLM-L6-v2, from import to the first vector, fresh pages";
    const group = await measureGroup({ suite: "published", host: "chromium", key: "first", title, makers, timing });
    say(groupLine(group));
    return { groups: [group] };
  },
  async decoder({ browser, models }, timing) {
    const prompts = decoderPrompts();
    const llama = await openLlama(join(models, FILE), prompts);
    return inPage(browser, "decoder", { prompts, timing }, { llama });
  },
  async node({ models }, timing) {
    const groups = [];
    const report = (group) => {
      say(groupLine(group));
      groups.push(group);
    };
    await decoderInNode(root, models, { prompts: decoderPrompts(), timing, report });
    return { groups };
  },
};

/** { ids, text } of a short text, { long, longText } of one of about 256 tokens; the rate counts those that were read. */
function decoderPrompts() {
  const { cases } = readGolden(MODELS.gemma.golden);
  const [short, long] = [cases[0], cases.at(-1)];
  const longText = long.text.slice(0, Math.round((long.text.length * 256) / long.ids.length));
  return { ids: short.ids, text: short.text, long: long.ids, longText };
}

const USAGE = `npm run bench:published -- [--quick] [--only <part>[,<part>]]
  --quick   two rounds, and nothing is recorded
  --only    ${Object.keys(PARTS).join(", ")}: these parts, in place of all`;

export async function benchPublished(args) {
  const parts = Object.keys(PARTS);
  const { quick, only: named } = readOptions(args, {}, parts, USAGE);
  const only = named.length > 0 ? named : parts;
  const toolchain = await setUp({ native: true, wasm: true, browser: true });
  await installPeers();
  await buildPackage();
  if (only.includes("node")) await buildNativePackage();
  if (only.includes("node") || only.includes("decoder")) await installLlama(root);
  const folder = join(root, "build/bench");
  const models = await step("Published weights", (note) => publishedFiles(folder, note));
  const about = { ...machine("published"), ...raisePriority() };
  if (about.loadBefore > 1) say(`\nThe machine is not at rest (load ${about.loadBefore}): figures will scatter.`);
  const browser = await openBrowser({
    root,
    models,
    modules: join(folder, "modules"),
    folder: join(folder, "page"),
    executablePath: toolchain.chromium,
  });
  const failures = [];
  try {
    for (const part of only) {
      say(`\n== ${part}`);
      const begun = Date.now();
      try {
        const found = await inTime(PARTS[part]({ browser, models }, timingOf(part, quick)), MINUTES);
        const took = Date.now() - begun;
        const loadAfter = Number(loadavg()[0].toFixed(2));
        const run = { ...about, chromium: browser.version, loadAfter, command: "npm run bench:published", took };
        for (const [key, each] of Object.entries(found.quality ?? {})) say(`   ${key}: ${JSON.stringify(each)}`);
        if (!quick) writePublished({ ...readPublished(), [part]: { run, ...found } });
        say(`   done in ${seconds(took)}`);
      } catch (error) {
        failures.push(part);
        say(`   failed: ${String(error.message).split("\n")[0]}`);
      }
    }
  } finally {
    await browser.close();
  }
  if (!quick) redocument();
  return failures.length === 0 ? 0 : 1;
}
