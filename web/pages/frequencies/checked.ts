import { computed } from "@preact/signals";
import type { RopeReport, RopeSubject } from "ropewalk";
import { checker } from "../../library/library.js";
import { messageOf } from "../../text/message.js";
import { lengthOf } from "./config-length.js";
import { state } from "./state.js";

type Checked =
  | { readonly report: RopeReport; readonly config: object | undefined; readonly error?: never }
  | { readonly error: string };

/** Numbers that JSON does not have are texts in it. */
const numbersOf = (list: unknown): number[] => (Array.isArray(list) ? list.map(Number) : []);

/** A list of frequencies as it was printed, or a row of cos and sin as a JSON object. */
function tableOf(printed: string, parse: (text: string) => number[]): RopeSubject {
  if (!printed.startsWith("{")) return { inverseFrequencies: parse(printed) };
  const { cos, sin, position } = JSON.parse(printed) as Record<string, unknown>;
  return { row: { cos: numbersOf(cos), sin: numbersOf(sin), position: Number(position) } };
}

/** The readers' report on the config.json and the printed table; undefined where neither is given. */
export const checked = computed<Checked | undefined>(() => {
  const [config, printed] = [state.config.value.trim(), state.printed.value.trim()];
  const [layerType, tokens] = [state.layers.value.trim(), state.tokens.value.trim()];
  const library = checker.value;
  if (!library || (!config && !printed)) return undefined;
  let given: object | undefined;
  try {
    given = config ? (JSON.parse(config) as object) : undefined;
  } catch (error) {
    // The card above says where the text stops being JSON.
    return { error: printed ? messageOf(error) : "The config.json above is not JSON." };
  }
  try {
    const length = given && typeof given === "object" ? lengthOf(given)?.positions : undefined;
    const subject = {
      ...(given && { config: given }),
      ...(printed && tableOf(printed, library.parse)),
    };
    const options = {
      // One length for one file: that of the card above, unless another is asked for.
      ...(tokens ? { context: Number(tokens) } : given && { context: length ?? state.context.value }),
      ...(layerType && config && { layerType }),
      readers: state.readers.value,
    };
    return { report: library.check(subject, options), config: given };
  } catch (error) {
    const message = messageOf(error);
    return { error: message.replace("`context`", "“tokens”").replace("`text`", "the printed table") };
  }
});
