/** Files and folders that are written whole or not at all, and in place of nothing but what they replace. */
import { randomBytes } from "node:crypto";
import { constants, createReadStream, createWriteStream, existsSync, rmSync, type Stats } from "node:fs";
import { access, chmod, chown, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { about, FileError, reasonOf } from "./files.js";

/** Files that are removed if the process is told to stop. */
const unfinished = new Set<string>();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Ends as it would have without us: process.exit() would wait for a pipe that nobody reads. */
function stop(signal: NodeJS.Signals): void {
  for (const path of unfinished) rmSync(path, { recursive: true, force: true });
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Runs `work` on a path that is removed afterwards, whatever happens, unless it has been renamed. */
async function withPartial<T>(path: string, work: () => Promise<T>): Promise<T> {
  if (unfinished.size === 0) for (const signal of SIGNALS) process.on(signal, stop);
  unfinished.add(path);
  try {
    return await work();
  } finally {
    await rm(path, { recursive: true, force: true });
    unfinished.delete(path);
    if (unfinished.size === 0) for (const signal of SIGNALS) process.off(signal, stop);
  }
}

/** A name that nobody can have foreseen. It is opened as a new file, never over another. */
const besides = (path: string): string => `${path}.partial-${randomBytes(8).toString("hex")}`;

/** Undefined where there is nothing. A link to nothing is refused: what it should become is not known. */
async function statOf(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return about(file, Promise.reject(error));
  }
  const link = await lstat(file).catch(() => undefined);
  if (link?.isSymbolicLink()) throw new FileError(file, "is a link to nothing");
  return undefined;
}

interface Target {
  old: Stats | undefined;
  /** The file itself where `file` is a link. Undefined where it is not to be replaced. */
  path: string | undefined;
}

/** Refuses what cannot be written. Called before long work, too, since it would be lost. */
export async function checkFile(file: string): Promise<Target> {
  if (file === "-") throw new FileError(file, "is not standard output here; write ./- for a file of this name");
  const old = await statOf(file);
  if (old?.isDirectory()) throw new FileError(file, "is a folder");
  if (old !== undefined && (!old.isFile() || old.nlink > 1)) return { old, path: undefined };
  const path = old === undefined ? file : await about(file, realpath(file));
  await about(file, access(dirname(path), constants.W_OK));
  return { old, path };
}

/**
 * Calls `write` with a path that does not exist, and puts what it wrote in place of `file` only when it succeeded.
 * Links are followed, and the mode of a file that is replaced is kept. Devices, pipes and files with several names are
 * not replaced: what was written is copied into them.
 */
export async function writeWhole(file: string, write: (path: string) => Promise<void>): Promise<void> {
  const { old, path: target } = await checkFile(file);
  if (target === undefined) return writeInto(file, write);
  const partial = besides(target);
  await withPartial(partial, async () => {
    await write(partial);
    await about(file, chmod(partial, old === undefined ? 0o666 & ~process.umask() : old.mode & 0o7777));
    // Only root may give files away; others own what they replace, or share it by their group.
    if (old !== undefined && process.getuid?.() === 0) await about(file, chown(partial, old.uid, old.gid));
    await about(file, rename(partial, target));
  });
}

async function writeInto(file: string, write: (path: string) => Promise<void>): Promise<void> {
  const folder = join(tmpdir(), `ropewalk-${randomBytes(8).toString("hex")}`);
  await withPartial(folder, async () => {
    await about(folder, mkdir(folder, 0o700));
    const path = join(folder, "whole");
    await write(path);
    await about(file, pipeline(createReadStream(path), createWriteStream(file)));
  });
}

/** Writes all the parts into a file that must not exist yet. */
export async function writeParts(path: string, file: string, parts: readonly Uint8Array[]): Promise<void> {
  const handle = await about(file, open(path, "wx", 0o600));
  try {
    for (const part of parts) await about(file, handle.writeFile(part));
  } finally {
    await handle.close();
  }
}

/** Refuses a folder that cannot be written whole. Called before the work is done, since it would be lost. */
export async function checkFolder(out: string): Promise<void> {
  const names = await readdir(out).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    // Only a parent may be the file.
    const isFile = error.code === "ENOTDIR" && existsSync(out);
    throw new FileError(out, isFile ? "is a file; allowed: a folder" : reasonOf(error), error);
  });
  if (names.length > 0) throw new FileError(out, "holds files already; allowed: an empty folder, or none");
  let parent = dirname(resolve(out));
  // The root is missing too where a drive of Windows is.
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent);
  await about(out, access(parent, constants.W_OK));
}

/** Calls `write` with an empty folder, and puts it in place of `out`, an empty folder or nothing, when it succeeded. */
export async function writeFolderWhole(out: string, write: (path: string) => Promise<void>): Promise<void> {
  const named = out.replace(/(?<=.)[/\\]+$/, "");
  const old = await statOf(named);
  const target = old === undefined ? named : await about(out, realpath(named));
  await about(out, mkdir(dirname(target), { recursive: true }));
  const partial = besides(target);
  await withPartial(partial, async () => {
    await about(out, mkdir(partial));
    await write(partial);
    await about(out, rename(partial, target));
  });
}
