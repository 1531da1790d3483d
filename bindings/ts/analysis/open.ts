/** Configurations, analysis and conversion: a module of its own, which a page that only rotates leaves out. */

import { type ConfigOptions, type ConfigReading, optionsFromConfig, readConfig } from "../config/config.js";
import { ggufMetadata } from "../config/gguf.js";
import type { ByteSource } from "../module/bytes.js";
import { Core, type MemoryStats } from "../module/core.js";
import type { Glue } from "../module/glue.js";
import type { NativeAnalysis } from "../module/native.js";
import type { ModuleSource, Open } from "../module/platform.js";
import type { LoadProgress } from "../module/receive.js";
import { start } from "../module/start.js";
import { decay, effectiveReceptiveField, hilbertError, score, turns } from "./analysis.js";
import { checkRope } from "./check/check.js";
import { parsePrintedNumbers } from "./check/printed.js";
import { convertPairing } from "./convert.js";
import { explain } from "./explain.js";
import { fitReceptiveField } from "./fit.js";

/** The arguments of a function below, without the core, which is always that of this module. */
type Inside<F> = F extends (core: Core<NativeAnalysis>, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

export interface Analysis {
  optionsFromConfig: Inside<typeof optionsFromConfig>;
  readConfig(config: object, options: ConfigOptions): ConfigReading;
  ggufMetadata(source: ByteSource, options: LoadProgress): Promise<Record<string, unknown>>;
  explain: Inside<typeof explain>;
  checkRope: Inside<typeof checkRope>;
  parsePrintedNumbers: typeof parsePrintedNumbers;
  decay: Inside<typeof decay>;
  score: Inside<typeof score>;
  hilbertError: Inside<typeof hilbertError>;
  turns: Inside<typeof turns>;
  effectiveReceptiveField: Inside<typeof effectiveReceptiveField>;
  fitReceptiveField: Inside<typeof fitReceptiveField>;
  convertPairing: Inside<typeof convertPairing>;
  stats(): MemoryStats;
}

export async function startAnalysis(glue: Glue, wasm: ModuleSource, open: Open): Promise<Analysis> {
  const core = new Core((await start(glue, open, "analysisWasm", wasm)) as NativeAnalysis);
  return {
    optionsFromConfig: (...rest) => optionsFromConfig(core, ...rest),
    readConfig: (config, options) => readConfig(core, config, options),
    ggufMetadata: (source, options) => ggufMetadata(core, open, source, options),
    explain: (...rest) => explain(core, ...rest),
    checkRope: (...rest) => checkRope(core, ...rest),
    parsePrintedNumbers,
    decay: (...rest) => decay(core, ...rest),
    score: (...rest) => score(core, ...rest),
    hilbertError: (...rest) => hilbertError(core, ...rest),
    turns: (...rest) => turns(core, ...rest),
    effectiveReceptiveField: (...rest) => effectiveReceptiveField(core, ...rest),
    fitReceptiveField: (...rest) => fitReceptiveField(core, ...rest),
    convertPairing: (...rest) => convertPairing(core, ...rest),
    stats: () => core.stats(),
  };
}
