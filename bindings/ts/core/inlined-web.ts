/** The module as it travels inside the JavaScript: no second request, no path, no media type that could be wrong. */
import gzippedBase64 from "ropewalk:inlined-core";
import { openUrl } from "./fetch.js";
import type { Platform } from "./platform.js";

async function unpack(): Promise<ArrayBuffer> {
  const text = atob(gzippedBase64);
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

export const platform: Platform = { core: unpack, open: openUrl };
