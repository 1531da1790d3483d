// The JavaScript side of test_search.py: search.mjs MODEL INDEX TEXT... prints, for each text, its vector as hexadecimal and
// the ids and scores of the two nearest.
import { readFile } from "node:fs/promises";
import { load } from "../../dist/node.js";

const [folder, file, ...texts] = process.argv.slice(2);
const ropewalk = await load();
const model = await ropewalk.encoder(folder, { precision: "int8" });
const index = ropewalk.index({ saved: await readFile(file) });
const found = [];
for (const text of texts) {
  const vector = await model.embed(text);
  const hits = index.search(vector, { k: 2 });
  const ranked = await model.rank(text, ["the captain gave the rope to the sailor", "the painter painted a boat"]);
  found.push({
    vector: Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("hex"),
    hits,
    ranked,
  });
}
console.log(JSON.stringify(found));
