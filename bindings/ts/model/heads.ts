/** The part of the package that is loaded for a model with a head of its own or of a causal family, and with the first `rank` or `classifyInto`. */

import type { FileSet } from "./files/model-files.js";
import type { Json } from "./files/read.js";
import type { NamedBytes } from "./files/sentence-files.js";
import type { EncoderFacts } from "./heads/host.js";
import { readPairTemplate } from "./heads/reranker.js";
import { readSparseHead } from "./heads/sparse.js";
import type { Form } from "./heads/surface.js";
import { readTokenHead } from "./heads/tokens.js";

export { checkKind } from "./heads/kind.js";
export { rank } from "./heads/rank.js";
export { readScore } from "./heads/reranker.js";
export { readStatic, staticSize } from "./heads/static.js";
export { classifyInto } from "./heads/zero-shot.js";

/** A head, or the chat template of a causal reranker. */
export async function readForm(
  fn: string,
  files: FileSet,
  form: Form,
  folder: string,
  sentence: readonly NamedBytes[],
  tokenizerConfig: Json,
): Promise<Pick<EncoderFacts, "head" | "template">> {
  if (form.kind === "tokens") return { head: await readTokenHead(fn, files, form) };
  if (form.kind === "sparse") return { head: await readSparseHead(fn, files, form) };
  const template = form.kind === "score" && (await readPairTemplate(fn, files, folder, sentence, tokenizerConfig));
  return template ? { template } : {};
}
