/** Shards of safetensors as one file, since a decoder takes its weights in one piece. */
import type { ByteStream } from "../../module/platform.js";
import { bytesOf } from "../files/read.js";
import { refuse } from "../refuse.js";

/** An entry of the header: where the bytes of a tensor are behind it. */
interface Entry {
  data_offsets: [begin: number, end: number];
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

/** All files behind one header; one file as it is. */
export async function joinedWeights(fn: string, streams: readonly ByteStream[]): Promise<ByteStream> {
  if (streams.length === 1) return streams[0]!;
  const header: Record<string, Entry> = {};
  const data: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const stream of streams) {
    const name = stream.name ?? "weights";
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
