/** A thread of Node that holds a RoFormer; core/channel-node.ts is the other side. */
import { parentPort } from "node:worker_threads";
import { openLocation } from "../module/open-node.js";
import { serve } from "../parallel/serve.js";
import { openModels } from "./model.js";

const answer = serve(
  (module) => openModels(() => Promise.reject(new Error("the module was given")), openLocation, module),
  (message, transfer) => parentPort?.postMessage(message, transfer),
);
parentPort?.on("message", (question) => void answer(question));
