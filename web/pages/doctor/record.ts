import { checkRope, load } from "ropewalk";
import type { Recorded } from "./published.js";
import configurations from "./published.json" with { type: "json" };
import { lineOf, signOf } from "./sign.js";

/** The verdict on each published configuration (tools/site/record.mjs writes recorded.json). */
export async function record(): Promise<readonly Recorded[]> {
  await load({ analysis: true });
  return configurations.map(({ name, config }) => {
    const report = checkRope({ config });
    return { name, ...signOf(report), line: lineOf(report) };
  });
}
