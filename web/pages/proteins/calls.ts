import type { Source } from "../../model/source.js";

/** Calls to the worker that holds the protein model. */
export interface ProteinModel {
  readonly name: string;
  readonly shipped: boolean;
  readonly parameters: number;
  readonly layers: number;
  readonly heads: number;
}
export interface Contacts {
  readonly residues: readonly string[];
  /** [L, L]: the probability that two residues touch. */
  readonly map: Float32Array;
  readonly milliseconds: number;
}
export type ProteinCalls = {
  /** Opens a model of the hub, or files that the visitor chose. It replaces the one before once it is sound. */
  open: { args: Source; result: ProteinModel };
  contacts: { args: { readonly sequence: string }; result: Contacts };
};
