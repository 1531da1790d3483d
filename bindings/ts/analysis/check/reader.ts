/** A reader: data about where it comes from, and a function that reads a configuration as it does. */
import type { Pairing } from "../../rope/pairing.js";
import type { Model } from "./model.js";
import type { Rotation } from "./rules.js";

export interface Read extends Rotation {
  notes: string[];
  /** Where the reader says it itself; else that of the family. */
  pairing?: Pairing;
  /** Indices of layers that do not rotate. */
  layersWithoutRotation?: number[];
  /** The model multiplies its softmax scale by it. */
  softmaxScale?: number;
}

export interface ReaderData {
  /** Library, version and file that the reader follows. */
  source: string;
  /** Types of layers that rotate differently; empty where all rotate alike. */
  layerTypes(model: Model): readonly string[];
  /** @throws Refusal with the original's message, where the original raises. */
  read(model: Model): Read;
}
