import type { Ropewalk } from "ropewalk";
import { BATCH, checkEvery, configOf, optimizerOf, VALIDATION } from "../../training/recipe.js";
import type { Recorded } from "./recorded.js";
import { fields } from "./state.js";

const digits = (value: number) => Number(value.toPrecision(5));

/** The race of an address without fields (tools/site/record.mjs writes recorded.json). */
export async function record(ropewalk: Ropewalk): Promise<Recorded> {
  const [task, distance, encodings] = [fields.task.fallback, fields.distance.fallback, fields.encodings.fallback];
  const settings = {
    size: fields.size.fallback,
    sequence: Number(fields.length.fallback),
    steps: Number(fields.steps.fallback),
    rate: Number(fields.rate.fallback),
  };
  const first = fields.seed.fallback;
  const seeds = Array.from({ length: Number(fields.seeds.fallback) }, (_, i) => first + i);
  const every = checkEvery(settings.steps);
  const { sequence } = settings;
  const runs: Recorded["runs"][number][] = [];
  let said = { description: "", chance: 0, best: { accuracy: 1, loss: 0 } };
  for (const seed of seeds) {
    const made = await ropewalk.task({ name: task, distance, seed });
    const tested = (length: number) => made.batch({ split: "validation", batch: VALIDATION, sequence: length });
    const [once, twice] = [tested(sequence), tested(2 * sequence)];
    // That of the first seed, as on the page.
    if (seed === first) {
      const best = made.best({ split: "validation", batch: VALIDATION, sequence });
      said = { description: made.description, chance: made.chanceAccuracy, best };
    }
    for (const encoding of encodings) {
      const trainer = await ropewalk.trainer({
        config: configOf(encoding, settings, made.vocabSize),
        seed,
        optimizer: optimizerOf(settings),
      });
      const run = { encoding, seed, parameters: trainer.parameterCount, training: [] as (number | null)[] };
      const of = () => ({ accuracy: [] as number[], loss: [] as number[] });
      const evaluated = { once: of(), twice: of() };
      let training: number | null = null;
      for (;;) {
        run.training.push(training === null ? null : digits(training));
        for (const [length, batch] of [
          ["once", once],
          ["twice", twice],
        ] as const) {
          const { accuracy, loss } = trainer.evaluate(batch);
          evaluated[length].accuracy.push(digits(accuracy));
          evaluated[length].loss.push(digits(loss));
        }
        if (trainer.step >= settings.steps) break;
        training = 0;
        for (let i = 0; i < every; i++)
          training += trainer.train(made.batch({ index: trainer.step, batch: BATCH, sequence })).loss / every;
      }
      runs.push({ ...run, ...evaluated });
      trainer.dispose();
    }
    made.dispose();
  }
  return { settings, task, distance, every, ...said, runs };
}
