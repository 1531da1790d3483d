/**
 * A worker that holds a RoFormer, for pages and, as text, for Node; parallel/channel-*.ts are the other side. It is one
 * script without any import, because a worker of several files breaks in most bundlers.
 */
import create from "ropewalk:model-glue";
import { type Scope, serve } from "../parallel/serve.js";
import { startModels } from "../train/open.js";

// The page, or the main thread, has read the weights and split the words: a worker gets bytes and ids.
const never = () => Promise.reject(new Error("a worker reads no files and splits no words"));

serve((module) => startModels(create, module, never, never), self as unknown as Scope);
