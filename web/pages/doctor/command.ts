import { askedOf } from "./readers.js";
import { state } from "./state.js";

/** The command that checks the same, with the texts of the page in files. */
export function commandOf(): string {
  const [layerType, tokens, printed] = [state.layers, state.tokens, state.printed].map(({ value }) => value.trim());
  const given = state.config.value.trim() !== "";
  const readers = askedOf(state.readers.value);
  const table = printed?.startsWith("{")
    ? " --cos cos.txt --sin sin.txt --position M"
    : printed
      ? " --inv-freq printed.txt"
      : "";
  return [
    "npx ropewalk check",
    given && " config.json",
    table,
    readers && ` --readers ${readers.join(",")}`,
    tokens && ` --context ${tokens}`,
    layerType && given && ` --layer-type ${layerType}`,
  ]
    .filter(Boolean)
    .join("");
}
