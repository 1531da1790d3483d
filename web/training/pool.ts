import { type Client, connect } from "../worker/rpc.js";
import type { TrainCalls } from "./train-calls.js";

/** One core is left to the page, where there are more than two. */
const size = Math.max(1, Math.min(4, navigator.hardwareConcurrency > 2 ? navigator.hardwareConcurrency - 1 : 2));
const clients: Client<TrainCalls>[] = [];

/** The workers that train, each with a module of its own; they are started when they are first needed. */
export function trainers(wanted: number): readonly Client<TrainCalls>[] {
  while (clients.length < Math.min(size, wanted)) {
    clients.push(
      connect<TrainCalls>(
        new Worker(new URL("./train.worker.ts", import.meta.url), { type: "module", name: "ropewalk training" }),
      ),
    );
  }
  return clients.slice(0, wanted);
}
