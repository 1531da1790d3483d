// `npm run experiments -- --quick`, in a folder of its own.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { main } from "../../tools/experiments/main.mjs";
import { THROUGHPUT_PLAN } from "../../tools/experiments/throughput.mjs";

const program = process.env.ROPEWALK_EXPERIMENTS;
const folder = mkdtempSync(join(tmpdir(), "ropewalk-experiments-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const read = (name) => readFileSync(join(folder, name), "utf8");
const results = () => JSON.parse(read("results/results.json"));
const runs = () => readdirSync(join(folder, "runs")).filter((name) => name.endsWith(".json"));

/** Times, and how busy the machine was, are all that differs from run to run. */
function withoutTime(value) {
  if (Array.isArray(value)) return value.map(withoutTime);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([name]) => !/seconds|date|^load$/i.test(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutTime(inner)]));
}

let first;

test("the quick run writes data, figures and the report", async () => {
  assert.equal(await main(program, ["--quick", "--folder", folder]), 0);
  first = results();
  const figures = readdirSync(join(folder, "results")).filter((name) => name.endsWith(".svg"));
  assert.deepEqual(figures.toSorted(), [
    "causal.svg",
    "documents.svg",
    "drope.svg",
    "english.svg",
    "far.svg",
    "fine-tuning.svg",
    "linear.svg",
    "newer.svg",
    "race.svg",
    "receptive.svg",
    "rules.svg",
    "structure.svg",
    "translation.svg",
  ]);
  const report = read("results.md");
  for (const name of figures) {
    const svg = read(`results/${name}`);
    assert.match(
      svg,
      /^<svg [^>]*role="img"[\s\S]*<title [^>]*>[^<]+<\/title>\s*<desc [^>]*>[^<]+<\/desc>[\s\S]*<\/svg>\n$/,
    );
    assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
    assert.ok(report.includes(`(results/${name})`), name);
  }
  assert.doesNotMatch(report, /NaN|undefined|null/);
});

test("what must come out comes out", () => {
  const { order, copy } = first.experiments.race;
  assert.ok(
    order.arms.rope.converged.every((step) => step !== null && step <= 400),
    "RoPE learns left from right",
  );
  assert.ok(copy.arms.rope.accuracy[0] > 0.9, "RoPE follows a marker");
  // Symmetric ALiBi sees the mirror image alike: the entropy of the labels is all it can reach.
  for (const loss of order.arms.alibi.loss) assert.ok(Math.abs(loss - Math.log(2)) < 0.03, `loss ${loss}`);
  assert.deepEqual(order.arms.alibi.converged, [null, null]);
  // Parameter counts differ by the table of positions alone: 4 * 24 rows of 32.
  assert.equal(order.arms.learned.parameters - order.arms.rope.parameters, 96 * 32);
});

test("a second start repeats nothing, and what is run again has the same numbers on another number of threads", async () => {
  const lost = runs().find((name) => name.startsWith("order.rope."));
  const before = new Map(runs().map((name) => [name, statSync(join(folder, "runs", name)).mtimeMs]));
  rmSync(join(folder, "runs", lost));
  assert.equal(await main(program, ["--quick", "--folder", folder, "--threads", "1"]), 0);
  const again = runs().filter((name) => statSync(join(folder, "runs", name)).mtimeMs !== before.get(name));
  assert.deepEqual(again, [lost]);
  assert.equal(runs().length, before.size);
  assert.deepEqual(withoutTime(results()), withoutTime(first));
});

test("the program trains the models that the throughput names", () => {
  const plan = join(folder, "throughput.jsonl");
  // Two steps each are enough to see that its settings are read.
  const lines = THROUGHPUT_PLAN.map((settings) => JSON.stringify({ ...settings, warmup_steps: 0, steps: 2 }));
  writeFileSync(plan, lines.join("\n"));
  const rows = execFileSync(program, ["throughput", plan], { encoding: "utf8" }).trim().split("\n").map(JSON.parse);
  assert.deepEqual(
    rows.map(({ key, parameters }) => [key, parameters]),
    [
      ["miniature", 27_924],
      ["small", 815_380],
      ["medium", 3_236_372],
    ],
  );
  for (const { tokens_per_second } of rows) assert.ok(tokens_per_second > 0);
});

test("arguments that mean nothing are refused with the usage", async () => {
  for (const args of [["--threads", "0"], ["--only", "marathon"], ["--slow"]])
    assert.equal(await main(program, args), 2);
});
