/** Files kept in a folder, in Node. Each is written beside its name first, so that half a file is never taken for one. */
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { OpenStore } from "./hub.js";

const defaultFolder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ropewalk", "hub");

/** host/owner/name/resolve/revision/file; a name never leaves the folder. */
function pathIn(folder: string, address: string): string {
  const { host, pathname } = new URL(address);
  const parts = pathname
    .split("/")
    .filter(Boolean)
    .map((part) => encodeURIComponent(decodeURIComponent(part)));
  const safe = [host, ...parts].map((part) => part.replace(/[^\w.%-]/g, "_").replace(/^\.+$/, "_"));
  return join(folder, ...safe);
}

/** A stream that writes what it passes on, and gives the file its name at the end. */
function keeping(path: string, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const partial = `${path}.partial-${randomBytes(8).toString("hex")}`;
  const reader = body.getReader();
  let file: Awaited<ReturnType<typeof open>> | undefined;
  const giveUp = async () => {
    await file?.close().catch(() => {});
    await rm(partial, { force: true });
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(sink) {
        try {
          file ??= await open(partial, "wx");
          const { done, value } = await reader.read();
          if (!done) {
            await file.writeFile(value);
            sink.enqueue(value);
            return;
          }
          await file.close();
          await rename(partial, path);
          sink.close();
        } catch (error) {
          await giveUp();
          sink.error(error);
        }
      },
      async cancel(reason) {
        await reader.cancel(reason).catch(() => {});
        await giveUp();
      },
    },
    { highWaterMark: 0 },
  );
}

const MARK = ".missing";
const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );

export const openFolder: OpenStore = async (cache) => {
  const folder = cache === true ? defaultFolder() : cache;
  await mkdir(folder, { recursive: true });
  return {
    async find(address) {
      const path = pathIn(folder, address);
      if (await isThere(path)) {
        const { size } = await stat(path);
        const body = Readable.toWeb(createReadStream(path, { highWaterMark: 1 << 20 })) as ReadableStream<Uint8Array>;
        return new Response(body, { headers: { "content-length": String(size) } });
      }
      return (await isThere(path + MARK)) ? null : undefined;
    },
    async keep(address, response) {
      if (response.body === null) return response;
      const path = pathIn(folder, address);
      await mkdir(dirname(path), { recursive: true });
      const length = response.headers.has("content-encoding") ? null : response.headers.get("content-length");
      return new Response(
        keeping(path, response.body),
        length === null ? {} : { headers: { "content-length": length } },
      );
    },
    async keepMissing(address) {
      const path = pathIn(folder, address) + MARK;
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, "");
    },
  };
};
