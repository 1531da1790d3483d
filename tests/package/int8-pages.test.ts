/**
 * With 8-bit weights Chromium and Firefox give the bits that the native library gives, with and without relaxed SIMD:
 * tests/cpp/int8_bits_test.cpp and decoder_int8_test.cpp.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readJson } from "../ts/files.js";
import { goldenPath } from "../ts/golden.js";
import { filesOf, vocabulary } from "../ts/model-folder.js";
import { openBrowser, serveModelPage, tell, titleOf, titlesInFirefox } from "./pages.js";

const pinsOf = (name: string) => readJson<Record<string, string>>(`tests/pins/${name}.json`);
const [pins, decoderPins] = [pinsOf("int8"), pinsOf("int8-decoders")];

const decoder = "llama3";

/** In each page: for each variant asked for, which ran and its hashes, or why it was refused. */
const page = `
  import { load } from "/dist/web.js";
  import { load as loadExternal } from "/dist/external.js";
  const hashOf = (vector) => {
    let hash = 0xcbf29ce484222325n;
    for (const byte of new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    return hash.toString(16).padStart(16, "0");
  };
  const embedding = async (ropewalk, workers) => {
    const model = await ropewalk.encoder("/model", { precision: "int8", workers });
    const hash = hashOf(await model.embed("the rope"));
    model.dispose();
    return hash;
  };
  const logits = async (ropewalk) => {
    const model = await ropewalk.decoder("/model/decoder", { precision: "int8", context: 64 });
    const cache = model.cache();
    const vocabulary = cache.feed([0]).length;
    cache.trim(0);
    const ids = Array.from({ length: 24 }, (_, i) => (7 * i) % vocabulary);
    const hash = hashOf(cache.feed(ids));
    model.dispose();
    return hash;
  };
  const hashes = async (load, variant) => {
    const ropewalk = await load({ variant });
    const found = [await embedding(ropewalk), await embedding(ropewalk, 2), await logits(ropewalk)];
    return [ropewalk.variant, ...found].join(" ");
  };
  const variant = new URLSearchParams(location.search).get("variant");
  (${tell})([load, loadExternal].map((each) => hashes(each, variant)));
`;

const bits = `${pins["the rope"]} ${pins["the rope"]} ${decoderPins[decoder]}`;

const files: [string, unknown][] = readdirSync(goldenPath(`decoders/${decoder}`), {
  recursive: true,
  withFileTypes: true,
})
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => [`decoder/${name}`, readFileSync(join(parentPath, name))]);
const site = await serveModelPage(page, [...filesOf("bert-labse", { "vocab.txt": vocabulary() }), ...files]);
const browser = await openBrowser();

it.each(["simd", "relaxed"])("results in Chromium have the pinned bits with %s", async (variant) => {
  const { title } = await titleOf(browser, `${site.address}?variant=${variant}`);
  expect(title).toBe(`${variant} ${bits} | ${variant} ${bits}`);
});

it("results in Firefox have the pinned bits, whichever it takes", async () => {
  const [title] = await titlesInFirefox(`${site.address}?variant=auto`);
  expect(title?.replaceAll("relaxed", "simd")).toBe(`simd ${bits} | simd ${bits}`);
});
