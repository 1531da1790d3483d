/** The files of a model, wherever they are: each is found by the name that it has on a hub. */
import { type ByteSource, isBuffer, streamOf } from "../../module/bytes.js";
import type { ByteStream, Open } from "../../module/platform.js";
import { unlessAborted } from "../cancel.js";
import { refuse } from "../refuse.js";

/** One file. A string is a URL or, in Node, a path; it is never the contents. A plain object is JSON already parsed. */
export type FileSource = ByteSource | object;

/**
 * The files of a model as Hugging Face publishes them (config.json, model.safetensors or its shards and index,
 * tokenizer.json or vocab.txt, modules.json, 1_Pooling/config.json, ...), or one GGUF file. Only files that are needed
 * are requested.
 */
export type ModelFiles =
  /** A folder (Node), the URL of a folder, or the path or URL of a file that ends in .gguf. */
  | string
  | URL
  /** File names to contents. Exactly one name may end in .gguf. */
  | Readonly<Record<string, FileSource>>
  | ReadonlyMap<string, FileSource>
  /** Files that a visitor chose or dropped; `webkitRelativePath` counts, less its first folder. */
  | Iterable<File>
  /** Returns undefined for a file that does not exist. */
  | ((name: string) => FileSource | undefined | Promise<FileSource | undefined>);

/** A file that is there: as bytes on their way, or as JSON that somebody has parsed. */
export type Content = { stream: ByteStream } | { parsed: object };

/** The file of the weights, where it is one in GGUF, and a sentence about the choice. */
export interface Chosen {
  gguf?: string;
  note?: string;
}

/** Names of the files in a folder, whose own name ends in "/". */
export interface Listing {
  names(folder: string): Promise<string[]>;
}

/** A model's files by name. Where folders cannot be listed there is no `names`. */
export interface FileSet extends Chosen, Partial<Listing> {
  /** The place of the files, for messages. */
  where: string;
  /** The end of a message about files that are missing: another thing to give. */
  hint?: string;
  /** Undefined for a file that does not exist. */
  open(name: string): Promise<Content | undefined>;
}

export const listingOf = (all: readonly string[]): Listing => ({
  names: async (folder) => all.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length)),
});

const GONE = [404, 410];
const isMissing = (error: unknown): boolean => {
  const { code, status } = (error ?? {}) as { code?: unknown; status?: unknown };
  return code === "ENOENT" || code === "ENOTDIR" || GONE.includes(status as number);
};

/** Some servers answer every address with a page. No file of a model is one. */
const isPage = (response: Response | undefined): boolean =>
  response?.headers.get("content-type")?.startsWith("text/html") === true;

const isPath = (where: string): boolean => !/^[a-z][a-z0-9+.-]+:/i.test(where) || /^file:/i.test(where);

const isGguf = (name: string): boolean => /\.gguf$/i.test(name);

