/** Files kept in a folder, in Node. Each is written beside its name first, so that half a file is never taken for one. */
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import type { OpenStore } from "./hub.js";
import { Whole } from "./whole.js";

const defaultFolder = (): string => join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ropewalk", "hub");

/** host/owner/name/resolve/revision/file; a name never leaves the folder, and two addresses never share a file. */
function pathIn(folder: string, address: string): string {
  const { host, pathname } = new URL(address);
  const parts = pathname.split("/").filter(Boolean).map(decodeURIComponent);
  const escaped = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;
  const safe = [host, ...parts].map((part) => encodeURIComponent(part).replace(/[!'()*~]|^\.+$/g, escaped));
  return join(folder, ...safe);
}

const DAY = 86_400_000;

/** Removes what a process that was ended has left of this file. */
async function sweep(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(path)}.partial-`)) continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (mtimeMs < Date.now() - DAY) await rm(join(folder, name), { force: true });
  }
}

/**
 * A stream that writes what it passes on, and gives the file its name at the end, unless it was cancelled or is not what
 * was announced. Where nothing can be written it passes the bytes on all the same.
 */
function keeping(path: string, body: ReadableStream<Uint8Array>, whole: Whole): ReadableStream<Uint8Array> {
  const partial = `${path}.partial-${randomBytes(8).toString("hex")}`;
  const reader = body.getReader();
  let file: Awaited<ReturnType<typeof open>> | undefined;
  let ended = false;
  const giveUp = async () => {
    ended = true;
    await file?.close().catch(() => {});
    await rm(partial, { force: true }).catch(() => {});
  };
  const writing = async (write: () => Promise<unknown>) => {
    if (!ended) await write().catch(giveUp);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(sink) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            whole.add(value);
            await writing(async () => {
              if (file === undefined) {
                await mkdir(dirname(path), { recursive: true });
                await sweep(path).catch(() => {});
                file = await open(partial, "wx");
              }
              await file.writeFile(value);
            });
            sink.enqueue(value);
            return;
          }
          if (!whole.holds()) await giveUp();
          await writing(async () => {
            await file?.close();
            if (file !== undefined) await rename(partial, path);
          });
          sink.close();
        } catch (error) {
          await giveUp();
          sink.error(error);
        }
      },
      async cancel(reason) {
        // The pull under way is told that the body has ended, which is no reason to keep it.
        const given = giveUp();
        await reader.cancel(reason).catch(() => {});
        await given;
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
      const length = response.headers.has("content-encoding") ? null : response.headers.get("content-length");
      return new Response(
        keeping(pathIn(folder, address), response.body, new Whole(address, length)),
        length === null ? {} : { headers: { "content-length": length } },
      );
    },
    async keepMissing(address) {
      const path = pathIn(folder, address) + MARK;
      await mkdir(dirname(path), { recursive: true })
        .then(() => writeFile(path, ""))
        .catch(() => {});
    },
  };
};
