/** Loading: nothing happens at import; the first call compiles, later ones with the same options get the same object. */

import type { Analysis } from "./analysis/open.js";
import { remember } from "./loaded.js";
import type { Decoders } from "./model/decoder/open.js";
import type { Models } from "./model/open.js";
import { Core } from "./module/core.js";
import { optionsObject, refusal } from "./module/errors.js";
import type { Glue } from "./module/glue.js";
import type { Int8Source } from "./module/int8.js";
import type { NativeCore } from "./module/native.js";
import { once } from "./module/once.js";
import type { ModuleSource, Open, OwnWasm, RunningModule, WasmSource } from "./module/platform.js";
import { start } from "./module/start.js";
import type { Compute } from "./module/start-models.js";
import type { ThreadStarter } from "./module/threads.js";
import type { ParallelModels } from "./parallel/encoder.js";
import { ModuleRopewalk, type Ropewalk } from "./ropewalk.js";
import type { Training } from "./train/open.js";

export interface LoadOptions {
  /**
   * How models in int8 multiply: 'simd' by fixed-width WebAssembly SIMD, 'relaxed' by relaxed SIMD, which some engines have.
   * Both give the same bits. 'auto', the default, takes 'relaxed' where it gives the right sums, which it tries for about 10
   * milliseconds when the first encoder or decoder is loaded. Everything else runs in fixed-width SIMD.
   */
  variant?: "auto" | "simd" | "relaxed" | undefined;
  /**
   * Threads of one call of an encoder or a decoder, 1 to 16, with the one that calls. The others are workers that have the
   * same weights in one shared memory; the bits of a result do not depend on their number. 'auto', the default, uses
   * 2 threads on 2 processors, and half the processors (at most 4) on larger machines, for models of a million parameters
   * or more. In worker threads and cluster processes of Node it uses one, since a program that starts several of them
   * divides the work itself. Node has shared memory; a page has it where `crossOriginIsolated` is true. Without shared
   * memory, or where no worker starts, one thread does everything.
   */
  threads?: "auto" | number | undefined;
  /**
   * Runs native code in the place of WebAssembly: by default where the package `ropewalk-native` is installed, in Node and
   * where none of the sources below and no `variant` is given. `true` demands it, `false` keeps WebAssembly. In 8 bits both
   * give the same bits.
   */
  native?: boolean | undefined;
  /** Instead of core.wasm, which comes with the package: its URL, bytes, compiled form or response. */
  wasm?: WasmSource | undefined;
  /** The same for model.wasm, which is loaded when the first encoder is asked for. */
  modelWasm?: WasmSource | undefined;
  /** The same for decoder.wasm, which is loaded when the first decoder is asked for. */
  decoderWasm?: WasmSource | undefined;
  /** The same for train.wasm, which is loaded when the first trainer or task is asked for. */
  trainWasm?: WasmSource | undefined;
  /** The same for analysis.wasm, which is loaded with `analysis: true`. */
  analysisWasm?: WasmSource | undefined;
  /**
   * true also loads what reads configurations, explains, analyses and converts: a module as large as that of the ropes,
   * which pages that only rotate do without. Default false.
   */
  analysis?: boolean | undefined;
}

/** The type of `load`, which every entry exports. */
export type Load = (options?: LoadOptions) => Promise<Ropewalk>;

/** Code that is loaded when it is first needed, and the module it runs. */
interface Late<Part> {
  code(): Promise<{ start(wasm: ModuleSource, open: Open, compute: Compute): Promise<Part> }>;
  wasm: OwnWasm;
}

/** Opens a module of ropewalk-native, with the members of every module of WebAssembly. */
export type OpenNative = () => RunningModule;

/** The parts that differ between a page, Node and an edge runtime, and between the inlined and the external entry. */
export interface Platform {
  open: Open;
  core: { glue: Glue; wasm: OwnWasm };
  analysis: Late<Analysis>;
  model: Late<Models>;
  decoder: Late<Decoders>;
  train: Late<Training>;
  /** relaxed.wasm, where the host can compile it at run time. */
  relaxed?: OwnWasm;
  /** Finds ropewalk-native, where it is installed. */
  native?(): Promise<OpenNative | undefined>;
  /** Encoders in several workers, which share one compiled module. */
  parallel(): Promise<{ start(wasm: OwnWasm, open: Open, int8: Int8Source): ParallelModels } & ThreadStarter>;
}

interface Means {
  open: Open;
  compute: Compute;
  native: OpenNative | undefined;
}

/** Code and module arrive at the same time. */
async function startLate<Part>(
  late: Late<Part>,
  given: WasmSource | undefined,
  { open, compute, native }: Means,
): Promise<Part> {
  const [code, wasm] = await Promise.all([late.code(), native?.() ?? given ?? late.wasm()]);
  return code.start(wasm, open, compute);
}

