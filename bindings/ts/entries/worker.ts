/**
 * A worker that holds an encoder, for pages and, as text, for Node; parallel/channel-*.ts are the other side. It is one
 * script without any import, because a worker of several files breaks in most bundlers.
 */
import create from "ropewalk:model-glue";
import type { NativeModel } from "../module/native.js";
import { start } from "../module/start.js";
import type { Scope } from "../parallel/calls.js";
import { serveEncoder } from "../parallel/serve.js";

// The page, or the main thread, has read the weights and split the words: a worker gets bytes and ids.
const never = () => Promise.reject(new Error("a worker reads no files"));

serveEncoder(
  async (module) => (await start(create, never, "modelWasm", module)) as NativeModel,
  self as unknown as Scope,
);
