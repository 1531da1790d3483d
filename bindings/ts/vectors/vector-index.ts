/**
 * Nearest vectors by cosine. The module scans 8-bit codes, which bound each cosine from both sides; what the bounds do not
 * decide, products of the vectors themselves do, so that hits and their order are exact.
 */
import type { Core } from "../module/core.js";
import { failure, optionsObject, quoted, refusal } from "../module/errors.js";
import { Handle } from "../module/handle.js";
import type { NativeCore } from "../module/native.js";
import { cosineOf, lengthOf } from "./cosine.js";
import { areDimensions, FACTS, isModel, read, write } from "./file.js";

export interface Hit {
  id: string;
  /** Cosine of query and entry, from -1 to 1; 0 for a vector of zeros. */
  score: number;
  fields: Readonly<Record<string, unknown>>;
}

export interface VectorEntry {
  id: string;
  /** Any length but the index's dimensions; it need not be 1. Kept as float32. */
  vector: ArrayLike<number>;
  /** Kept as JSON keeps it. */
  fields?: object | undefined;
}

export interface SearchOptions {
  /** Hits at most. Default 10. */
  k?: number | undefined;
  /**
   * Entries for which it is falsy are left out, as by `Array.filter`. It is called for those near the query; with `k` above
   * 256, for all.
   */
  where?: ((fields: Readonly<Record<string, unknown>>) => boolean) | undefined;
}

/** Memory: an entry of n dimensions takes n + 8 bytes, and 4 n more for its vector, beside its id and fields. */
export interface VectorIndex extends Disposable {
  readonly size: number;
  readonly dimensions: number;
  /** Name of the model that made the vectors, if the index has one. */
  readonly model: string | undefined;
  /**
   * Replaces an entry of the same id.
   *
   * @throws RangeError for a vector of another length or with a number that is not finite.
   */
  add(entry: VectorEntry): void;
  /** False if there is no such entry. */
  remove(id: string): boolean;
  /**
   * The entries of the largest cosine with a vector, the best first; of equal ones the one that was added first. Exact:
   * the same as by products with every entry.
   */
  search(vector: ArrayLike<number>, options?: SearchOptions): Hit[];
  /** One file, for `ropewalk.index({ saved })`: an index of the same bits. */
  save(): Uint8Array<ArrayBuffer>;
  dispose(): void;
}

export interface NewIndexOptions {
  /** Length of each vector. */
  dimensions: number;
  /**
   * "float32" keeps each vector as it is, beside its codes. "int8" keeps the codes alone, a fifth of the memory: 100,000
   * vectors of 384 in 40 MB. Scores are then cosines of the codes, which differ by up to about 0.01. Default "float32".
   */
  precision?: "float32" | "int8" | undefined;
  /** Name that you give the model of the vectors. `save` keeps it. `add` and `search` cannot check it. */
  model?: string | undefined;
}

export interface SavedIndexOptions {
  saved: Uint8Array | ArrayBuffer;
  /** Name of the model of the queries. A file with another name is refused; one without a name is opened. */
  model?: string | undefined;
}

export type IndexOptions = NewIndexOptions | SavedIndexOptions;

/** Rows of one piece of the module's memory. */
const ROWS = 1024;

interface Entry {
  id: string;
  fields: Readonly<Record<string, unknown>>;
  /** Entries count from the first that was added. */
  order: number;
}

interface Piece {
  codes: number;
  facts: number;
  vectors: Float32Array | undefined;
}

/** The module's memory of one index. */
class Memory {
  readonly pieces: Piece[] = [];
  readonly query: number;
  readonly columns: number;
  readonly #core: Core<NativeCore>;
  readonly #dimensions: number;
  readonly #addresses: number[] = [];

  constructor(core: Core<NativeCore>, dimensions: number) {
    this.#core = core;
    this.#dimensions = dimensions;
    this.columns = core.native._ropewalk_index_columns(dimensions);
    try {
      // The query in float32 and in 16 bits, the sums, and both bounds.
      this.query = this.#take(this.columns * 6 + ROWS * 12);
    } catch (error) {
      this.free();
      throw error;
    }
  }

