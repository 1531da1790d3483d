import type { Ropewalk } from "ropewalk";
import { textOfFloats } from "../../text/float-text.js";
import type { View } from "./calls.js";
import { modelOf } from "./models.js";
import { openingQuestion } from "./question.js";
import type { Recorded } from "./recorded.js";
import { answerOf } from "./views.js";

/** The answers to the question that the page opens with (tools/site/record.mjs writes recorded.json). */
export async function record(ropewalk: Ropewalk): Promise<Recorded> {
  const question = openingQuestion();
  const { encodings, words, seed, head, shift, pair } = question;
  const answers: Recorded["answers"][number][] = [];
  for (const encoding of encodings) {
    const model = await modelOf(ropewalk, encoding, seed);
    const { views, refusals, curve } = answerOf(model, encoding, words, head, shift, pair);
    const written = ([name, { scores, attention }]: [string, View]) => [
      name,
      { scores: textOfFloats(scores), attention: textOfFloats(attention) },
    ];
    answers.push({
      encoding,
      views: Object.fromEntries(Object.entries(views).map(written)),
      refusals,
      curve: textOfFloats(curve),
    });
    model.dispose();
  }
  return { question, answers };
}
