// A batch through the model: on the caller's thread, with 8-bit weights, divided among workers, which are independent
// instances, and by one call on two threads, which should reach 0.85 of what two instances do. Then the same of a decoder.
import { measureGroup } from "../harness/group.mjs";
import { awaiting, calling } from "../harness/sampler.mjs";
import { ENCODER } from "../shapes.mjs";
import { decoderThreadsGroups } from "./decoder-threads.mjs";
import { operations } from "./encoder.mjs";
import { CONFIG, checkpoint, idsOf } from "./model-source.mjs";

const BATCH = 8;
const LENGTH = 128;

export async function batchesSuite(host, options) {
  const { timing, report } = options;
  const weights = await checkpoint(host);
  const ids = idsOf(LENGTH);
  const input = {
    inputIds: Int32Array.from({ length: BATCH * LENGTH }, (_, i) => ids[i % LENGTH]),
    batch: BATCH,
    sequence: LENGTH,
  };
  const wants = { logits: false };
  const ropewalk = await host.ropewalk();
  const opened = (options) => ropewalk.encoder({ "config.json": CONFIG, "model.safetensors": weights }, options);
  const one = await opened();
  const expected = one.forward(input, wants).lastHiddenState;
  const here = async () => calling("", "", () => one.forward(input, wants));
  const int8 = async () => {
    const model = await opened({ precision: "int8" });
    return calling("", "", () => model.forward(input, wants), { dispose: () => model.dispose() });
  };
  const threaded = async () => {
    const several = await host.ropewalkOn(2);
    const model = await several.encoder({ "config.json": CONFIG, "model.safetensors": weights });
    while (several.threads < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const { lastHiddenState } = model.forward(input, wants);
    if (!lastHiddenState.every((value, i) => value === expected[i])) throw new Error("its result is wrong");
    return calling("", "", () => model.forward(input, wants), { dispose: () => model.dispose() });
  };
  const among = (workers) => async () => {
    const model = await opened({ workers });
    const { lastHiddenState } = await model.forward(input, wants);
    if (!lastHiddenState.every((value, i) => value === expected[i])) throw new Error("its result is wrong");
    return awaiting("", "", () => model.forward(input, wants), { dispose: () => model.dispose() });
  };
  report(
    await measureGroup({
      suite: "batches",
      host: host.name,
      key: "batch",
      title: `a batch of ${BATCH} x ${LENGTH} tokens, hidden ${ENCODER.hidden}, ${ENCODER.layers} layers`,
      work: { unit: "GFLOP/s", amount: BATCH * operations(LENGTH) },
      makers: [
        { key: "here", label: "ropewalk, on the caller's thread", make: here },
        { key: "int8", label: "ropewalk, int8", make: int8 },
        { key: "threads-2", label: "ropewalk, one call on 2 threads", make: threaded },
        { key: "workers-1", label: "ropewalk, 1 worker", make: among(1) },
        { key: "workers-2", label: "ropewalk, 2 workers", make: among(2) },
      ],
      timing,
    }),
  );
  one.dispose();
  await decoderThreadsGroups(host, options);
}