  #take(bytes: number): number {
    const address = this.#core.allocate("index", "an index", bytes);
    this.#addresses.push(address);
    return address;
  }

  grow(keeps: boolean): void {
    const codes = this.#take(ROWS * (this.columns + FACTS));
    const vectors = keeps ? new Float32Array(ROWS * this.#dimensions) : undefined;
    this.pieces.push({ codes, facts: codes + ROWS * this.columns, vectors });
  }

  free(): void {
    for (const address of this.#addresses.splice(0)) this.#core.free(address);
  }
}

/** The k best of numbers that are offered one by one. */
class Best {
  readonly #k: number;
  /** Falling. */
  readonly #scores: number[] = [];

  constructor(k: number) {
    this.#k = k;
  }

  /** The k-th best so far; less than all numbers while there are fewer. */
  get least(): number {
    return this.#scores[this.#k - 1] ?? Number.NEGATIVE_INFINITY;
  }

  offer(score: number): void {
    let at = this.#scores.length;
    while (at > 0 && this.#scores[at - 1]! < score) at--;
    this.#scores.splice(at, 0, score);
    if (this.#scores.length > this.#k) this.#scores.pop();
  }
}

/** A copy of what JSON keeps of them. */
function keptOf(fn: string, fields: object): Entry["fields"] {
  let why = "";
  try {
    const kept: unknown = JSON.parse(JSON.stringify(optionsObject(fn, "fields", fields)));
    if (typeof kept === "object" && kept !== null) return kept as Entry["fields"];
  } catch (error) {
    if ((error as { code?: unknown }).code !== undefined) throw error;
    why = `: ${(error as Error).message.split("\n")[0]}`;
  }
  throw failure("type", fn, `\`fields\` cannot be kept as an object of JSON${why}`, {
    argument: "fields",
    value: fields,
  });
}

const DEFAULT_HITS = 10;
/** Hits that are kept in order while rows are looked at; more are sorted at once. */
const MANY = 256;

export class ModuleVectorIndex extends Handle implements VectorIndex {
  readonly #core: Core<NativeCore>;
  readonly #memory: Memory;
  readonly #keeps: boolean;
  readonly #entries: Entry[] = [];
  readonly #rows = new Map<string, number>();
  #next = 0;
  /** Counts what `add` and `remove` did. */
  #changes = 0;
  readonly dimensions: number;
  readonly model: string | undefined;

  constructor(core: Core<NativeCore>, dimensions: number, keeps: boolean, model: string | undefined) {
    const memory = new Memory(core, dimensions);
    super(core.owner, "VectorIndex", () => memory.free());
    this.#core = core;
    this.#memory = memory;
    this.#keeps = keeps;
    this.dimensions = dimensions;
    this.model = model;
  }

  get size(): number {
    return this.#entries.length;
  }

  #vector(fn: string, values: ArrayLike<number>): Float32Array<ArrayBuffer> {
    const { dimensions } = this;
    if (typeof values !== "object" || values === null || typeof values.length !== "number")
      throw refusal("type", fn, "vector", values, `${dimensions} numbers`);
    if (values.length !== dimensions) throw refusal("range", fn, "vector.length", values.length, String(dimensions));
    // Each is read once, by its index: an iterator may give more or fewer than there are.
    const vector = new Float32Array(dimensions);
    for (let i = 0; i < dimensions; i++) {
      const value: unknown = values[i];
      if (typeof value !== "number") throw refusal("type", fn, `vector[${i}]`, value, "a number");
      vector[i] = value;
      if (!Number.isFinite(vector[i])) throw refusal("range", fn, `vector[${i}]`, value, "a finite number of float32");
    }
    return vector;
  }

  add(entry: VectorEntry): void {
    const fn = "add";
    this.assertLive(fn);
    const { id, vector, fields = {} } = optionsObject(fn, "entry", entry);
    if (typeof id !== "string") throw refusal("type", fn, "id", id, "a text");
    const kept = keptOf(fn, fields);
    const values = this.#vector(fn, vector);
    // Once more: reading arguments can run a caller's code, which may dispose of the index.
    this.assertLive(fn);
    const row = this.#place(id, kept);
    const { piece, at } = this.#row(row);
    piece.vectors?.set(values, at * this.dimensions);
    this.#core.float32(this.#memory.query, this.dimensions).set(values);
    const codes = piece.codes + at * this.#memory.columns;
    this.#core.native._ropewalk_index_encode(this.#memory.query, this.dimensions, codes, piece.facts + at * FACTS);
  }

  /** The row of an id: that of the entry with this id, or a new one. */
  #place(id: string, fields: Entry["fields"]): number {
    const old = this.#rows.get(id);
    if (old === undefined && this.size === this.#memory.pieces.length * ROWS) this.#memory.grow(this.#keeps);
    this.#changes++;
    const row = old ?? this.size;
    this.#entries[row] = { id, fields, order: old === undefined ? this.#next++ : this.#entries[row]!.order };
    this.#rows.set(id, row);
    return row;
  }

  #row(row: number): { piece: Piece; at: number } {
    return { piece: this.#memory.pieces[Math.floor(row / ROWS)]!, at: row % ROWS };
  }

  #codes({ piece, at }: { piece: Piece; at: number }): Uint8Array<ArrayBuffer> {
    return this.#core.bytes(piece.codes + at * this.#memory.columns, this.#memory.columns);
  }

  #facts({ piece, at }: { piece: Piece; at: number }): Uint8Array<ArrayBuffer> {
    return this.#core.bytes(piece.facts + at * FACTS, FACTS);
  }

  /** The vector of a row, or its codes where there is no other. */
  #kept({ piece, at }: { piece: Piece; at: number }): ArrayLike<number> {
    const { dimensions } = this;
    if (piece.vectors !== undefined) return piece.vectors.subarray(at * dimensions, (at + 1) * dimensions);
    const codes = this.#codes({ piece, at });
    return new Int8Array(codes.buffer, codes.byteOffset, dimensions);
  }

  remove(id: string): boolean {
    this.assertLive("remove");
    const row = this.#rows.get(id);
    if (row === undefined) return false;
    this.#changes++;
    // The last row takes its place.
    const last = this.size - 1;
    const [to, from] = [this.#row(row), this.#row(last)];
    this.#codes(to).set(this.#codes(from));
    this.#facts(to).set(this.#facts(from));
    to.piece.vectors?.set(this.#kept(from), to.at * this.dimensions);
    this.#entries[row] = this.#entries[last]!;
    this.#rows.set(this.#entries[row]!.id, row);
    this.#rows.delete(id);
    this.#entries.pop();
    return true;
  }

  /** Lower and upper bounds of the cosines with all rows, [size] each. */
  #bounds(query: Float32Array): { lower: Float32Array; upper: Float32Array } {
    const { size, dimensions } = this;
    const { query: at, columns, pieces } = this.#memory;
    const [lower, upper] = [new Float32Array(size), new Float32Array(size)];
    const core = this.#core;
    core.float32(at, dimensions).set(query);
    const words = at + columns * 4;
    const sums = words + columns * 2;
    for (let first = 0; first < size; first += ROWS) {
      const rows = Math.min(ROWS, size - first);
      const { codes, facts } = pieces[first / ROWS]!;
      const [low, high] = [sums + ROWS * 4, sums + ROWS * 8];
      core.native._ropewalk_index_scan(at, dimensions, codes, facts, rows, words, sums, low, high);
      lower.set(core.float32(low, rows), first);
      upper.set(core.float32(high, rows), first);
    }
    return { lower, upper };
  }

  search(vector: ArrayLike<number>, options: SearchOptions = {}): Hit[] {
    const fn = "search";
    this.assertLive(fn);
    const { k = DEFAULT_HITS, where = () => true } = optionsObject(fn, "options", options, ["k", "where"]);
    if (!(Number.isInteger(k) && k >= 1)) throw refusal("range", fn, "k", k, "a whole number of at least 1");
    if (typeof where !== "function") throw refusal("type", fn, "where", where, "a function");
    const query = this.#vector(fn, vector);
    this.assertLive(fn);
    const length = lengthOf(query);
    const hits = this.#ordered(this.#candidates(query, k, where)).map((row) => {
      const { id, fields } = this.#entries[row]!;
      return { id, score: cosineOf(query, this.#kept(this.#row(row)), length), fields };
    });
    // Hits of equal scores keep their order.
    return hits.sort((a, b) => b.score - a.score).slice(0, k);
  }

  /** Rows that may be among the k nearest. */
  #candidates(query: Float32Array, k: number, where: NonNullable<SearchOptions["where"]>): number[] {
    const { lower, upper } = this.#bounds(query);
    const best = new Best(k);
    const allowed = new Map<number, boolean>();
    const changes = this.#changes;
    const isAllowed = (row: number): boolean => {
      const known = allowed.get(row);
      if (known !== undefined) return known;
      const result = Boolean(where(this.#entries[row]!.fields));
      this.assertLive("search");
      if (this.#changes !== changes)
        throw refusal("range", "search", "where", where, "a function that does not change the index");
      allowed.set(row, result);
      return result;
    };
    let { least } = best;
    if (k > MANY)
      least =
        lower
          .filter((_, row) => isAllowed(row))
          .sort()
          .at(-k) ?? least;
    else
      for (let row = 0; row < lower.length; row++) {
        if (lower[row]! <= least || !isAllowed(row)) continue;
        best.offer(lower[row]!);
        least = best.least;
      }
    const rows: number[] = [];
    for (let row = 0; row < upper.length; row++) if (upper[row]! >= least && isAllowed(row)) rows.push(row);
    return rows;
  }

  /** Rows in the order in which they were added. */
  #ordered(rows: number[]): number[] {
    const entries = this.#entries;
    return rows.sort((a, b) => entries[a]!.order - entries[b]!.order);
  }

  save(): Uint8Array<ArrayBuffer> {
    this.assertLive("save");
    const rows = this.#ordered([...this.#entries.keys()]);
    const entries = rows.map((row) => this.#entries[row]!);
    const { dimensions, model } = this;
    const [ids, fields] = [entries.map((each) => each.id), entries.map((each) => each.fields)];
    return write({ dimensions, keeps: this.#keeps, model, ids, fields }, (index, out) => {
      const place = this.#row(rows[index]!);
      const values = this.#kept(place) as Float32Array | Int8Array;
      out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
      if (!this.#keeps) out.set(this.#facts(place), dimensions);
    });
  }

  /** The index in a file that `save` wrote. It keeps the name in the file, also where the file has none. */
  static load(
    core: Core<NativeCore>,
    saved: Uint8Array | ArrayBuffer,
    expected: string | undefined,
  ): ModuleVectorIndex {
    const { header, row } = read(saved);
    const { dimensions, keeps, model } = header;
    if ((expected ?? model) !== (model ?? expected))
      throw refusal("range", "index", "model", expected, `that of \`saved\`, ${quoted(model)}`);
    const index = new ModuleVectorIndex(core, dimensions, keeps, model);
    try {
      header.ids.forEach((id, i) => {
        const bytes = row(i);
        if (keeps) index.add({ id, vector: new Float32Array(new Uint8Array(bytes).buffer), fields: header.fields[i]! });
        else index.#addCodes(id, header.fields[i]!, bytes);
      });
      return index;
    } catch (error) {
      index.dispose();
      throw error;
    }
  }

  #addCodes(id: string, fields: Entry["fields"], bytes: Uint8Array): void {
    const place = this.#row(this.#place(id, fields));
    const { dimensions } = this;
    const codes = this.#codes(place);
    codes.fill(0);
    codes.set(bytes.subarray(0, dimensions));
    this.#facts(place).set(bytes.subarray(dimensions));
  }
}

export function makeIndex(core: Core<NativeCore>, options: IndexOptions): VectorIndex {
  const fn = "index";
  const names = ["dimensions", "precision", "model", "saved"];
  const given: Partial<NewIndexOptions & SavedIndexOptions> = optionsObject(fn, "options", options, names);
  const { saved, dimensions, precision = "float32", model } = given;
  if (!isModel(model)) throw refusal("type", fn, "model", model, "a text");
  if (saved !== undefined) {
    if (dimensions !== undefined) throw refusal("range", fn, "dimensions", dimensions, "nothing beside `saved`");
    return ModuleVectorIndex.load(core, saved, model);
  }
  if (!areDimensions(dimensions))
    throw refusal("range", fn, "dimensions", dimensions, "a whole number from 1 to 65536");
  if (precision !== "float32" && precision !== "int8")
    throw refusal("range", fn, "precision", precision, '"float32" or "int8"');
  return new ModuleVectorIndex(core, dimensions, precision === "float32", model);
}
