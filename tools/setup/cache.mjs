// The user's cache folder, shared by every clone: where it is, who may change it, and folders that are whole or absent.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir, hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { SetUpError, say } from "./progress.mjs";

export function inCache(...parts) {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ropewalk", ...parts);
}

export function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/** Writes beside and renames, so that a reader sees the old text or the new one. Leaves an equal file alone. */
export function writeWhole(path, text) {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  mkdirSync(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}`;
  writeFileSync(beside, text);
  renameSync(beside, path);
}

const STAMP = "ropewalk-stamp.json";

/** The stamp of a folder that `makeFolder` finished, or null. */
export function stampOf(folder) {
  return readJson(join(folder, STAMP));
}

/**
 * Fills a folder under another name and renames it when it is whole: an interrupted one is never taken for finished.
 * `fill(temporary)` returns what the stamp shall say.
 */
export async function makeFolder(folder, fill) {
  const parent = dirname(folder);
  mkdirSync(parent, { recursive: true });
  const prefix = `${basename(folder)}.partial-`;
  // Only the holder of the lock comes here, so whatever lies about is of a set-up that was interrupted.
  for (const name of readdirSync(parent)) {
    if (name.startsWith(prefix)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  const temporary = join(parent, `${prefix}${process.pid}`);
  mkdirSync(temporary);
  try {
    const stamp = await fill(temporary);
    writeFileSync(join(temporary, STAMP), `${JSON.stringify(stamp)}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

const LOCK_REFRESH_MS = 5_000;
const LOCK_STALE_MS = 60_000;

function isStale(lock) {
  const owner = readJson(join(lock, "owner.json"));
  let age;
  try {
    age = Date.now() - statSync(owner ? join(lock, "owner.json") : lock).mtimeMs;
  } catch {
    return false; // It went away by itself.
  }
  if (age > LOCK_STALE_MS) return true;
  if (!owner || owner.host !== hostname()) return false;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

/** Runs `work` while no other set-up runs on this cache. The lock of a process that died is taken over. */
export async function withCacheLock(work) {
  const lock = inCache("lock");
  try {
    mkdirSync(inCache(), { recursive: true });
  } catch (error) {
    throw new SetUpError(
      `The cache folder ${inCache()} cannot be made (${error.code}): set XDG_CACHE_HOME to a folder you may write.`,
    );
  }
  for (let told = false; ; ) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") {
        throw new SetUpError(
          `The cache folder ${inCache()} cannot be written (${error.code}): set XDG_CACHE_HOME to one that can.`,
        );
      }
    }
    if (isStale(lock)) {
      const aside = `${lock}.stale-${process.pid}`;
      try {
        renameSync(lock, aside);
        rmSync(aside, { recursive: true, force: true });
      } catch {
        // Another process was quicker.
      }
      continue;
    }
    if (!told) {
      const owner = readJson(join(lock, "owner.json"));
      say(`  Another set-up is running${owner ? ` (process ${owner.pid})` : ""}; waiting for it to finish ...`);
      told = true;
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const ownerFile = join(lock, "owner.json");
  writeFileSync(ownerFile, JSON.stringify({ pid: process.pid, host: hostname() }));
  const refresh = setInterval(() => utimesSync(ownerFile, new Date(), new Date()), LOCK_REFRESH_MS);
  const release = () => rmSync(lock, { recursive: true, force: true });
  const interrupted = (signal) => {
    release();
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.once("exit", release);
  process.once("SIGINT", interrupted);
  process.once("SIGTERM", interrupted);
  try {
    return await work();
  } finally {
    clearInterval(refresh);
    process.off("exit", release);
    process.off("SIGINT", interrupted);
    process.off("SIGTERM", interrupted);
    release();
  }
}
