// Running other programs, finding them, and folders for what they write.
import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const KEPT_CHARACTERS = 400_000;

/**
 * Runs a program to its end and returns { code, output, stdout }; never throws for an exit code. `onLine` gets every
 * line as it comes; `statusFd` opens descriptor 3 and feeds its lines to `onStatus` (apt's machine-readable progress).
 */
export function run(command, args, { cwd, env = process.env, onLine, onStatus, timeout } = {}) {
  return new Promise((resolve) => {
    const stdio = ["ignore", "pipe", "pipe"];
    if (onStatus) stdio.push("pipe");
    const child = spawn(command, args, { cwd, env, stdio, timeout });
    let output = "";
    let stdout = "";
    const listen = (stream, isStdout, lineSink) => {
      let rest = "";
      stream.setEncoding("utf8");
      stream.on("data", (text) => {
        if (isStdout !== null) {
          output = (output + text).slice(-KEPT_CHARACTERS);
          if (isStdout) stdout = (stdout + text).slice(-KEPT_CHARACTERS);
        }
        if (!lineSink) return;
        const lines = (rest + text).split(/\r?\n|\r/);
        rest = lines.pop();
        for (const line of lines) if (line.trim()) lineSink(line);
      });
    };
    listen(child.stdout, true, onLine);
    listen(child.stderr, false, onLine);
    if (onStatus) listen(child.stdio[3], null, onStatus);
    child.on("error", (error) => resolve({ code: 127, output: `${command}: ${error.message}`, stdout: "" }));
    child.on("close", (code, signal) => resolve({ code: code ?? 128, signal, output, stdout }));
  });
}

/** Runs `work(folder)` with a new folder, which is removed when it ends. */
export async function inTemporaryFolder(name, work) {
  const folder = mkdtempSync(join(tmpdir(), `ropewalk-${name}-`));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The full path of a program on PATH (or of a path), or null. */
export function which(name, path = process.env.PATH ?? "") {
  const candidates = name.includes("/") ? [name] : path.split(delimiter).map((folder) => join(folder || ".", name));
  for (const candidate of candidates) {
    try {
      accessSync(candidate, constants.X_OK);
      if (statSync(candidate).isFile()) return candidate;
    } catch {
      // Not here; look on.
    }
  }
  return null;
}

/** The last lines of an output that say something, for an error message; passwords inside addresses are taken out. */
export function lastWords(output, lines = 3) {
  return output
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(-lines)
    .join(" / ")
    .replace(/:\/\/[^/@\s]+@/g, "://");
}
