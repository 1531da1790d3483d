/** As inlined-web.ts, by zlib, which Node has at hand before its web streams. */
import { gunzipSync } from "node:zlib";
import gzippedBase64 from "ropewalk:inlined-core";
import { openLocation } from "./open-node.js";
import type { Platform } from "./platform.js";

export const platform: Platform = {
  core: async () => new Uint8Array(gunzipSync(Buffer.from(gzippedBase64, "base64"))),
  open: openLocation,
};
