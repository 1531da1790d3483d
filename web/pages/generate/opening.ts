import type { GenerateModel, Session } from "./calls.js";
import type { Log } from "./log.js";
import recorded from "./recorded.json" with { type: "json" };

/** recorded.json: the model of this site, and the text with which the page opens. */
export interface Opening {
  readonly prompt: string;
  readonly model: GenerateModel;
  readonly session: Omit<Session, "comparison">;
}

const opening = recorded as unknown as Opening;

/** Facts about the model of this site. */
export const shippedModel: GenerateModel = opening.model;

/** The text of the shipped model as it was recorded; undefined where it has to be computed. */
export function recordedSession(prompt: string, log: Log): Session | undefined {
  if (prompt !== opening.prompt || log.length > 0) return undefined;
  return { ...opening.session, comparison: undefined };
}
