/// <reference lib="webworker" />
import { fitReceptiveField, load } from "ropewalk";
import { serve } from "../../worker/rpc.js";
import type { FieldCalls } from "./calls.js";

serve<FieldCalls>(self as unknown as DedicatedWorkerGlobalScope, {
  async fit({ distances, values, headDim, base }, { signal, progress }) {
    await load({ analysis: true });
    const onProgress = (step: number) => progress(step);
    return { result: await fitReceptiveField({ distances, values }, { headDim, base, signal, onProgress }) };
  },
  async hilbert({ options, q, k, distances }) {
    using rope = (await load({ analysis: true })).rope(options);
    return { result: rope.hilbertError(q, k, distances) };
  },
});
