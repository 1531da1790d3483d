/** An index, and perhaps a model, that were fetched: from a query to passages. */
import type { ModelFiles } from "../model/files/model-files.js";
import type { HubOptions } from "../model/hub/hub.js";
import type { ParallelEncoder } from "../model/text/encoder-base.js";
import type { Ropewalk } from "../ropewalk.js";
import type { VectorIndex } from "../vectors/vector-index.js";
import { fetchBytes, type Progress } from "./download.js";
import { fused, type Passage, readPassages, WordSearch } from "./passages.js";

/** The part of the package's entry that the element takes, which it loads only for a model. */
export interface Package {
  load(): Promise<Ropewalk>;
  hubFiles(repository: string, options?: HubOptions): ModelFiles;
}

export interface Found {
  passage: Passage;
  /** Words of the passage that answer words of the query. */
  words: readonly string[];
}

/** Passages by their vectors. */
const NEAREST = 50;

const HUB = /^hub:/;
export const isHub = (model: string): boolean => HUB.test(model);

/** The folder of a model, whose name may be given without "/" at its end. */
export const folderOf = (model: string, base: string): URL => new URL(model.replace(/\/?$/, "/"), base);

export class Finder {
  readonly #saved: Uint8Array;
  readonly #passages: readonly Passage[];
  readonly #words: WordSearch;
  readonly #rows: ReadonlyMap<string, number> | undefined;
  #model: { encoder: ParallelEncoder; index: VectorIndex } | undefined;

  private constructor(
    saved: Uint8Array,
    passages: readonly Passage[],
    ids: readonly string[] | undefined,
    words: WordSearch,
  ) {
    this.#saved = saved;
    this.#passages = passages;
    this.#words = words;
    this.#rows = ids && new Map(ids.map((id, row) => [id, row]));
  }

  static async fetch(address: URL, signal: AbortSignal, onProgress: Progress): Promise<Finder> {
    const saved = await fetchBytes(address, signal, onProgress);
    const { passages, ids } = readPassages(saved);
    return new Finder(saved, passages, ids, await WordSearch.of(passages));
  }

  /** False for an index of words alone, which no model can use. */
  get hasVectors(): boolean {
    return this.#rows !== undefined;
  }

  get hasModel(): boolean {
    return this.#model !== undefined;
  }

  async loadModel(
    { load, hubFiles }: Package,
    model: string,
    base: string,
    options: { signal: AbortSignal; onProgress: Progress },
  ): Promise<void> {
    const ropewalk = await load();
    const files = isHub(model) ? hubFiles(model.replace(HUB, ""), { cache: true }) : folderOf(model, base);
    // In a worker, so that the page answers while it computes.
    const encoder = await ropewalk.encoder(files, { ...options, workers: 1, precision: "int8" });
    try {
      const index = ropewalk.index({ saved: this.#saved, model: isHub(model) ? model : undefined });
      if (index.dimensions !== encoder.dimensions) {
        index.dispose();
        throw new RangeError(
          `the index has vectors of ${index.dimensions} numbers, the model ${encoder.dimensions}; allowed: the model that made the index`,
        );
      }
      this.#model = { encoder, index };
    } catch (error) {
      encoder.dispose();
      throw error;
    }
  }

  /** The best of them, and the number of all. */
  async find(query: string, limit: number, signal: AbortSignal): Promise<{ found: Found[]; total: number }> {
    const { rows, found } = this.#words.find(query);
    const meant = this.#model === undefined ? [] : await this.#nearest(query, signal);
    // Pieces of one part lead to the same place: the best of them stands for it.
    const places = new Set<string>();
    const best = fused(rows, meant).filter((row) => {
      const { address } = this.#passages[row]!;
      return !places.has(address) && places.add(address);
    });
    return {
      found: best.slice(0, limit).map((row) => ({ passage: this.#passages[row]!, words: found.get(row) ?? [] })),
      total: best.length,
    };
  }

  async #nearest(query: string, signal: AbortSignal): Promise<number[]> {
    const { encoder, index } = this.#model!;
    const prompt = "query" in encoder.prompts ? { prompt: { name: "query" } } : {};
    const vector = await encoder.embed(query, { signal, ...prompt });
    return index.search(vector, { k: NEAREST }).map(({ id }) => this.#rows!.get(id)!);
  }

  dispose(): void {
    this.#model?.encoder.dispose();
    this.#model?.index.dispose();
  }
}
