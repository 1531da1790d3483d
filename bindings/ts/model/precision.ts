/** The precision in which a model keeps the weights of its matrix products. */
import { refusal } from "../module/errors.js";

export type Precision = "float32" | "int8";

export function precisionOf(fn: string, { precision = "float32" }: { precision?: Precision | undefined }): Precision {
  if (precision !== "float32" && precision !== "int8")
    throw refusal("range", fn, "precision", precision, '"float32" or "int8"');
  return precision;
}
