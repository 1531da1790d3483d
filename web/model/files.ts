/** The files of a source, in the worker that reads it. */
import { hubFiles, type ModelFiles } from "ropewalk";
import { nameIn } from "./name-in.js";
import type { Source } from "./source.js";

export type Get = (name: string) => Blob | Response | undefined | Promise<Blob | Response | undefined>;

/** Files of this site, which are on their way while the library loads. */
function requested(folder: string, names: readonly string[], signal: AbortSignal): Get {
  const all = new Map(names.map((name) => [name, fetch(folder + name, { signal })]));
  // The reader of a file hears of its failure; one that nobody reads may fail unheard.
  for (const each of all.values()) each.catch(() => {});
  return (name) => all.get(name);
}

function fromHub({ repository, weightsAt }: Extract<Source, { repository: string }>): ModelFiles {
  const at = (revision?: string) =>
    hubFiles(repository, {
      cache: "caches" in globalThis,
      ...(revision !== undefined && { revision, file: "model.safetensors" }),
    });
  if (weightsAt === undefined) return at();
  const [others, weights] = [at("main"), at(weightsAt)] as unknown as readonly [Get, Get];
  return (name: string) => (name.endsWith(".safetensors") ? weights : others)(name);
}

/** A source as the library takes it; `names` are the files that the model of this site has. */
export function filesOf(source: Source, names: readonly string[], signal: AbortSignal): ModelFiles {
  if ("shipped" in source) return requested(source.shipped, names, signal);
  return "files" in source ? source.files : fromHub(source);
}

/** Asks for single files of it. */
export function getterOf(source: Source, names: readonly string[], signal: AbortSignal): Get {
  if (!("files" in source)) return filesOf(source, names, signal) as unknown as Get;
  const named = new Map(source.files.map((file) => [nameIn(file), file]));
  return (name) => named.get(name);
}

/** The same files with another config.json. */
export function withConfig(source: Source, names: readonly string[], config: object): ModelFiles {
  const get = getterOf(source, names, new AbortController().signal);
  return (name) => (name === "config.json" ? config : get(name));
}
