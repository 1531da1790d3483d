/** Reading from files and from the web, in Node. */
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openUrl } from "./fetch.js";
import type { ByteStream, Open } from "./platform.js";

/** The path that a location means, if it is a file: one letter before the colon is a drive of Windows. */
function pathOf(location: URL | string): string | undefined {
  const text = String(location);
  if (/^file:/i.test(text)) return fileURLToPath(text);
  return typeof location === "string" && !/^[a-z][a-z0-9+.-]+:/i.test(text) ? text : undefined;
}

/** Opened with the first chunk, so that nothing is left open where nobody reads. */
async function* chunksOf(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  yield* createReadStream(path, { highWaterMark: 1 << 20, signal }) as AsyncIterable<Uint8Array>;
}

async function openPath(location: URL | string, signal?: AbortSignal): Promise<ByteStream> {
  const path = pathOf(location);
  if (path === undefined) return openUrl(location, signal);
  const { size } = await stat(path);
  return { size, chunks: chunksOf(path, signal) };
}

export const openLocation: Open = Object.assign(openPath, {
  list: (folder: URL | string) => readdir(pathOf(folder) ?? "").catch(() => [] as string[]),
});
