// A step of training against a pass forward over the same batch.
import { measureGroup } from "../harness/group.mjs";
import { calling } from "../harness/sampler.mjs";
import { ENCODER } from "../shapes.mjs";
import { operations } from "./encoder.mjs";
import { CONFIG } from "./model-source.mjs";

const BATCH = 8;
const LENGTH = 64;

const batch = {
  inputIds: Int32Array.from({ length: BATCH * LENGTH }, (_, i) => (i * 11 + 5) % ENCODER.vocabulary),
  batch: BATCH,
  sequence: LENGTH,
  labels: Int32Array.from({ length: BATCH * LENGTH }, (_, i) => (i % 7 === 0 ? (i * 3) % ENCODER.vocabulary : -100)),
};

const trainer = async (host) =>
  (await host.ropewalk()).trainer({ config: CONFIG, seed: 1, optimizer: { learningRate: 1e-4 } });

/** A step of the optimiser, checked by the loss that falls. */
export async function trainingStep(host) {
  const made = await trainer(host);
  const before = made.train(batch).loss;
  for (let i = 0; i < 3; i++) made.train(batch);
  if (!(made.evaluate(batch).loss < before)) throw new Error("its result is wrong: the loss does not fall");
  return calling("", "", () => made.train(batch), { dispose: () => made.dispose() });
}

export async function trainingSuite(host, { timing, report }) {
  const evaluate = async () => {
    const made = await trainer(host);
    const { loss } = made.evaluate(batch);
    // Random weights guess uniformly: a loss near the logarithm of the vocabulary.
    if (!(Math.abs(loss - Math.log(ENCODER.vocabulary)) < 2)) throw new Error(`its result is wrong: a loss of ${loss}`);
    return calling("", "", () => made.evaluate(batch), { dispose: () => made.dispose() });
  };
  report(
    await measureGroup({
      suite: "training",
      host: host.name,
      key: "step",
      title: `training, hidden ${ENCODER.hidden}, ${ENCODER.layers} layers, batch ${BATCH} x ${LENGTH}`,
      // The head's product is not worth counting: 512 words, where a label is.
      work: { unit: "GFLOP/s", amount: BATCH * operations(LENGTH) },
      makers: [
        { key: "forward", label: "forward (evaluate)", make: evaluate },
        {
          key: "step",
          label: "a step (forward, backward, AdamW)",
          make: () => trainingStep(host),
          more: { amount: 3 * BATCH * operations(LENGTH) },
        },
      ],
      chains: [
        {
          key: "backward",
          label: "backward and AdamW (difference)",
          long: "step",
          short: "forward",
          nodes: [1, 0],
          amount: 2 * BATCH * operations(LENGTH),
        },
      ],
      timing,
    }),
  );
}
