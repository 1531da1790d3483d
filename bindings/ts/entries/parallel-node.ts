/** Node loads this file when workers are asked for: encoders in several, or threads for one call. */
import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import { isMainThread } from "node:worker_threads";
import type { LoadTokenizer } from "../model/text/tokenizer.js";
import type { Int8Source } from "../module/int8.js";
import type { Open, OwnWasm } from "../module/platform.js";
import { openChannel } from "../parallel/channel-node.js";
import { openParallelModels } from "../parallel/encoder.js";
import { threadStarter } from "../parallel/start-thread.js";

const loadTokenizer: LoadTokenizer = async (source) => (await import("./tokenizers.js")).loadTokenizer(source);

export const start = (wasm: OwnWasm, open: Open, int8: Int8Source) =>
  openParallelModels(wasm, open, int8, openChannel, loadTokenizer);

export const startThread = threadStarter(openChannel);
/** A program that starts worker threads, or processes by node:cluster, divides the work itself. */
export const cores = () => (isMainThread && !cluster.isWorker ? availableParallelism() : 1);