async function begin(
  platform: Platform,
  options: LoadOptions,
  withAnalysis: boolean,
  compute: Compute,
  asked: boolean | undefined,
): Promise<Ropewalk> {
  const { open, core, analysis, model, decoder, train, parallel } = platform;
  const { wasm, modelWasm, decoderWasm, trainWasm, analysisWasm } = options;
  const native = asked === false ? undefined : await platform.native?.();
  if (asked && native === undefined) {
    const allowed = "false, or the package ropewalk-native has to be installed, in Node";
    throw refusal("unsupported", "load", "native", asked, allowed);
  }
  const means = { open, compute, native };
  const startCore = async () => start(core.glue, open, "wasm", native?.() ?? wasm ?? (await core.wasm()));
  const [started, analysisPart] = await Promise.all([
    startCore() as Promise<NativeCore>,
    withAnalysis ? startLate(analysis, analysisWasm, means) : undefined,
  ]);
  const loaded = { core: new Core(started), analysis: analysisPart };
  remember(loaded);
  const modelOrGiven = modelWasm === undefined ? model.wasm : () => modelWasm;
  return new ModuleRopewalk(loaded, native === undefined ? "wasm" : "native", {
    models: once(() => startLate(model, modelWasm, means)),
    decoders: once(() => startLate(decoder, decoderWasm, means)),
    training: once(() => startLate(train, trainWasm, means)),
    parallel: once(async () => (await parallel()).start(modelOrGiven, open, compute.int8)),
  });
}

/** A function that gives i32x4.relaxed_dot_i8x16_i7x16_add_s of three vectors: engines without relaxed SIMD refuse it. */
const RELAXED_DOT = Uint8Array.from(atob("AGFzbQEAAAABBQFgAAF7AwIBAAoTAREAQQD9D0EA/Q9BAP0P/ZMCCw=="), (byte) =>
  byte.charCodeAt(0),
);

const SOURCES = ["wasm", "modelWasm", "decoderWasm", "trainWasm", "analysisWasm"] as const;
const OPTIONS = ["variant", "threads", "native", "analysis", ...SOURCES];

/** Sources are the same by identity, URLs by their text. */
const keyOf = (source: WasmSource | undefined) => (source instanceof URL ? source.href : source);
const begun: { keys: unknown[]; ropewalk: Promise<Ropewalk> }[] = [];

/** Each entry exports this as `load`, with its platform: a call at import would keep bundlers from leaving it out. */
export async function loadOn(platform: Platform, options: LoadOptions = {}): Promise<Ropewalk> {
  const { variant = "auto", threads = "auto", analysis = false } = optionsObject("load", "options", options, OPTIONS);
  if (variant !== "auto" && variant !== "simd" && variant !== "relaxed") {
    throw refusal("range", "load", "variant", variant, '"auto", "simd" or "relaxed"');
  }
  const has = platform.relaxed !== undefined && WebAssembly.validate(RELAXED_DOT);
  if (variant === "relaxed" && !has) {
    throw refusal("unsupported", "load", "variant", variant, '"auto" or "simd": there is no relaxed SIMD here');
  }
  const int8: Int8Source =
    has && variant !== "simd" ? { requested: variant, wasm: platform.relaxed } : { requested: "simd" };
  if (threads !== "auto" && !(Number.isInteger(threads) && threads >= 1 && threads <= 16)) {
    throw refusal("range", "load", "threads", threads, '"auto" or a whole number from 1 to 16');
  }
  if (typeof analysis !== "boolean") throw refusal("type", "load", "analysis", analysis, "true or false");
  const { native } = options;
  if (native !== undefined && typeof native !== "boolean")
    throw refusal("type", "load", "native", native, "true or false");
  const sources = SOURCES.map((name) => options[name]);
  // Who names a part of WebAssembly means that.
  const isWasm = variant !== "auto" || sources.some((source) => source !== undefined);
  if (isWasm && native)
    throw refusal("range", "load", "native", native, "false, since WebAssembly is asked for as well");
  const asked = isWasm ? false : native;
  const compute = { int8, threads: { requested: threads, open: platform.parallel } };
  const keys = [platform, analysis, threads, int8.requested, asked, ...sources.map(keyOf)];
  const known = begun.find((each) => each.keys.every((key, i) => key === keys[i]));
  if (known !== undefined) return known.ropewalk;
  const entry = { keys, ropewalk: begin(platform, options, analysis, compute, asked) };
  begun.push(entry);
  entry.ropewalk.catch(() => begun.splice(begun.indexOf(entry), 1));
  return entry.ropewalk;
}
