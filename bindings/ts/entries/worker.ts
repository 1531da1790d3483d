/** A worker of a page that holds a RoFormer; parallel/channel-web.ts is the other side. */
import { openUrl } from "../module/fetch.js";
import { serve } from "../parallel/serve.js";
import { openModels } from "./model.js";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const answer = serve(
  (module) => openModels(() => Promise.reject(new Error("the module was given")), openUrl, module),
  (message, transfer) => scope.postMessage(message, transfer),
);
scope.onmessage = ({ data }) => void answer(data);
