/** The precision in which a model keeps the weights of its matrix products. */
import { refusal } from "../module/errors.js";
import { PRECISIONS } from "../module/numbers.js";

export type Precision = (typeof PRECISIONS)[number];

export function precisionOf(fn: string, { precision = "float32" }: { precision?: Precision | undefined }): Precision {
  if (PRECISIONS.includes(precision)) return precision;
  throw refusal("range", fn, "precision", precision, PRECISIONS.map((name) => `"${name}"`).join(" or "));
}
