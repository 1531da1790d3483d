import { floatsOfText } from "../../text/float-text.js";
import type { EncodingAnswer, EncodingsQuestion, ViewName } from "./calls.js";
import { openingQuestion } from "./question.js";
import address from "./recorded.json?url";

/** recorded.json: a question and its answers, with the floats of each map as text. */
export interface Recorded {
  readonly question: EncodingsQuestion;
  readonly answers: ReadonlyArray<
    Pick<EncodingAnswer, "encoding" | "refusals"> & {
      readonly views: Readonly<Partial<Record<ViewName, { readonly scores: string; readonly attention: string }>>>;
      readonly curve: string;
    }
  >;
}

export function answersOf({ answers }: Recorded): readonly EncodingAnswer[] {
  return answers.map(({ encoding, views, refusals, curve }) => ({
    encoding,
    refusals,
    views: Object.fromEntries(
      Object.entries(views).map(([name, { scores, attention }]) => [
        name,
        { scores: floatsOfText(scores), attention: floatsOfText(attention) },
      ]),
    ),
    curve: floatsOfText(curve),
  }));
}

const reading = fetch(address).then(async (response) => answersOf((await response.json()) as Recorded));
// Where they cannot be had, the worker is waited for.
reading.catch(() => {});

/** Answers to the question that the page opens with, as they were recorded; undefined to any other. */
export function recordedAnswers(question: EncodingsQuestion): Promise<readonly EncodingAnswer[]> | undefined {
  return JSON.stringify(question) === JSON.stringify(openingQuestion()) ? reading : undefined;
}
