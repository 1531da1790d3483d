import type { Ropewalk } from "ropewalk";
import { CONTEXT, factsOf, sessionOf, shippedName } from "./answer.js";
import { Shelf } from "./held.js";
import type { Opening } from "./opening.js";
import { fields } from "./state.js";

/** The model of this site and what it makes of the prompt that the page opens with (tools/site/record.mjs writes recorded.json). */
export async function record(ropewalk: Ropewalk): Promise<Opening> {
  const model = await ropewalk.decoder("web/public/decoder", { precision: "int8", context: CONTEXT });
  const work = { model, shelf: new Shelf(), signal: new AbortController().signal, breathe: async () => {} };
  const prompt = fields.prompt.fallback;
  const { comparison: _, ...session } = await sessionOf(
    work,
    { prompt, log: [] },
    () => {},
    async () => undefined,
  );
  return { prompt, model: factsOf(model, shippedName, true), session };
}
