import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { expect, it } from "vitest";
import { pack, root, run } from "./project.mjs";

it("publint has nothing to say", async () => {
  const { messages, pkg } = await publint({ pkgDir: root, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

it("attw finds the types right", () => {
  const folder = mkdtempSync(join(tmpdir(), "ropewalk-attw-"));
  try {
    const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
    const modules = ["core", "analysis", "model", "decoder", "train"].map((name) => `./${name}.wasm`);
    const excluded = ["--exclude-entrypoints", ...modules];
    run(root, process.execPath, attw, pack(folder), "--profile", "esm-only", ...excluded, "--no-color", "--no-emoji");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
