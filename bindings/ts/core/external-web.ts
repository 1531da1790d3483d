/** The module as a file beside the JavaScript, compiled while it arrives. */
import { openUrl } from "./fetch.js";
import type { Platform } from "./platform.js";

// Bundlers know this form, with the literal, and carry the file along.
export const platform: Platform = { core: () => new URL("./core.wasm", import.meta.url), open: openUrl };
