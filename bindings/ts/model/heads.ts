/** The part of the package that is loaded for a model with a head of its own, and with the first `rank` or `classifyInto`. */

import type { FileSet } from "./files/model-files.js";
import type { Head } from "./heads/host.js";
import { readSparseHead } from "./heads/sparse.js";
import type { Form } from "./heads/surface.js";
import { readTokenHead } from "./heads/tokens.js";

export { rank } from "./heads/rank.js";
export { readPairTemplate, readScore } from "./heads/reranker.js";
export { readStatic, staticSize } from "./heads/static.js";
export { classifyInto } from "./heads/zero-shot.js";

export const readHead = (fn: string, files: FileSet, form: Form): Promise<Head> =>
  form.kind === "tokens" ? readTokenHead(fn, files, form) : readSparseHead(fn, files, form);
