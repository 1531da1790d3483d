/** The header of a .safetensors file: https://github.com/huggingface/safetensors. Data stay in the file. */
import type { FileHandle } from "node:fs/promises";
import { about, FileError, parseJson } from "./files.js";

export interface TensorInfo {
  name: string;
  dtype: string;
  shape: number[];
  /** In the file, bytes. */
  begin: number;
  end: number;
}

const LONGEST_HEADER = 100_000_000;

async function readBytes(file: string, handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await about(file, handle.read(bytes, done, length - done, at + done));
    if (bytesRead === 0) throw new FileError(file, "ends too early: it is not a whole .safetensors file");
    done += bytesRead;
  }
  return bytes;
}

const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function tensorOf(file: string, name: string, value: unknown, data: number, size: number): TensorInfo {
  const { dtype, shape, data_offsets: offsets } = (value ?? {}) as Record<string, unknown>;
  if (typeof dtype === "string" && Array.isArray(shape) && shape.every(isSize) && Array.isArray(offsets)) {
    const [begin, end] = offsets as unknown[];
    if (offsets.length === 2 && isSize(begin) && isSize(end) && begin <= end && data + end <= size) {
      return { name, dtype, shape, begin: data + begin, end: data + end };
    }
  }
  throw new FileError(file, `its tensor ${JSON.stringify(name)} has no type, shape and place inside the file`);
}

/** In the order in which their data are. */
export async function readTensors(file: string, handle: FileHandle): Promise<TensorInfo[]> {
  const { size } = await about(file, handle.stat());
  const length = size < 8 ? 0 : Number((await readBytes(file, handle, 0, 8)).readBigUInt64LE());
  if (length < 2 || length > LONGEST_HEADER || 8 + length > size) throw new FileError(file, "not a .safetensors file");
  const header = parseJson(file, (await readBytes(file, handle, 8, length)).toString("utf8"));
  const tensors = Object.entries(header)
    .filter(([name]) => name !== "__metadata__")
    .map(([name, value]) => tensorOf(file, name, value, 8 + length, size))
    .sort((a, b) => a.begin - b.begin || a.end - b.end);
  tensors.forEach(({ name, begin }, i) => {
    if (i > 0 && begin < tensors[i - 1]!.end) {
      throw new FileError(
        file,
        `its tensors ${JSON.stringify(tensors[i - 1]!.name)} and ${JSON.stringify(name)} overlap`,
      );
    }
  });
  return tensors;
}

/** Reads the tensor's bytes, has them changed, and writes them back in their place. */
export async function changeTensor(
  file: string,
  handle: FileHandle,
  { begin, end }: TensorInfo,
  change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array,
): Promise<void> {
  const changed = change(new Uint8Array(await readBytes(file, handle, begin, end - begin)));
  for (let done = 0; done < changed.length; ) {
    const { bytesWritten } = await about(file, handle.write(changed, done, changed.length - done, begin + done));
    done += bytesWritten;
  }
}
