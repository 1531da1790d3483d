/** The weights of a model as one model.safetensors on its way, also where they are in several shards. */
import type { ByteStream } from "../../module/platform.js";
import { refuse } from "../refuse.js";
import type { FileSet } from "./model-files.js";
import { bytesOf, type Json, nameWithin, readJson } from "./read.js";

const WHOLE = "model.safetensors";
const INDEX = "model.safetensors.index.json";

/** An entry of the header: where the bytes of a tensor are behind it. */
interface Entry {
  data_offsets: [begin: number, end: number];
}

async function openStream(fn: string, files: FileSet, name: string): Promise<ByteStream | undefined> {
  const content = await files.open(name);
  if (content === undefined || "stream" in content) return content?.stream;
  throw refuse.type(fn, name, content.parsed, "bytes, a Blob, a Response, a URL or a path");
}

/** A safetensors file in its two parts. */
function partsOf(
  fn: string,
  name: string,
  bytes: Uint8Array<ArrayBuffer>,
): { header: Record<string, Entry>; data: Uint8Array<ArrayBuffer> } {
  const size =
    bytes.length < 8 ? Number.NaN : Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (!(size <= bytes.length - 8)) throw refuse.malformed(fn, name, "is not a safetensors file: its header is cut");
  try {
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + size))) as Record<string, Entry>;
    return { header, data: bytes.subarray(8 + size) };
  } catch (cause) {
    throw refuse.malformed(fn, name, "is not a safetensors file: its header is not JSON", cause);
  }
}

function shardNames(fn: string, folder: string, index: Json): string[] {
  const { weight_map: map } = index;
  if (typeof map !== "object" || map === null) throw refuse.malformed(fn, INDEX, "has no object `weight_map`");
  const names = new Set(Object.values(map).map((name) => folder + nameWithin(fn, INDEX, name)));
  if (names.size === 0) throw refuse.malformed(fn, INDEX, "names no file");
  return [...names].sort();
}

/** All shards behind one header. */
async function joined(fn: string, files: FileSet, names: readonly string[]): Promise<ByteStream> {
  const header: Record<string, Entry> = {};
  const data: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const name of names) {
    const stream = await openStream(fn, files, name);
    if (stream === undefined) throw refuse.missing(fn, `${name}, which ${INDEX} names`, files.where);
    const shard = partsOf(fn, name, await bytesOf(stream));
    for (const [tensor, entry] of Object.entries(shard.header)) {
      if (tensor === "__metadata__") continue;
      if (Object.hasOwn(header, tensor))
        throw refuse.malformed(fn, name, `repeats the tensor ${JSON.stringify(tensor)}`);
      const [begin, end] = entry.data_offsets;
      header[tensor] = { ...entry, data_offsets: [begin + size, end + size] };
    }
    data.push(shard.data);
    size += shard.data.length;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const head = new Uint8Array(8 + text.length);
  new DataView(head.buffer).setBigUint64(0, BigInt(text.length), true);
  head.set(text, 8);
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    yield head;
    yield* data;
  }
  return { size: head.length + size, chunks: chunks() };
}

/** `folder` is where the transformer's files are: "" or one that ends with a slash. */
export async function openWeights(fn: string, files: FileSet, folder: string): Promise<ByteStream> {
  const whole = await openStream(fn, files, folder + WHOLE);
  if (whole !== undefined) return whole;
  const index = await readJson(fn, files, folder + INDEX);
  if (index !== undefined) return joined(fn, files, shardNames(fn, folder, index));
  throw refuse.missing(fn, `${folder}${WHOLE}, nor ${folder}${INDEX} with its shards`, files.where);
}
