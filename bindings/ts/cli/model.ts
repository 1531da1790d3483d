/** The word MODEL of a command: a folder, an address, or a repository of a hub. */
import { statSync } from "node:fs";
import {
  type Encoder,
  hubFiles,
  load,
  type ModelFiles,
  type ModelOptions,
  type ParallelEncoder,
} from "../entries/node.js";
import { PRECISIONS } from "../module/numbers.js";
import { type Arguments, type OptionKinds, textOptions, UsageError } from "./arguments.js";
import { FileError, ggufAlone } from "./files.js";
import { ProgressLine } from "./progress.js";

/** Help about the options of every command that takes a MODEL. */
export const WEIGHTS_HELP = `\
  --revision R        of a hub's repository: a branch, a tag or a commit; main unless given
  --file NAME         of it that holds the weights; the smallest of 8 bits or more unless given
  --endpoint URL      of the hub, https://huggingface.co unless given
  --cache DIR         where files of the hub are kept; ropewalk/hub in the user's cache folder unless given
  --precision P       float32 unless given, or int8 for weights of 8 bits`;

export const MODEL_HELP = `\
  MODEL               a folder with config.json, model.safetensors, a tokenizer; its URL, a .gguf file or hub:owner/name
${WEIGHTS_HELP}
  --workers N         divide texts among N copies of the model, each in a thread; 1 unless given`;

export const WEIGHTS_OPTIONS: OptionKinds = textOptions("revision file endpoint cache precision");

export const MODEL_OPTIONS: OptionKinds = { ...WEIGHTS_OPTIONS, ...textOptions("workers") };

const HUB = /^hub:/;
/** A word that may also be the name of a repository, as other tools take it. */
const REPOSITORY = /^\w[\w.-]*\/\w[\w.-]*$/;

/** Files of a repository, by the options of the hub. */
export function hubFilesOf(args: Arguments, repository: string): ModelFiles {
  const [revision, endpoint, file] = [args.text("revision"), args.text("endpoint"), args.text("file")];
  return hubFiles(repository, {
    cache: args.text("cache") ?? true,
    ...(revision !== undefined && { revision }),
    ...(endpoint !== undefined && { endpoint }),
    ...(file !== undefined && { file }),
  });
}

/** The path of a folder or a GGUF file. */
function pathOf(model: string): string {
  const found = statSync(model, { throwIfNoEntry: false });
  if (found === undefined) {
    const hub = REPOSITORY.test(model) ? `; for a repository of the hub write hub:${model}` : "";
    throw new FileError(model, `no such file or folder${hub}`);
  }
  const isGguf = /\.gguf$/i.test(model);
  if (found.isDirectory() && isGguf) throw new FileError(model, "is a folder");
  if (found.isFile() && !isGguf) throw new FileError(model, "is a file; give the folder of a model, or a .gguf file");
  return (found.isDirectory() && ggufAlone(model)) || model;
}

/** Explains the word MODEL in the help texts. */
export function filesOfModel(args: Arguments, model: string): ModelFiles {
  if (HUB.test(model)) return hubFilesOf(args, model.replace(HUB, ""));
  for (const name of ["revision", "file", "endpoint", "cache"])
    if (args.text(name) !== undefined) throw new UsageError(`--${name} is for hub:owner/name`);
  // A letter and a colon begin a path of Windows.
  return /^[a-z][a-z0-9+.-]+:/i.test(model) ? model : pathOf(model);
}

export async function openModel(args: Arguments, model: string): Promise<Encoder | ParallelEncoder> {
  const workers = args.count("workers") ?? 1;
  const precision = args.choice("precision", PRECISIONS);
  const ropewalk = await load();
  const line = new ProgressLine();
  const options: ModelOptions = {
    precision,
    onProgress: (loaded, total = loaded) => line.write(`${(loaded / 1e6).toFixed(0)} MB`, loaded, total),
  };
  try {
    if (workers === 1) return await ropewalk.encoder(filesOfModel(args, model), options);
    return await ropewalk.encoder(filesOfModel(args, model), { ...options, workers });
  } finally {
    line.clear();
  }
}
