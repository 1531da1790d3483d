/** What every entry loads beside itself, unless told not to. */
import create from "ropewalk:analysis-glue";
import inlined from "ropewalk:analysis-inlined";
import { type Analysis, startAnalysis } from "../analysis/open.js";
import type { Open } from "../module/platform.js";

export function openAnalysis(unpack: (gzippedBase64: string) => Promise<BufferSource>, open: Open): Promise<Analysis> {
  return startAnalysis({ glue: create, wasm: () => unpack(inlined) }, open);
}
