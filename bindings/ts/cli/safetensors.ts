/** The header of a .safetensors file: https://github.com/huggingface/safetensors. Data stay in the file. */
import type { FileHandle } from "node:fs/promises";
import { about, FileError, parseJson } from "./files.js";
import { hasOddValues, repeatedKey } from "./json-strict.js";

export interface TensorInfo {
  name: string;
  dtype: string;
  shape: number[];
  /** In the file, bytes. */
  begin: number;
  end: number;
}

// As cpp/src/safetensors has them, whose reader takes whole files.
const LONGEST_HEADER = 2 ** 24;
/** Bits of an element. */
const TYPES: Record<string, number> = {
  ...{ F4: 4, F6_E2M3: 6, F6_E3M2: 6, BOOL: 8, U8: 8, I8: 8 },
  ...{ F8_E5M2: 8, F8_E4M3: 8, F8_E8M0: 8, F8_E4M3FNUZ: 8, F8_E5M2FNUZ: 8, I16: 16, U16: 16, F16: 16, BF16: 16 },
  ...{ I32: 32, U32: 32, F32: 32, C64: 64, F64: 64, I64: 64, U64: 64 },
};

export async function readBytes(file: string, handle: FileHandle, at: number, length: number): Promise<Buffer> {
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

function checkSize(file: string, { name, dtype, shape, begin, end }: TensorInfo): void {
  const named = `its tensor ${JSON.stringify(name)}`;
  if (!Object.hasOwn(TYPES, dtype))
    throw new FileError(file, `${named} is of the unknown type ${JSON.stringify(dtype)}`);
  // A product that rounds is larger than any file.
  const bits = shape.reduce((product, each) => product * each, TYPES[dtype]!);
  if (end - begin === bits / 8) return;
  throw new FileError(file, `${named} has not as many bytes as its type ${dtype} and shape [${shape.join(", ")}] say`);
}

function headerOf(file: string, bytes: Uint8Array): object {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new FileError(file, "its header is not UTF-8", error);
  }
  const header = parseJson(file, text);
  const key = repeatedKey(text);
  if (key !== undefined) throw new FileError(file, `its header has the key ${JSON.stringify(key)} twice`);
  if (hasOddValues(text)) throw new FileError(file, "its header holds a number that is not whole, or half a character");
  return header;
}

/** In the order in which their data are: one after the other, without holes, to the end of the file. */
export async function readTensors(file: string, handle: FileHandle): Promise<TensorInfo[]> {
  const { size } = await about(file, handle.stat());
  const length = size < 8 ? 0 : Number((await readBytes(file, handle, 0, 8)).readBigUInt64LE());
  if (length < 2 || length > LONGEST_HEADER || 8 + length > size) throw new FileError(file, "not a .safetensors file");
  const { __metadata__: metadata, ...header } = headerOf(file, await readBytes(file, handle, 8, length)) as {
    __metadata__?: unknown;
  };
  const isTexts = (value: unknown) =>
    typeof value === "object" &&
    !Array.isArray(value) &&
    Object.values(value ?? {}).every((t) => typeof t === "string");
  if (metadata !== undefined && !isTexts(metadata))
    throw new FileError(file, "its `__metadata__` is no object of texts");
  const tensors = Object.entries(header)
    .map(([name, value]) => tensorOf(file, name, value, 8 + length, size))
    .sort((a, b) => a.begin - b.begin || a.end - b.end);
  let at = 8 + length;
  for (const { name, begin, end } of tensors) {
    const named = JSON.stringify(name);
    if (begin < at) throw new FileError(file, `its tensor ${named} overlaps the one before it`);
    if (begin > at) throw new FileError(file, `there are ${begin - at} bytes of no tensor before its tensor ${named}`);
    at = end;
  }
  if (at < size) throw new FileError(file, `${size - at} bytes follow its last tensor`);
  for (const tensor of tensors) checkSize(file, tensor);
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
