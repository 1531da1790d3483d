import { significant } from "../../text/format.js";
import type { Contestant } from "./speed-calls.js";

export const names: Readonly<Record<Contestant, string>> = {
  nested: "JavaScript, nested",
  "heads inside": "JavaScript, heads inside",
  "by head": "JavaScript, by head",
  scalar: "C, scalar",
  simd: "C, SIMD",
  relaxed: "C, relaxed SIMD",
  ropewalk: "Ropewalk",
  limit: "limit: scale in place",
};

/** Units of the last place of a float32 as long as the pair say more than 6e-8. */
export const ulps = (error: number | undefined) =>
  error === undefined ? "" : `${significant(error * 2 ** 23, 2)} ulp`;
