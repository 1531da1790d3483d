/** The tables of options (tools/options/table.json, which C++ writes) against everything that repeats them. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { generated } from "../../tools/options/typescript.mjs";
import { fromRoot, readJson, readText } from "./files.js";

interface Option {
  name: string;
  required: boolean;
}
const table = readJson<Record<"rope" | "axes" | "xpos", Option[]> & { position_encodings: string[] }>(
  "tools/options/table.json",
);

test.each(Object.entries(generated))("%s is what `npm run generate` writes", (path, content) => {
  const biome = fromRoot("node_modules/.bin/biome");
  const input = (content as (of: object) => string)(table);
  const format = () =>
    execFileSync(biome, ["format", `--stdin-file-path=${path}`], { cwd: fromRoot(), input, encoding: "utf8" });
  // Biome leaves pages and rows of C++ alone.
  expect(readText(path)).toBe(/\.(ts|json)$/.test(path) ? format() : input);
});

const camelCase = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

test("the position encodings are those that C++ reads", () => {
  const union = readText("bindings/ts/model/position-encoding.ts").split("export type PositionEncoding =")[1]!;
  const names = [...union.matchAll(/"([\w-]+)"/g)].map(([, name]) => name);
  expect(names.sort()).toEqual([...table.position_encodings].sort());
});

test.each([
  ["rope", "rope/rope.ts", "RopeOptions"],
  ["axes", "rope/axes.ts", "Axes"],
  ["xpos", "rope/axes.ts", "XPos"],
] as const)("the options of %s are the members of its interface", (name, file, declared) => {
  const body = readText(`bindings/ts/${file}`).match(new RegExp(`interface ${declared} \\{([\\s\\S]*?)\\n\\}`))![1]!;
  const members = [...body.matchAll(/^ {2}(\w+\??):/gm)].map(([, member]) => member!);
  const options = table[name].map((option) => `${camelCase(option.name)}${option.required ? "" : "?"}`);
  expect(members.sort()).toEqual(options.sort());
});
