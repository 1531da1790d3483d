// `npm run families -- [FAMILY...]`: parameters, memory and time of the smallest published shape of each family, with random
// weights, into measured.json; `npm run generate` then writes the page.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../setup/environment.mjs";

const file = (name) => new URL(name, import.meta.url);
const read = (name) => readFileSync(file(name), "utf8");

/** The configuration of a shape. Meta's params.json has no model_type. */
const configOf = (type, config) =>
  JSON.stringify("dim" in config && "n_layers" in config ? config : { model_type: type, ...config });

/** How far the number of parameters may be from the published one, which counts heads or tied matrices otherwise. */
const NEAR = 0.03;

export function measure(program, names) {
  const { models } = JSON.parse(read("models.json"));
  const rows = read("facts.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  let before = {};
  try {
    if (names.length > 0) before = JSON.parse(read("measured.json")).families;
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  const families = {};
  for (const { family, type, runs } of rows) {
    families[family] = before[family];
    if (names.length > 0 && !names.includes(family)) continue;
    const { config, millions } = models[family];
    const words = ["measure", runs === "encoder" ? "encoder" : "decoder"];
    const text = execFileSync(join(projectRoot(), program), words, { input: configOf(type, config), encoding: "utf8" });
    const found = JSON.parse(text);
    process.stdout.write(`${family} ${text}`);
    if (millions !== null && Math.abs(found.parameters / 1e6 / millions - 1) > NEAR)
      throw new Error(`${family}: ${found.parameters} parameters, and models.json says ${millions} million`);
    families[family] = found;
  }
  const machine = `${cpus()[0].model.trim()}, ${cpus().length} processors`;
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(file("measured.json"), `${JSON.stringify({ machine, date, families }, null, 2)}\n`);
}
