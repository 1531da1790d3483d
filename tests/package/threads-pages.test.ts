/**
 * Threads of one call in Chromium and Firefox: with the two headers several, without them one, and always the bits of one
 * thread in Node. With relaxed SIMD where the engine takes it. An encoder in a worker gives the same bits: with the headers it
 * reads its files from shared memory.
 */
import { createHash } from "node:crypto";
import type { Ropewalk } from "ropewalk";
import { expect, it } from "vitest";
import { isolatingHeaders } from "../../tools/run/serve.mjs";
import { fromRoot } from "../ts/files.js";
import { idsOf, type LargeModel, largeDecoder, largeEncoder } from "../ts/large-model.js";
import { openBrowser, serveModelPage, tell, titleOf, titlesInFirefox } from "./pages.js";

const LENGTH = 150;
const ids = [...idsOf(LENGTH)];

const page = `
  import { load } from "/dist/web.js";
  import { load as loadExternal } from "/dist/external.js";
  const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const hashOf = async (values) => hex(await crypto.subtle.digest("SHA-1", values));
  const ids = ${JSON.stringify(ids)};
  const found = async (load) => {
    const ropewalk = await load({ threads: 3 });
    const hashes = [];
    for (const precision of ["float32", "int8"]) {
      const encoder = await ropewalk.encoder("/model/encoder", { precision });
      const decoder = await ropewalk.decoder("/model/decoder", { precision });
      while (crossOriginIsolated && ropewalk.threads < 3) await new Promise((resolve) => setTimeout(resolve, 5));
      const apart = await ropewalk.encoder("/model/encoder", { precision, workers: 1 });
      for (const model of [encoder, apart])
        hashes.push(await hashOf((await model.forward({ inputIds: ids, sequence: ids.length })).lastHiddenState));
      const cache = decoder.cache();
      hashes.push(await hashOf(cache.feed(ids)), await hashOf(cache.feed([7])));
      for (const model of [encoder, apart, decoder]) model.dispose();
    }
    return [ropewalk.threads, ...hashes].join(" ");
  };
  (${tell})([load, loadExternal].map(found));
`;

/** The hashes of one thread in Node. */
async function expectedHashes(): Promise<string> {
  const { load } = (await import(/* @vite-ignore */ fromRoot("dist/node.js"))) as {
    load(options: { threads: 1 }): Promise<Ropewalk>;
  };
  const ropewalk = await load({ threads: 1 });
  const hashOf = (values: Float32Array) => createHash("sha1").update(Buffer.from(values.buffer)).digest("hex");
  const hashes: string[] = [];
  for (const precision of ["float32", "int8"] as const) {
    using encoder = await ropewalk.encoder({ ...largeEncoder() }, { precision });
    using decoder = await ropewalk.decoder({ ...largeDecoder() }, { precision });
    const inThread = hashOf(encoder.forward({ inputIds: ids, sequence: LENGTH }).lastHiddenState!);
    hashes.push(inThread, inThread);
    using cache = decoder.cache();
    hashes.push(hashOf(cache.feed(ids)), hashOf(cache.feed([7])));
  }
  return hashes.join(" ");
}

const filesOf = (name: string, model: LargeModel): [string, Uint8Array][] => [
  [`${name}/config.json`, new TextEncoder().encode(JSON.stringify(model["config.json"]))],
  [`${name}/model.safetensors`, model["model.safetensors"]],
];
const files = [...filesOf("encoder", largeEncoder()), ...filesOf("decoder", largeDecoder())];
const isolated = await serveModelPage(page, files, "/model/", isolatingHeaders);
const plain = await serveModelPage(page, files);
const browser = await openBrowser();
const hashes = await expectedHashes();
const told = (threads: number) => `${threads} ${hashes} | ${threads} ${hashes}`;

it.each([
  [3, "with", isolated],
  [1, "without", plain],
] as const)("has %i threads in Chromium %s the two headers", async (threads, _, site) => {
  // Files that the model does not have are looked for, of which the browser complains.
  expect((await titleOf(browser, site.address)).title).toBe(told(threads));
});

it("has 3 threads in Firefox with the two headers, and 1 without", async () => {
  expect(await titlesInFirefox(isolated.address, plain.address)).toEqual([told(3), told(1)]);
});
