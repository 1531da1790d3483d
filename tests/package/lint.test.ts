import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { expect, it } from "vitest";
import { testFolder } from "../ts/command-line.js";
import { fromRoot } from "../ts/files.js";
import { pack, run } from "./project.mjs";

const folder = testFolder("attw");

it("publint has nothing to say", async () => {
  const { messages, pkg } = await publint({ pkgDir: fromRoot(), strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

it("attw finds the types right", () => {
  const attw = fromRoot("node_modules/@arethetypeswrong/cli/dist/index.js");
  const modules = ["core", "analysis", "model", "decoder", "train"].map((name) => `./${name}.wasm`);
  const options = ["--profile", "esm-only", "--exclude-entrypoints", ...modules, "--no-color", "--no-emoji"];
  run(fromRoot(), process.execPath, attw, pack(folder), ...options);
});
