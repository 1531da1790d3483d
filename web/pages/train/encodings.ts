import type { PositionEncoding } from "ropewalk";
import { encodingLabels } from "../../training/encoding-labels.mjs";

/** In the order of the boxes: what people ask about first. */
export const encodings = Object.keys(encodingLabels) as PositionEncoding[];

/** As many as stay apart in one drawing. */
export const MOST = 5;
