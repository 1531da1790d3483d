/** dist/cli.js as a process, and folders for what it reads and writes. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

export const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** A new folder, which is removed after the last test of the file. */
export function testFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `ropewalk-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the command beside this process, which may serve what it asks for. */
export const runCli = (
  args: readonly string[],
  { cwd, input = "", timeout }: { cwd?: string; input?: string | Buffer; timeout?: number } = {},
): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...args], { cwd, timeout }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin!.end(input);
  });
