/** ropewalk quantize */
import { type FileHandle, mkdir, open, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { load } from "../entries/node.js";
import type { Command } from "./command.js";
import { about, FileError, parseJson } from "./files.js";
import { checkFolder, writeFolderWhole } from "./output.js";
import { ProgressLine } from "./progress.js";
import { columnsOf, float32Reader, quantizeRow } from "./quantize-row.js";
import { readBytes, readTensors, type TensorInfo } from "./safetensors.js";

/** Rows are read in pieces of about this many bytes. */
const PIECE = 1 << 20;
/** Files of a model that are copied as they are. */
const COPIED = /\.(json|txt|md|model|jinja)$/;

interface Planned {
  tensor: TensorInfo;
  /** In 8 bits, with the scales of its rows behind it. */
  quantized: boolean;
}

const scaleName = (name: string) => `${name}_hadamard_scale`;

function headerOf(plan: readonly Planned[]): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  let at = 0;
  const add = (name: string, dtype: string, shape: readonly number[], bytes: number) => {
    header[name] = { dtype, shape, data_offsets: [at, at + bytes] };
    at += bytes;
  };
  for (const { tensor, quantized } of plan) {
    const { name, dtype, shape, begin, end } = tensor;
    if (quantized) {
      const whole = [shape[0]!, columnsOf(shape[1]!)];
      add(name, "I8", whole, whole[0]! * whole[1]!);
      add(scaleName(name), "F32", shape.slice(0, 1), 4 * shape[0]!);
    } else add(name, dtype, shape, end - begin);
  }
  // As the format's own library, which lets the data begin at a multiple of 8.
  const text = JSON.stringify(header);
  const bytes = Buffer.from(text.padEnd(text.length + ((8 - (Buffer.byteLength(text) % 8)) % 8)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([length, bytes]);
}

/** One file on its way to another. */
class Quantizer {
  readonly #source: string;
  readonly #from: FileHandle;
  readonly #target: string;
  readonly #to: FileHandle;

  constructor([source, from]: [string, FileHandle], [target, to]: [string, FileHandle]) {
    this.#source = source;
    this.#from = from;
    this.#target = target;
    this.#to = to;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await about(this.#target, this.#to.write(bytes, done, bytes.length - done));
      done += bytesWritten;
    }
  }

  async copy({ begin, end }: TensorInfo): Promise<void> {
    for (let at = begin; at < end; at += PIECE)
      await this.write(await readBytes(this.#source, this.#from, at, Math.min(PIECE, end - at)));
  }

  async quantize({ dtype, shape, begin, end }: TensorInfo): Promise<void> {
    const [rows, columns] = shape as [number, number];
    const read = float32Reader(dtype);
    const rowBytes = (end - begin) / rows;
    const most = Math.max(1, Math.floor(PIECE / rowBytes));
    const scales = new Float32Array(rows);
    for (let first = 0; first < rows; first += most) {
      const count = Math.min(most, rows - first);
      const values = read(await readBytes(this.#source, this.#from, begin + first * rowBytes, count * rowBytes));
      const whole = columnsOf(columns);
      const integers = new Int8Array(count * whole);
      for (let i = 0; i < count; i++) {
        const row = values.subarray(i * columns, (i + 1) * columns);
        scales[first + i] = quantizeRow(row, integers.subarray(i * whole, (i + 1) * whole));
      }
      await this.write(new Uint8Array(integers.buffer));
    }
    await this.write(new Uint8Array(scales.buffer));
  }
}

/** Caches of hubs hold links from `snapshots/REVISION` to `blobs`. */
const SNAPSHOT = /[\\/]snapshots[\\/][^\\/]+$/;

/** Refuses links to files elsewhere: a stranger's folder would have them copied. */
async function checkWithin(folder: string, file: string): Promise<void> {
  const [within, target] = [await about(folder, realpath(folder)), await about(file, realpath(file))];
  const allowed = [within, within.replace(SNAPSHOT, `${sep}blobs`)];
  if (allowed.every((each) => !target.startsWith(each + sep)))
    throw new FileError(file, `is a link to ${target}, outside of the folder`);
}

interface Sizes {
  before: number;
  after: number;
  tensors: string[];
}

async function quantizeFile(source: string, target: string, matrices: ReadonlySet<string>): Promise<Sizes> {
  const from = await about(source, open(source, "r"));
  try {
    const tensors = await readTensors(source, from);
    const plan = tensors.map((tensor) => ({
      tensor,
      quantized: matrices.has(tensor.name) && tensor.dtype !== "I8",
    }));
    const to = await about(target, open(target, "wx"));
    try {
      const quantizer = new Quantizer([source, from], [target, to]);
      await quantizer.write(headerOf(plan));
      for (const { tensor, quantized } of plan) await (quantized ? quantizer.quantize(tensor) : quantizer.copy(tensor));
      const [before, after] = [(await from.stat()).size, (await to.stat()).size];
      return { before, after, tensors: plan.flatMap(({ tensor, quantized }) => (quantized ? [tensor.name] : [])) };
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

/** The index of shards names the scales as well. */
function indexWithScales(file: string, text: string, matrices: ReadonlySet<string>): string {
  const index = parseJson(file, text) as { weight_map?: Record<string, string> };
  const map = Object.entries(index.weight_map ?? {}).flatMap(([name, shard]) =>
    matrices.has(name)
      ? [
          [name, shard],
          [scaleName(name), shard],
        ]
      : [[name, shard]],
  );
  return JSON.stringify({ ...index, metadata: {}, weight_map: Object.fromEntries(map) }, undefined, 2);
}

export const quantize: Command = {
  words: ["DIR", "OUT"],
  summary: "a model with weights of 8 bits, which loads as it is",
  help: `\
  DIR                 a folder with config.json and model.safetensors, or its shards
  OUT                 a new folder: the same model, its matrices in 8 bits with a scale for each row. It gives the same
                      bits as DIR with --precision int8. docs/encoders.md describes the layout.`,
  options: {},
  async run(args) {
    const [source, target] = [args.word(0), args.word(1)];
    if (!(await about(source, stat(source))).isDirectory()) throw new FileError(source, "is a file; allowed: a folder");
    await checkFolder(target);
    const ropewalk = await load();
    const size = await ropewalk.modelSize(source, { precision: "int8" }).catch((error: unknown) => {
      throw new FileError(source, args.describe(error), error);
    });
    const matrices = new Set(size.matrices);
    if (matrices.size === 0)
      throw new FileError(source, "holds a decoder, which takes 8 bits while it loads: generate --precision int8");
    const files = await about(source, readdir(source, { recursive: true }));
    const all: Sizes = { before: 0, after: 0, tensors: [] };
    const line = new ProgressLine();
    await writeFolderWhole(target, async (folder) => {
      for (const [i, name] of files.entries()) {
        const [file, copy] = [join(source, name), join(folder, name)];
        if (!(await about(file, stat(file))).isFile()) continue;
        if (!name.endsWith(".safetensors") && !COPIED.test(name)) continue;
        await checkWithin(source, file);
        await about(target, mkdir(dirname(copy), { recursive: true }));
        if (name.endsWith(".safetensors")) {
          line.write(name, i, files.length);
          const { before, after, tensors } = await quantizeFile(file, copy, matrices);
          all.before += before;
          all.after += after;
          all.tensors.push(...tensors);
        } else {
          const text = await about(file, readFile(file));
          const isIndex = name.endsWith(".safetensors.index.json");
          await about(copy, writeFile(copy, isIndex ? indexWithScales(file, text.toString(), matrices) : text));
        }
      }
      if (all.tensors.length === 0) throw new FileError(source, "has no weights that are not in 8 bits already");
    });
    line.clear();
    const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
    const sizes = `${megabytes(all.before)} became ${megabytes(all.after)}`;
    return {
      text: `${target}: ${all.tensors.length} matrices in 8 bits, ${sizes}\n`,
      json: { in: source, out: target, bytes: [all.before, all.after], tensors: all.tensors },
    };
  },
};