/** The address of a file in a folder: URLs are resolved, paths of Node and relative addresses are joined. */
export function locationIn(folder: string | URL, name: string): string | URL {
  const text = String(folder);
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text)) return `${text.replace(/(?<=.)[/\\]+$/, "")}/${name}`;
  const base = new URL(text);
  const { search } = base;
  base.search = "";
  base.pathname = base.pathname.replace(/\/*$/, "/");
  const location = new URL(name.split("/").map(encodeURIComponent).join("/"), base);
  location.search = search;
  return location;
}

function filesAt(fn: string, folder: string | URL, open: Open, signal: AbortSignal | undefined): FileSet {
  const where = String(folder);
  let page = "";
  const path = folder instanceof URL ? folder.pathname : where.replace(/[?#].*$/, "");
  const streamAt = async (location: string | URL): Promise<Content | undefined> => {
    try {
      const stream = await streamOf(fn, "files", location, open, signal);
      if (!isPage(stream.response)) return { stream };
      page = ", whose server answers with a web page";
      return undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
  const hint = /\.(json|safetensors|bin|onnx|txt)$/i.test(path)
    ? `; give the folder of a model${/\.onnx$/i.test(path) ? ": ONNX files are not read" : ""}`
    : /^[\w.-]+\/[\w.-]+$/.test(where) && !isGguf(path)
      ? `; for a repository of the hub write hubFiles("${where}"), or hub:${where} on the command line`
      : "";
  const place = {
    hint,
    get where() {
      return `${where}${page}`;
    },
  };
  const { list } = open;
  const names = list && ((name: string) => list(locationIn(folder, name)));
  if (!isGguf(path))
    return Object.assign(place, {
      open: (name: string) => streamAt(locationIn(folder, name)),
      ...(names && isPath(where) && { names }),
    });
  const gguf = path.replace(/^.*[/\\]/, "");
  // Others, such as its tokenizer.json, lie beside it.
  const whole = /^[a-z][a-z0-9+.-]+:/i.test(where) ? where : path;
  const beside = whole.replace(/[^/\\?#]*([?#].*)?$/, "$1") || ".";
  return Object.assign(place, {
    gguf,
    open: (name: string) => streamAt(name === gguf ? folder : locationIn(beside, name)),
  });
}

/** The name of each file below the folder that was chosen. */
function namesOf(fn: string, files: Iterable<unknown>): Map<string, FileSource> {
  const named = new Map<string, FileSource>();
  for (const file of files) {
    if (!(file instanceof Blob) || typeof (file as File).name !== "string")
      throw refuse.type(fn, "files", file, "an iterable of Files");
    const { name, webkitRelativePath: path } = file as File;
    named.set(path ? path.replace(/^[^/]*\//, "") : name, file);
  }
  return named;
}

type Get = (name: string, signal?: AbortSignal) => FileSource | undefined | Promise<FileSource | undefined>;

async function contentOf(
  fn: string,
  name: string,
  source: FileSource | undefined | null,
  open: Open,
  signal: AbortSignal | undefined,
): Promise<Content | undefined> {
  if (source === undefined || source === null) return undefined;
  if (typeof source === "object" && !(source instanceof URL) && !isBuffer(source) && !(source instanceof Blob)) {
    if (!(source instanceof Response)) return { parsed: source };
    if (GONE.includes(source.status) || isPage(source)) return undefined;
  }
  return { stream: await streamOf(fn, `files: ${name}`, source as ByteSource, open, signal) };
}

/** `files` as one set, whatever form they are in. Nothing is read yet but the list of a hub. */
export async function filesOf(fn: string, files: ModelFiles, open: Open, signal?: AbortSignal): Promise<FileSet> {
  if (typeof files === "string" || files instanceof URL) {
    if (files === "") throw refuse.range(fn, "files", files, "a folder, a URL or files by name");
    return filesAt(fn, files, open, signal);
  }
  const from = (get: Get, more: Omit<FileSet, "open">): FileSet => ({
    ...more,
    open: async (name) => contentOf(fn, name, await unlessAborted(get(name, signal), signal), open, signal),
  });
  if (typeof files === "function") {
    // The function of `hubFiles` says which repository it reads, and which file of it holds the weights.
    const { where = "the given files", choose } = files as {
      where?: string;
      choose?: (signal?: AbortSignal) => Promise<Partial<Omit<FileSet, "open">>>;
    };
    return from(files, { where, ...(choose && (await unlessAborted(choose(signal), signal))) });
  }
  if (typeof files !== "object" || files === null || isBuffer(files) || files instanceof Blob)
    throw refuse.type(fn, "files", files, "a folder, a URL, files by name or a function");
  const isMap = typeof (files as Map<string, FileSource>).get === "function";
  const all: ReadonlyMap<string, FileSource> = isMap
    ? (files as ReadonlyMap<string, FileSource>)
    : Symbol.iterator in files
      ? namesOf(fn, files as Iterable<File>)
      : new Map(Object.entries(files));
  const names = [...all.keys()];
  const [gguf, second] = names.filter((name) => isGguf(name));
  if (second !== undefined)
    throw refuse.range(fn, "files", names.join(", "), "files of which at most one name ends in .gguf");
  const where = names.length > 0 ? `the given files (${names.slice(0, 8).join(", ")})` : "the given files (none)";
  return from((name) => all.get(name), {
    where,
    ...listingOf(names),
    ...(gguf !== undefined && { gguf }),
  });
}
