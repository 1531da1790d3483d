/**
 * A worker of a page: from its file beside this one, which the strictest policy allows, or the same script as a blob
 * where that file is not: a bundler left it behind, a development server moved this one, or it lies on another origin.
 */
import { unpack } from "../module/unpack-web.js";
import { type Channel, channelOf } from "./calls.js";
import type { Ready } from "./messages.js";

/** The worker, once its script says that it runs. */
function running(worker: Worker): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      worker.terminate();
      reject(new Error(why));
    };
    worker.onmessage = ({ data }: MessageEvent<Partial<Ready> | null>) =>
      data?.ready === true ? resolve(worker) : fail("the file holds another script");
    worker.onerror = (event) => {
      // The second try, or the error that names both, tells it.
      event.preventDefault();
      fail(event.message || "the file does not load");
    };
  });
}

// Bundlers know this form, with the literal, and carry the file along.
const fromFile = async () => running(new Worker(new URL("./ropewalk-worker.js", import.meta.url), { type: "module" }));

async function fromText(): Promise<Worker> {
  const { default: packed } = await import("ropewalk:worker-text");
  const url = URL.createObjectURL(new Blob([await unpack(packed)], { type: "text/javascript" }));
  try {
    return await running(new Worker(url));
  } finally {
    URL.revokeObjectURL(url);
  }
}

let start = fromFile;

async function startWorker(fn: string): Promise<Worker> {
  if (typeof Worker === "undefined") {
    throw new Error(
      `${fn}: \`workers\` needs the class Worker, which this context does not have, as service workers and edge ` +
        "runtimes do not; load the model without `workers`",
    );
  }
  if (start === fromText) return start();
  const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
  return fromFile().catch(async (first: unknown) => {
    try {
      const worker = await fromText();
      start = fromText;
      return worker;
    } catch (second) {
      throw new Error(
        `${fn}: no worker can be started: ropewalk-worker.js: ${reasonOf(first)}; the same script as a blob: ` +
          `${reasonOf(second)}. A Content Security Policy must allow one of them: worker-src 'self' for the file, ` +
          "worker-src blob: for the other.",
        { cause: second },
      );
    }
  });
}

export const openChannel = async (fn: string): Promise<Channel> => channelOf(await startWorker(fn), fn);
