import { readFileSync } from "node:fs";
import type { Ropewalk } from "ropewalk";
import { vocabularyOf } from "../../model/guesses.js";
import { questionFields } from "../../model/question.js";
import { runOf } from "../../model/run.js";
import { topK } from "../../model/top-k.js";
import { textOfFloats } from "../../text/float-text.js";
import type { Recorded } from "./recorded.js";

const folder = "web/public/model";

/** The answer of the model of this site to the opening sentence (tools/site/record.mjs writes recorded.json). */
export async function record(ropewalk: Ropewalk): Promise<Recorded> {
  const model = await ropewalk.encoder(folder);
  const vocabulary = vocabularyOf(JSON.parse(readFileSync(`${folder}/tokenizer.json`, "utf8")) as object);
  const found = await runOf(model, vocabulary, questionFields.text.fallback, topK);
  const { rotated: _, plain: __, thetas: ___, milliseconds: ____, ids, attentions, scores, ...small } = found;
  return {
    ...small,
    ids: Array.from(ids),
    attentions: attentions.map(textOfFloats),
    scores: scores.map(textOfFloats),
  };
}
