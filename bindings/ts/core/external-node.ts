/** As external-web.ts, read from the disk. */
import { openLocation } from "./open-node.js";
import type { Platform } from "./platform.js";

export const platform: Platform = { core: () => new URL("./core.wasm", import.meta.url), open: openLocation };
