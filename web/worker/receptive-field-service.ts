import { fitReceptiveField, load } from "ropewalk";
import type { FigureCalls } from "./figure-calls.js";
import type { Service } from "./rpc.js";

export const receptiveFieldService: Pick<Service<FigureCalls>, "fit" | "hilbert"> = {
  async fit({ distances, values, headDim, base }, { signal, progress }) {
    await load({ analysis: true });
    const onProgress = (step: number) => progress(step);
    return { result: await fitReceptiveField({ distances, values }, { headDim, base, signal, onProgress }) };
  },
  async hilbert({ options, q, k, distances }) {
    using rope = (await load({ analysis: true })).rope(options);
    return { result: rope.hilbertError(q, k, distances) };
  },
};
