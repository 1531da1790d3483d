/** Reading from files and from the web, in Node. */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openUrl } from "./fetch.js";
import type { ByteStream } from "./platform.js";

/** The path that a location means, if it is a file: one letter before the colon is a drive of Windows. */
function pathOf(location: URL | string): string | undefined {
  const text = String(location);
  if (/^file:/i.test(text)) return fileURLToPath(text);
  return typeof location === "string" && !/^[a-z][a-z0-9+.-]+:/i.test(text) ? text : undefined;
}

export async function openLocation(location: URL | string, signal?: AbortSignal): Promise<ByteStream> {
  const path = pathOf(location);
  if (path === undefined) return openUrl(location, signal);
  const { size } = await stat(path);
  return { size, chunks: createReadStream(path, { highWaterMark: 1 << 20, signal }) };
}
