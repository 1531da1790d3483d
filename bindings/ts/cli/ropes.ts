/** A rope from the command line: by a configuration, or by its numbers. */
import {
  type ConfigReading,
  load,
  type Pairing,
  type RopeOptions,
  type Ropewalk,
  readRopeConfig,
} from "../entries/node.js";
import { type Arguments, type OptionKinds, textOptions, UsageError } from "./arguments.js";
import { readConfig } from "./config-file.js";
import { FileError } from "./files.js";

const PAIRINGS = ["interleaved", "half"] as const;

export const CONFIG_OPTIONS: OptionKinds = textOptions("length layer-type pairing");
export const CONFIG_HELP = `\
  --length N          tokens of the sequence, for the rules that depend on it (dynamic, longrope)
  --layer-type T      full_attention, sliding_attention, ...: where layers have rules of their own
  --pairing P         interleaved (2j, 2j+1) or half (j, j + d/2); needed for a model_type that is not known`;

export const NUMBER_OPTIONS: OptionKinds = textOptions("head-dim base rotary-dim");

/** Reads a configuration: what is refused is an option that was given, or else the file. */
export function ofFile<T>(args: Arguments, file: string | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const found = args.inOptions(error);
    if (found instanceof UsageError || file === undefined) throw found;
    throw new FileError(file === "-" ? "standard input" : file, args.describe(error), error);
  }
}

export interface FromConfig extends ConfigReading {
  ropewalk: Ropewalk;
  config: Record<string, unknown>;
}

/** The pairing, where the command line says it. */
export const pairingOf = (args: Arguments): Pairing | undefined => args.choice("pairing", PAIRINGS);

/** `file` is config.json, a folder with one, a GGUF file or its metadata as JSON, or "-". */
export async function ropeOfConfig(
  args: Arguments,
  file: string,
  pairing: Pairing | undefined = pairingOf(args),
): Promise<FromConfig> {
  const sequenceLength = args.number("length");
  const layerType = args.text("layer-type");
  const [ropewalk, config] = await Promise.all([load({ analysis: true }), readConfig(file)]);
  const reading = ofFile(args, file, () => readRopeConfig(config, { sequenceLength, layerType, pairing }));
  return { ropewalk, config, ...reading };
}

/** By its numbers; `headDim` is what the head dimension is unless --head-dim says it. */
export function ropeOfNumbers(args: Arguments, headDim?: number): RopeOptions {
  const given = args.count("head-dim") ?? headDim;
  if (given === undefined) throw new UsageError("neither config.json nor --head-dim is given");
  const idle = ["length", "layer-type"].find((name) => args.text(name) !== undefined);
  if (idle !== undefined) throw new UsageError(`--${idle} is for a configuration, and none is given`);
  const base = args.number("base");
  return {
    headDim: given,
    rotaryDim: args.count("rotary-dim"),
    pairing: pairingOf(args),
    frequencies: { type: "default", base },
  };
}

/** One or the other. */
export function refuseNumbers(args: Arguments): void {
  const beside = Object.keys(NUMBER_OPTIONS).find((name) => args.text(name) !== undefined);
  if (beside !== undefined) throw new UsageError(`--${beside} stands beside a configuration, which says it already`);
}
