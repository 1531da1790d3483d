// Results that pages show of experiments that they do not run: Train in experiments.json, Long context in drope.json.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatWritten } from "../run/format.mjs";
import { FULL, settingsOf } from "./plan.mjs";
import { inputLines, stageLines } from "./report/documents.mjs";
import { linesOf } from "./report/drope.mjs";
import { FACTORS } from "./report/rules.mjs";

const STEPS = "steps";
const LOSS = "validation loss";

/** A figure of the page: median, least and most over the seeds at each x. */
const view = (name, x, y, lines) => ({
  name,
  x,
  y,
  lines: lines.map(({ label, points }) => ({
    label,
    x: points.map(([at]) => at),
    median: points.map(([, value]) => value),
    least: points.map(([, , value]) => value),
    most: points.map(([, , , value]) => value),
  })),
});

/** A panel's curves of loss; those of a panel that has none are left out. */
const curves = (name, { arms }) =>
  view(
    name,
    STEPS,
    LOSS,
    Object.values(arms).map(({ label, curves: { step, loss } }) => ({
      label,
      points: step.map((at, i) => [at, ...loss[i]]),
    })),
  );

const panelViews = (title) => (experiment) =>
  Object.entries(experiment).map(([id, panel]) => curves(`${title}: ${id}`, panel));

/** Settings by which a page trains each of a panel's models once, as they were trained here; in the order of its lines. */
function liveOf(experiment, panelId, task) {
  const panel = FULL.experiments.find(({ id }) => id === experiment).panels.find(({ id }) => id === panelId);
  const of = (arm, rate) => settingsOf(panel, arm, rate, FULL.seeds[0]);
  const { batch, length, steps, evaluate_every, evaluation_rows, beta2, weight_decay, warmup_steps } = of(
    panel.arms[0],
  );
  return ({ arms }) => ({
    task,
    sequence: length,
    batch,
    steps,
    every: evaluate_every,
    rows: evaluation_rows,
    optimizer: { beta2, weightDecay: weight_decay, warmupSteps: warmup_steps, totalSteps: steps },
    runs: Object.entries(arms).map(([id, { rate }]) => {
      const arm = panel.arms.find((each) => each.id === id);
      return { rate, config: JSON.parse(of(arm, rate).config) };
    }),
  });
}
const lettersLive = liveOf("causal", "characters", "letters");

/** The experiments of the paper, by their names in the results, with the heading of their section in docs/results.md. */
const SHOWN = {
  causal: {
    anchor: "causal-performer",
    views: ({ characters }) => [
      { ...curves("Causal Performer: letters of the generated English", characters), live: lettersLive(characters) },
    ],
  },
  "fine-tuning": { anchor: "fine-tuning-roformer-against-absolute-positions", views: panelViews("Fine-tuning") },
  translation: {
    anchor: "translation",
    views: ({ translation }) => [curves("Translation into a made-up language", translation)],
  },
  documents: {
    anchor: "long-documents",
    views: (experiment) => [
      view("Long documents: pre-training in stages", "steps of all stages", LOSS, stageLines(experiment)),
      view("Long documents: matching", "tokens read", "share of right choices", inputLines(experiment)),
    ],
  },
};

export const pageRecord = (results) => ({
  seeds: results.seeds.length,
  views: Object.entries(SHOWN).flatMap(([id, { anchor, views }]) =>
    results.experiments[id] ? views(results.experiments[id]).map((each) => ({ anchor, ...each })) : [],
  ),
});

/** DroPE beside the scaling rules: of each line the median, least and most loss at each multiple of the trained length. */
export function dropeRecord({ seeds, experiments }) {
  const { drope } = experiments;
  const { length, steps, chance } = drope["drope-trained"];
  return {
    seeds,
    length,
    steps,
    further: drope["drope-recalibrated"].steps,
    chance,
    factors: FACTORS,
    lines: linesOf(drope),
  };
}

export const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value)}\n`);

/** pages: the folder web/pages. */
export function writePageRecords(pages, results) {
  writeJson(join(pages, "train", "experiments.json"), pageRecord(results));
  if (!results.experiments.drope) return;
  const drope = join(pages, "long-context", "drope.json");
  writeJson(drope, dropeRecord(results));
  formatWritten([drope]);
}
