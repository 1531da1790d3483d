import type { Json } from "../files/read.js";

/** All objects within a value of JSON, itself included. */
export function* objectsIn(value: unknown): Generator<Json> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const each of Object.values(value)) yield* objectsIn(each);
}
