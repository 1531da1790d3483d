// Measurements of decoders that only Node takes: ten thousand tokens in the same memory.
import { join } from "node:path";
import { DECODER } from "../decoders/shape.mjs";
import { lastingGroup } from "../hosts/first-vector-in-node.mjs";
import { decodersSuite } from "./decoders.mjs";

export async function decodersInNode(host, options) {
  await decodersSuite(host, options);
  const { root, models, quick, report } = options;
  const count = quick ? 100 : 10_000;
  report(
    await lastingGroup("decoders/many-tokens.mjs", {
      root,
      folder: join(models, "smollm2"),
      count,
      label: "ropewalk, int8, in a cache of 512",
      suite: "decoders",
      key: "many",
      title: `${DECODER.title}, ${count} tokens`,
    }),
  );
}
