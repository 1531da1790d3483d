import type { Encoder } from "ropewalk";
import type { SearchModel } from "./calls.js";

export const shippedName = "The shipped encoder";

export function factsOf(encoder: Encoder, name: string, shipped: boolean): SearchModel {
  const { config, modelType, parameterCount: parameters, dimensions } = encoder;
  const rotates = modelType === "roformer" && (config.position_encoding ?? "rope") === "rope";
  return { name, modelType, parameters, dimensions, rotates, shipped };
}
