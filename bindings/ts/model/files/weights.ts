/** The files of weights: model.safetensors, or the shards that its index names. */
import type { ByteStream } from "../../module/platform.js";
import { refuse } from "../refuse.js";
import type { FileSet } from "./model-files.js";
import { type Json, nameWithin, needed, readJson } from "./read.js";

const WHOLE = "model.safetensors";
const INDEX = "model.safetensors.index.json";
const PICKLE = "pytorch_model.bin";

/** Ends an answer that nobody has begun to read: the generator of its chunks does so only once it runs. */
export function cancelUnread({ response }: ByteStream): void {
  void response?.body?.cancel().catch(() => {});
}

async function openStream(fn: string, files: FileSet, name: string): Promise<ByteStream | undefined> {
  const content = await files.open(name);
  if (content === undefined || "stream" in content) return content?.stream;
  throw refuse.type(fn, name, content.parsed, "bytes, a Blob, a Response, a URL or a path");
}

function shardNames(fn: string, folder: string, index: Json): string[] {
  const { weight_map: map } = index;
  if (typeof map !== "object" || map === null) throw refuse.malformed(fn, INDEX, "has no object `weight_map`");
  const names = new Set(Object.values(map).map((name) => folder + nameWithin(fn, INDEX, name)));
  if (names.size === 0) throw refuse.malformed(fn, INDEX, "names no file");
  return [...names].sort();
}

/** `folder` is where the transformer's files are: "" or one that ends with a slash. A GGUF file is all of them. */
export async function openWeights(fn: string, files: FileSet, folder: string): Promise<ByteStream[]> {
  if (files.gguf !== undefined) return [await needed(fn, files, files.gguf, openStream(fn, files, files.gguf))];
  const whole = await openStream(fn, files, folder + WHOLE);
  if (whole !== undefined) return [whole];
  const index = await readJson(fn, files, folder + INDEX);
  const others = (await files.names?.(folder).catch(() => [])) ?? [];
  if (index === undefined && others.includes(PICKLE))
    throw refuse.unsupported(
      fn,
      "files",
      PICKLE,
      `${WHOLE}: a pickle can run code when it is read, so convert it first`,
    );
  if (index === undefined)
    throw refuse.missing(fn, `${folder}${WHOLE}, nor ${folder}${INDEX} with its shards`, files.where);
  const streams: ByteStream[] = [];
  for (const name of shardNames(fn, folder, index)) {
    try {
      const stream = await openStream(fn, files, name);
      if (stream === undefined) throw refuse.missing(fn, `${name}, which ${INDEX} names`, files.where);
      streams.push({ ...stream, name });
    } catch (error) {
      for (const stream of streams) cancelUnread(stream);
      throw error;
    }
  }
  return streams;
}
