/** A worker of a page. Bundlers know this form, with the literal, and carry worker.js along. */
import type { Answer, Channel } from "./messages.js";

export function openChannel(): Channel {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const channel: Channel = {
    post: (question) => worker.postMessage(question),
    onAnswer() {},
    onFailure() {},
    hold() {},
    close: () => worker.terminate(),
  };
  worker.onmessage = ({ data }: MessageEvent<Answer>) => channel.onAnswer(data);
  worker.onmessageerror = () => channel.onFailure(new Error("roformer: a worker's answer is lost"));
  worker.onerror = ({ message }) =>
    channel.onFailure(new Error(`roformer: a worker failed: ${message || "no worker.js"}`));
  return channel;
}
