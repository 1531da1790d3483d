import { visit } from "../state/address.js";
import { bytes } from "../text/format.js";
import type { Published } from "./hub.js";
import { chosen, type Session } from "./openable.js";
import type { Look, Source } from "./source.js";

export const lookNames: Readonly<Record<Look, string>> = {
  roformer: "RoFormer",
  generate: "Generate",
  search: "Search",
  proteins: "Proteins",
};

/** Names of looks as a sentence lists them. */
export const listed = (looks: readonly Look[]): string => looks.map((look) => lookNames[look]).join(" and ");

/** Goes to the first look that a model gives, which opens it when it is shown. */
export function openIn(source: Source, gives: readonly Look[]): void {
  chosen.value = { source, gives };
  visit(gives[0]!);
}

/** Fetches a published model, and shows it in a look that it gives. */
export function Fetch({ of, model, primary }: { of: Session; model: Published; primary?: boolean }) {
  const isHere = model.gives.includes(of.look);
  return (
    <button
      type="button"
      class={primary ? "primary" : undefined}
      disabled={of.opening.value !== undefined}
      onClick={() => {
        if (isHere) void of.choose(model, model.gives);
        else openIn(model, model.gives);
      }}
    >
      Fetch {bytes(model.bytes)} from huggingface.co{!isHere && ` for ${lookNames[model.gives[0]!]}`}
    </button>
  );
}
