/** A thread of Node. An idle one does not keep the process alive. */
import { Worker } from "node:worker_threads";
import type { Answer, Channel } from "./messages.js";

export function openChannel(): Channel {
  // A script given by `node --input-type=module -e` would hand its flags on to a file, which Node refuses.
  const worker = new Worker(new URL("./worker-node.js", import.meta.url), { execArgv: [] });
  const channel: Channel = {
    post: (question) => worker.postMessage(question),
    onAnswer() {},
    onFailure() {},
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    close: () => void worker.terminate(),
  };
  worker.on("message", (answer: Answer) => channel.onAnswer(answer));
  worker.on("messageerror", (cause) => channel.onFailure(new Error("roformer: a worker's answer is lost", { cause })));
  // Also where it ended without an error: by process.exit() or terminate().
  worker.on("exit", (code) => channel.onFailure(new Error(`roformer: a worker has ended, with exit code ${code}`)));
  worker.on("error", (cause) => channel.onFailure(new Error("roformer: a worker failed", { cause })));
  return channel;
}
