/**
 * With 8-bit weights the package gives the bits that the native library gives: tests/cpp/int8_bits_test.cpp and
 * decoder_int8_test.cpp.
 */
import { load } from "ropewalk";
import { expect, it } from "vitest";
import { readJson } from "./files.js";
import { goldenPath, readGolden } from "./golden.js";
import { filesOf, goldenFolder, vocabulary } from "./model-folder.js";

const pins = (name: string) => readJson<Record<string, string>>(`tests/pins/${name}.json`);
const { "the rope": embedding, "yes or no": scores, ...expected } = pins("int8");
const ropewalk = await load();

/** FNV-1a of 64 bits. */
function hashOf(values: Float32Array): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0");
}

it.each(Object.entries(expected))("%s has the bits of every architecture", async (name, hash) => {
  using model = await ropewalk.encoder(filesOf(name), { precision: "int8" });
  const vocabulary = model.config.vocab_size as number;
  const inputIds = Int32Array.from({ length: 24 }, (_, i) => (7 * i) % vocabulary);
  const { lastHiddenState } = model.forward({ inputIds, sequence: 24 }, { logits: false });
  expect(hashOf(lastHiddenState)).toBe(hash);
});

it("an embedding has the bits of every architecture, also in workers", async () => {
  const files = filesOf("bert-labse", { "vocab.txt": vocabulary() });
  using model = await ropewalk.encoder(files, { precision: "int8" });
  expect(hashOf(await model.embed("the rope"))).toBe(embedding);
  using parallel = await ropewalk.encoder(files, { precision: "int8", workers: 2 });
  for (const vector of await parallel.embed(["the rope", "the rope"])) expect(hashOf(vector)).toBe(embedding);
});

it("the scores of a causal reranker have the bits of every architecture", async () => {
  using model = await ropewalk.encoder(goldenFolder("qwen3-reranker"), { precision: "int8" });
  const { rankings } = readGolden<{ rankings: { ids: number[][] }[] }>("encoders-2/qwen3-reranker/expected.json");
  const logits = rankings[0]!.ids.map(
    (inputIds) => model.forward({ inputIds, sequence: inputIds.length }).classLogits!,
  );
  expect(hashOf(Float32Array.from(logits, ([logit]) => logit!))).toBe(scores);
});

it.each(Object.entries(pins("int8-decoders")))(
  "the decoder %s has the bits of every architecture",
  async (name, hash) => {
    const folder = name.endsWith(".gguf") ? `gguf/${name}` : `decoders/${name}`;
    using model = await ropewalk.decoder(goldenPath(folder), { precision: "int8", context: 64 });
    const cache = model.cache();
    const vocabulary = cache.feed([0]).length;
    const ids = Array.from({ length: 24 }, (_, i) => (7 * i) % vocabulary);
    cache.trim(0);
    cache.feed(ids.slice(0, 23));
    expect(hashOf(cache.feed(ids.slice(23)))).toBe(hash);
  },
);
