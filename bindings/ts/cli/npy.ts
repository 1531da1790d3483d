/** NumPy's .npy files: version 1 and 2, little-endian float32 in C order, and nothing else. */
import { readFile } from "node:fs/promises";
import { about, FileError } from "./files.js";
import { writeParts, writeWhole } from "./output.js";

export interface Npy {
  shape: number[];
  data: Float32Array<ArrayBuffer>;
}

const MAGIC = "\x93NUMPY";

/** The header is a Python dictionary of exactly these three. */
function parseHeader(file: string, header: string): { descr: string; fortran: boolean; shape: number[] } {
  const descr = header.match(/'descr'\s*:\s*'([^']*)'/)?.[1];
  const fortran = header.match(/'fortran_order'\s*:\s*(True|False)/)?.[1];
  const shape = header.match(/'shape'\s*:\s*\(([\d\s,]*)\)/)?.[1];
  if (descr === undefined || fortran === undefined || shape === undefined) {
    throw new FileError(file, "its header is not one of .npy with 'descr', 'fortran_order' and 'shape'");
  }
  const sizes = shape.split(",").filter((size) => size.trim() !== "");
  return { descr, fortran: fortran === "True", shape: sizes.map(Number) };
}

export async function readNpy(file: string): Promise<Npy> {
  const bytes = await about(file, readFile(file));
  if (bytes.length < 12 || bytes.toString("latin1", 0, 6) !== MAGIC) throw new FileError(file, "not a .npy file");
  const version = bytes[6]!;
  if (version !== 1 && version !== 2) throw new FileError(file, `.npy version ${version}; allowed: 1 or 2`);
  const begin = version === 1 ? 10 : 12;
  const end = begin + (version === 1 ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8));
  if (end > bytes.length) throw new FileError(file, "ends inside its header");
  const { descr, fortran, shape } = parseHeader(file, bytes.toString("latin1", begin, end));
  if (descr !== "<f4") {
    throw new FileError(file, `holds '${descr}'; allowed: '<f4', which x.astype('float32') gives`);
  }
  if (fortran) throw new FileError(file, "is in Fortran order; allowed: C order, which np.ascontiguousarray(x) gives");
  const size = shape.reduce((product, each) => product * each, 1);
  if (end + size * 4 !== bytes.length) {
    const found = `${bytes.length - end} bytes of data`;
    throw new FileError(file, `holds ${found}; allowed: ${size * 4}, as its shape [${shape.join(", ")}] says`);
  }
  // Copied, since the data need not begin at a multiple of 4.
  return { shape, data: new Float32Array(new Uint8Array(bytes.subarray(end)).buffer) };
}

export async function writeNpy(file: string, { shape, data }: Npy): Promise<void> {
  const sizes = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${sizes}), }`;
  // Data begin at a multiple of 64, and a line break ends the header.
  const padded = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const head = Buffer.alloc(10 + padded.length);
  head.write(`${MAGIC}\x01\x00`, "latin1");
  head.writeUInt16LE(padded.length, 8);
  head.write(padded, 10, "latin1");
  await writeWhole(file, (path) => writeParts(path, file, [head, new Uint8Array(data.buffer)]));
}
