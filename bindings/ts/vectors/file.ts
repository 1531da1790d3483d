/**
 * The file of an index: 8 bytes that say what it is, the length of a header as uint32, the header as JSON, and from the
 * next multiple of 4 on the rows. A row is the vector in float32, or its codes and two float32 numbers. Little-endian.
 */
import { failure, quoted, refusal } from "../module/errors.js";

const MAGIC = "ropeidx1";
/** Bytes of the two numbers beside a row of codes. */
export const FACTS = 8;

export interface Header {
  dimensions: number;
  /** True if the rows are the vectors themselves. */
  keeps: boolean;
  /** Name of the model that made the vectors, where the index was given one. */
  model?: string | undefined;
  ids: string[];
  fields: Readonly<Record<string, unknown>>[];
}

const rowBytes = ({ dimensions, keeps }: Header) => (keeps ? dimensions * 4 : dimensions + FACTS);
const start = (header: number) => Math.ceil((MAGIC.length + 4 + header) / 4) * 4;

export function write(header: Header, writeRow: (index: number, out: Uint8Array) => void): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const [at, size] = [start(json.length), rowBytes(header)];
  const file = new Uint8Array(at + header.ids.length * size);
  file.set(new TextEncoder().encode(MAGIC));
  new DataView(file.buffer).setUint32(MAGIC.length, json.length, true);
  file.set(json, MAGIC.length + 4);
  for (let i = 0; i < header.ids.length; i++) writeRow(i, file.subarray(at + i * size, at + (i + 1) * size));
  return file;
}

export const areDimensions = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 65536;

/** True for the name of a model, which may be missing. */
export const isModel = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === "string";

const isHeader = ({ dimensions, keeps, model, ids, fields }: Partial<Header>): boolean =>
  areDimensions(dimensions) &&
  typeof keeps === "boolean" &&
  isModel(model) &&
  Array.isArray(ids) &&
  Array.isArray(fields) &&
  fields.length === ids.length &&
  ids.every((id) => typeof id === "string") &&
  new Set(ids).size === ids.length &&
  fields.every((each) => typeof each === "object" && each !== null);

/** @throws TypeError for bytes that `save` did not write. */
export function read(given: Uint8Array | ArrayBuffer): { header: Header; row(index: number): Uint8Array } {
  const saved = given instanceof ArrayBuffer ? new Uint8Array(given) : given;
  if (!(saved instanceof Uint8Array))
    throw refusal("type", "index", "saved", saved, "what `save` returned, as a Uint8Array or an ArrayBuffer");
  const damaged = (how = ", or no file that `save` wrote", value?: number) =>
    failure("type", "index", `\`saved\` is damaged${how}`, { argument: "saved", value });
  const view = new DataView(saved.buffer, saved.byteOffset, saved.byteLength);
  const text = (from: number, to: number) => new TextDecoder().decode(saved.slice(from, to));
  if (saved.length < MAGIC.length + 4 || text(0, MAGIC.length) !== MAGIC) throw damaged();
  const length = view.getUint32(MAGIC.length, true);
  let header: Header;
  try {
    header = JSON.parse(text(MAGIC.length + 4, MAGIC.length + 4 + length)) as Header;
  } catch {
    throw damaged();
  }
  if (!isHeader(Object(header))) throw damaged();
  const [at, size] = [start(length), rowBytes(header)];
  if (saved.length !== at + header.ids.length * size) throw damaged();
  const row = (index: number) => saved.subarray(at + index * size, at + (index + 1) * size);
  const first = header.keeps ? 0 : header.dimensions;
  header.ids.forEach((id, i) => {
    // Codes go from -127 on, and neither scale nor error is negative: bounds rest on it.
    if (row(i).subarray(0, first).includes(128)) throw damaged();
    for (let place = first; place < size; place += 4) {
      const value = view.getFloat32(at + i * size + place, true);
      if (!(Number.isFinite(value) && (header.keeps || value >= 0)))
        throw damaged(`: the vector of ${quoted(id)} holds ${value}`, value);
    }
  });
  return { header, row };
}
