/** Computes a model's needs before it is loaded, from its configuration and the headers of its weights. */
import type { ErrorDetails } from "../module/errors.js";
import { optionsObject } from "../module/errors.js";
import type { Open } from "../module/platform.js";
import type { DecoderOptions } from "./decoder/surface.js";
import { type FileSet, filesOf, type ModelFiles } from "./files/model-files.js";
import { type Json, readJson } from "./files/read.js";
import type { ModelSize } from "./files/stream-weights.js";

const FN = "modelSize";

/** Encoders or decoders. Returns the refusal of a model that may be of the other kind. */
export type SizeOf = (fn: string, files: FileSet, options: DecoderOptions) => Promise<ModelSize | Error>;

/** True if a model was refused for its kind, or for a configuration that is not there. */
export const isOtherKind = (error: unknown): error is Error & ErrorDetails =>
  ["model_type", "files"].includes((error as Partial<ErrorDetails>).argument!);

/** The same files, of which a configuration can be opened again where it came as a Response. */
function rememberingConfigurations(files: FileSet): FileSet {
  const read = new Map<string, Promise<Json | undefined>>();
  return {
    ...files,
    async open(name) {
      if (!/(^|\/)(config|params)\.json$/.test(name)) return files.open(name);
      if (!read.has(name)) read.set(name, readJson(FN, files, name));
      const parsed = await read.get(name);
      return parsed && { parsed };
    },
  };
}

export async function modelSize(
  source: ModelFiles,
  open: Open,
  options: DecoderOptions,
  first: SizeOf,
  second: () => Promise<SizeOf>,
): Promise<ModelSize> {
  const { signal } = optionsObject(FN, "options", options);
  signal?.throwIfAborted();
  const files = rememberingConfigurations(filesOf(FN, source, open, signal));
  const size = await first(FN, files, options);
  if (!(size instanceof Error)) return size;
  const other = await (await second())(FN, files, options);
  if (other instanceof Error) throw size;
  return other;
}
