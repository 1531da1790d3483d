import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** Gzipped; the WebAssembly module rides in its script as text, a long run of letters that is not counted. */
export function packed(path: string): number {
  const source = readFileSync(join("dist-site", path), "utf8").replace(/[A-Za-z0-9+/=]{4096,}/g, "");
  return gzipSync(source, { level: 9 }).length;
}
