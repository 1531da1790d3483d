// What Node measures of decoders besides: ten thousand tokens in the same memory.
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { DECODER } from "../decoders/shape.mjs";
import { summary } from "../harness/statistics.mjs";
import { printed } from "../hosts/first-vector-in-node.mjs";
import { decodersSuite } from "./decoders.mjs";

const manyTokens = fileURLToPath(new URL("../decoders/many-tokens.mjs", import.meta.url));

export async function decodersInNode(host, options) {
  await decodersSuite(host, options);
  options.report(await manyTokensGroup(options));
}

async function manyTokensGroup({ root, models, quick }) {
  const count = quick ? 100 : 10_000;
  const args = [pathToFileURL(join(root, "dist/node.js")).href, join(models, "smollm2"), count];
  const about = { key: "ropewalk", label: "ropewalk, int8, in a cache of 512" };
  const row = await printed(manyTokens, args, ["--expose-gc"]).then(
    ({ each, start, end }) => ({ ...about, ...summary(each), memory: { start, end } }),
    (error) => ({ ...about, error: error.message }),
  );
  return { suite: "decoders", host: "node", key: "many", title: `${DECODER.title}, ${count} tokens`, rows: [row] };
}
