/** config.json. */
export const config: { vocab_size: number; [key: string]: unknown };

export const parameterCount: number;

/** The bytes before the first tensor, and the size of the whole file. */
export function header(words?: number): { bytes: Uint8Array<ArrayBuffer>; size: number };

/** The whole file, in pieces of at most 2 MB. */
export function pieces(): Generator<Uint8Array<ArrayBuffer>, void, undefined>;
