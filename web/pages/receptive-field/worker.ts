import { type Client, connect } from "../../worker/rpc.js";
import type { FieldCalls } from "./calls.js";

let client: Client<FieldCalls> | undefined;

/** The worker of this page. It starts at the first call. */
export function worker(): Client<FieldCalls> {
  client ??= connect<FieldCalls>(
    new Worker(new URL("./field.worker.ts", import.meta.url), { type: "module", name: "ropewalk receptive field" }),
  );
  return client;
}
