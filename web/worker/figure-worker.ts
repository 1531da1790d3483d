import type { FigureCalls } from "./figure-calls.js";
import { type Client, connect } from "./rpc.js";

let client: Client<FigureCalls> | undefined;

/** A thread for figures alone: they do not wait until the RoFormer room's model has answered. */
export function figureWorker(): Client<FigureCalls> {
  client ??= connect<FigureCalls>(
    new Worker(new URL("./figures.worker.ts", import.meta.url), { type: "module", name: "ropewalk figures" }),
  );
  return client;
}
