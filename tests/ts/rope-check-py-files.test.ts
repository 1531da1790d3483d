// rope_check.py reads files as people have them: with Windows line ends, in a folder, empty, or not there.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "./command-line.js";
import { fromRoot } from "./files.js";

const program = fromRoot("bindings/python/ropewalk/rope_check.py");
const folder = testFolder("rope-check");

const config = `{\r\n  "model_type": "llama",\r\n  "head_dim": 128,\r\n  "rope_theta": 500000\r\n}\r\n`;

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return name;
}

function check(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync("python3", [program, ...args], { cwd: folder, encoding: "utf8" });
}

test("byte order marks and UTF-16 are refused as Transformers refuses them", () => {
  const marked = check(write("marked.json", `\ufeff${config}`));
  expect(marked.status).toBe(1);
  expect(marked.stderr).toBe(
    "rope_check: marked.json: begins with a byte order mark, which Transformers refuses: save it as UTF-8 without one\n",
  );
  const utf16 = check(write("utf16.json", Buffer.from(`\ufeff${config}`, "utf16le")));
  expect(utf16).toMatchObject({ status: 1, stderr: "rope_check: utf16.json: is not a text in UTF-8\n" });
});

test("a printed table may be in UTF-16, which PowerShell writes", () => {
  const table = Array.from({ length: 64 }, (_, j) => 500000 ** (-j / 64)).join("\r\n");
  write("plain.json", config);
  write("table.txt", Buffer.from(`\ufeff${table}`, "utf16le"));
  expect(check("plain.json", "--inv-freq", "table.txt").status).toBe(0);
});

test("a folder stands for its config.json", () => {
  expect(check(".")).toMatchObject({ status: 1, stderr: "rope_check: ./config.json: No such file or directory\n" });
  write("config.json", config);
  expect(check(".").status).toBe(0);
});

test("messages name the file that is at fault and what is wrong", () => {
  expect(check(write("empty.json", "\n"))).toMatchObject({ status: 1, stderr: "rope_check: empty.json: is empty\n" });
  expect(check("none.json").stderr).toBe("rope_check: none.json: No such file or directory\n");
  const table = check(write("plain.json", config), "--inv-freq", "none.txt");
  expect(table).toMatchObject({ status: 1, stderr: "rope_check: none.txt: No such file or directory\n" });
});
