import { readFileSync } from "node:fs";
import type { Encoder, Ropewalk } from "ropewalk";
import { cosine } from "./cosine.js";
import { examples } from "./examples.js";
import { factsOf, shippedName } from "./facts.js";
import type { Opening } from "./opening.js";
import { fields } from "./state.js";
import { linesOf } from "./texts.js";

const folder = "web/public/embedder";
const file = (name: string) => readFileSync(`${folder}/${name}`);

async function cosinesOf(encoder: Encoder, query: string): Promise<number[]> {
  const [asked, ...texts] = await encoder.embed([query, ...linesOf(examples)]);
  return texts.map((text) => Number(cosine(asked!, text).toFixed(7)));
}

/** The model of this site and its answer to the query that the page opens with (tools/site/record.mjs writes recorded.json). */
export async function record(ropewalk: Ropewalk): Promise<Opening> {
  const query = fields.q.fallback;
  using rotated = await ropewalk.encoder(folder);
  using plain = await ropewalk.encoder({
    "config.json": { ...rotated.config, position_encoding: "none" },
    "model.safetensors": file("model.safetensors"),
    "tokenizer.json": file("tokenizer.json"),
    "modules.json": file("modules.json"),
    "1_Pooling/config.json": file("1_Pooling/config.json"),
  });
  return {
    query,
    model: factsOf(rotated, shippedName, true),
    cosines: { on: await cosinesOf(rotated, query), off: await cosinesOf(plain, query) },
  };
}
