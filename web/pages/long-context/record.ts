import type { Ropewalk } from "ropewalk";
import { BATCH } from "../../training/recipe.js";
import {
  distanceOf,
  factors,
  ROWS,
  type Settings,
  scalingOf,
  type Tested,
  tested,
  trainingOf,
  usualBetas,
} from "./recipe.js";

const settings: Settings = { task: "period", length: 24, steps: 600, seed: 1, seeds: 5 };

/** The results that the page shows before anything has been trained in it (tools/site/record.mjs writes recorded.json). */
export async function record(ropewalk: Ropewalk) {
  const { task: name, length, steps, seed: first, seeds } = settings;
  const { config, optimizer } = trainingOf(settings);
  const results: Tested[] = [];
  let said = { description: "", chance: 0 };
  for (let seed = first; seed < first + seeds; seed++) {
    const task = await ropewalk.task({ name, distance: distanceOf(name), seed });
    said = { description: task.description, chance: task.chanceAccuracy };
    const whole = { ...config, vocab_size: task.vocabSize };
    const trainer = await ropewalk.trainer({ config: whole, seed, optimizer });
    while (trainer.step < steps) trainer.train(task.batch({ index: trainer.step, batch: BATCH, sequence: length }));
    const weights = trainer.save();
    for (const factor of factors) {
      const test = task.batch({ split: "validation", batch: ROWS, sequence: factor * length });
      for (const rule of tested) {
        const other = await ropewalk.trainer({
          config: { ...whole, ...scalingOf(rule, factor, length, usualBetas) },
          weights,
        });
        const { accuracy, loss } = other.evaluate(test);
        results.push({ seed, rule, factor, accuracy, loss: Number(loss.toFixed(6)) });
        other.dispose();
      }
    }
    trainer.dispose();
    task.dispose();
  }
  return { settings, betas: usualBetas, task: said, results };
}
