/** A thread of Node, from the text of the worker's script: no bundle leaves it behind. An idle one keeps no process alive. */
import { Worker } from "node:worker_threads";
import { unpack } from "../module/unpack-node.js";
import type { Answer, Channel } from "./calls.js";
import type { Ready } from "./messages.js";

/** Gives the script what workers of pages have by the name of `self`. */
const asThread = (script: string) => `{
  const { parentPort } = require("node:worker_threads");
  const self = {
    postMessage: (message, transfer) => parentPort.postMessage(message, transfer),
    addEventListener: (type, listener) => parentPort.on(type, (data) => listener({ data })),
  };
  ${script}
}`;

function failure(fn: string, cause: unknown): Error {
  return new Error(`${fn}: a worker failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}

/** The thread, once its script says that it runs. */
async function startThread(idle: boolean): Promise<Worker> {
  const { default: packed } = await import("ropewalk:worker-text");
  const script = new TextDecoder().decode(await unpack(packed));
  // Flags of `node --input-type=module -e` would make a module of the text, and what NODE_OPTIONS loads first is meant for
  // the program.
  const worker = new Worker(asThread(script), { eval: true, execArgv: [], env: {}, name: "ropewalk" });
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off("message", ready).off("error", failed).off("exit", ended);
    };
    const ready = (_: Ready) => {
      settle();
      resolve(worker);
    };
    const failed = (cause: unknown) => {
      settle();
      reject(cause);
    };
    const ended = (code: number) => failed(new Error(`the thread ended with code ${code}`));
    worker.on("message", ready).on("error", failed).on("exit", ended);
    // Listening has made the process wait for it.
    if (idle) worker.unref();
  });
}

/** `idle`: nobody waits for it, so that the process may end at once. */
export async function openChannel(fn: string, idle = false): Promise<Channel> {
  const worker = await startThread(idle).catch((cause: unknown) => {
    throw failure(fn, cause);
  });
  const channel: Channel = {
    post: (request, transfer) => worker.postMessage(request, transfer as ArrayBuffer[]),
    onAnswer() {},
    onFailure() {},
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    close: () => void worker.terminate(),
  };
  worker.on("message", (answer: Answer) => channel.onAnswer(answer));
  worker.on("messageerror", (cause) => channel.onFailure(new Error(`${fn}: a worker's answer is lost`, { cause })));
  // Also where it ended without an error: by process.exit() or terminate().
  worker.on("exit", (code) => channel.onFailure(new Error(`${fn}: a worker has ended, with exit code ${code}`)));
  worker.on("error", (cause) => channel.onFailure(failure(fn, cause)));
  channel.hold(!idle);
  return channel;
}
