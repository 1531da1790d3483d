import { type Client, connect } from "../../worker/rpc.js";
import type { EncodingCalls } from "./calls.js";

let client: Client<EncodingCalls> | undefined;

/** The page's own thread, which starts with the first call. */
export function worker(): Client<EncodingCalls> {
  client ??= connect<EncodingCalls>(
    new Worker(new URL("./encodings.worker.ts", import.meta.url), { type: "module", name: "ropewalk encodings" }),
  );
  return client;
}
