// How fast training is: natively against the library's own matrix product in one process, and in WebAssembly, through
// the built package, against native. The two take turns, so that a busy moment of the machine is in both.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../setup/environment.mjs";
import { say } from "../setup/progress.mjs";
import { encoding, MODEL, settingsOf } from "./plan.mjs";
import { middle } from "./summary.mjs";

const ROUNDS = 5;

/** The size of the experiments, and two larger ones. */
const SIZES = [
  { id: "miniature", config: {}, panel: { task: "order" }, training: { warmup_steps: 20, steps: 150 } },
  {
    id: "small",
    config: { hidden_size: 128, num_hidden_layers: 4, num_attention_heads: 4, intermediate_size: 512 },
    panel: { task: "order", length: 64 },
    training: { warmup_steps: 3, steps: 15 },
  },
  {
    id: "medium",
    config: { hidden_size: 256, num_hidden_layers: 4, num_attention_heads: 4, intermediate_size: 1024 },
    panel: { task: "order", length: 128 },
    training: { batch: 8, warmup_steps: 2, steps: 6 },
  },
];

/** The settings of each size, as both halves read them. They begin with random weights, and keep none. */
export const THROUGHPUT_PLAN = SIZES.map(({ id, config, panel, training }) => ({
  key: id,
  from: "",
  keeps_weights: false,
  ...settingsOf({ ...panel, id, training }, encoding("rope", config), 1e-3, 1),
}));

function output(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: projectRoot(), stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (piece) => {
      text += piece;
    });
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve(text) : reject(new Error(`${command} ended with ${code}`))));
  });
}

async function oneRound(program, plan) {
  const native = await output(program, ["throughput", plan]);
  const wasm = await output(process.execPath, [join(projectRoot(), "tools/experiments/wasm-throughput.mjs"), plan]);
  const lines = (text) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { native: lines(native), wasm: lines(wasm) };
}

export async function measureThroughput(program, { machine, ...tried }) {
  const folder = mkdtempSync(join(tmpdir(), "ropewalk-throughput-"));
  try {
    const plan = join(folder, "plan.jsonl");
    writeFileSync(plan, `${THROUGHPUT_PLAN.map((each) => JSON.stringify(each)).join("\n")}\n`);
    const rounds = [];
    for (let round = 1; round <= ROUNDS; ++round) {
      say(`Throughput: round ${round} of ${ROUNDS}`);
      rounds.push(await oneRound(program, plan));
    }
    const median = (of) => Number(middle(rounds.map(of)).toPrecision(4));
    return {
      ...tried,
      machine: { ...machine, node: process.versions.node },
      rounds: ROUNDS,
      sizes: SIZES.map((size, i) => {
        const { batch, length } = THROUGHPUT_PLAN[i];
        const { hidden_size, num_hidden_layers, num_attention_heads, intermediate_size } = { ...MODEL, ...size.config };
        return {
          id: size.id,
          model: { hidden_size, num_hidden_layers, num_attention_heads, intermediate_size, batch, length },
          parameters: rounds[0].native[i].parameters,
          architecture: rounds[0].native[i].architecture,
          tokensPerSecond: median((r) => r.native[i].tokens_per_second),
          multiplyAddsPerSecond: median((r) => r.native[i].multiply_adds_per_second),
          productPeak: median((r) => r.native[i].product_peak),
          shareOfPeak: median((r) => r.native[i].multiply_adds_per_second / r.native[i].product_peak),
          wasmTokensPerSecond: median((r) => r.wasm[i].tokens_per_second),
          wasmShare: median((r) => r.wasm[i].tokens_per_second / r.native[i].tokens_per_second),
        };
      }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
