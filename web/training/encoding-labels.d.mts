import type { PositionEncoding } from "ropewalk";

/** The one name of each position encoding for people. */
export const encodingLabels: Readonly<Record<PositionEncoding, string>>;
