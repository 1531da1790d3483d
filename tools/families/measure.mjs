// `npm run families -- [FAMILY...]`: parameters, memory and time of the smallest published shape of each family, with random
// weights, into measured.json; `npm run generate` then writes the page.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { chosen } from "../run/names.mjs";
import { fromRoot } from "../setup/environment.mjs";
import { say } from "../setup/progress.mjs";
import { familyFacts, familyModels, measuredFamilies } from "./generated.mjs";

/** The configuration of a shape. Meta's params.json has no model_type. */
const configOf = (type, config) =>
  JSON.stringify("dim" in config && "n_layers" in config ? config : { model_type: type, ...config });

/** How far the number of parameters may be from the published one, which counts heads or tied matrices otherwise. */
const NEAR = 0.03;

export function measure(program, names) {
  const models = familyModels();
  const before = measuredFamilies().families;
  const families = {};
  const facts = familyFacts();
  const measured = chosen(
    "family",
    facts.map(({ family }) => family),
    names,
  );
  for (const { family, type, runs } of facts) {
    families[family] = before[family];
    if (!measured.includes(family)) continue;
    const { config, millions } = models[family];
    const words = ["measure", runs === "encoder" ? "encoder" : "decoder"];
    const text = execFileSync(fromRoot(program), words, { input: configOf(type, config), encoding: "utf8" });
    const found = JSON.parse(text);
    say(`${family} ${text.trim()}`);
    if (millions !== null && Math.abs(found.parameters / 1e6 / millions - 1) > NEAR)
      throw new Error(`${family}: ${found.parameters} parameters, and models.json says ${millions} million`);
    families[family] = found;
  }
  const machine = `${cpus()[0].model.trim()}, ${cpus().length} processors`;
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(new URL("measured.json", import.meta.url), `${JSON.stringify({ machine, date, families }, null, 2)}\n`);
}
