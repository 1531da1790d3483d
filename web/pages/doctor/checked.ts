import { computed } from "@preact/signals";
import type { RopeReport, RopeSubject } from "ropewalk";
import { analyst, checker, configReader } from "../../library/library.js";
import { type Told, tell } from "../../rope/facts.js";
import { messageOf } from "../../text/message.js";
import { askedOf } from "./readers.js";
import { state } from "./state.js";

export interface Found {
  readonly report: RopeReport;
  readonly config: object | undefined;
}
type Checked = (Found & { readonly error?: never }) | { readonly error: string };

/** Numbers that JSON does not have are texts in it. */
const numbersOf = (list: unknown): number[] => (Array.isArray(list) ? list.map(Number) : []);

/** A list of frequencies as it was printed, or a row of cos and sin as a JSON object. */
function tableOf(printed: string, parse: (text: string) => number[]): RopeSubject {
  if (!printed.startsWith("{")) return { inverseFrequencies: parse(printed) };
  const { cos, sin, position } = JSON.parse(printed) as Record<string, unknown>;
  return { row: { cos: numbersOf(cos), sin: numbersOf(sin), position: Number(position) } };
}

/** True where there is something to check, be the library there or not. */
export const isGiven = computed(() => state.config.value.trim() !== "" || state.printed.value.trim() !== "");

/** The readers' report on the config.json and the printed table; undefined where neither is given. */
export const checked = computed<Checked | undefined>(() => {
  const [config, printed] = [state.config.value.trim(), state.printed.value.trim()];
  const [layerType, tokens] = [state.layers.value.trim(), state.tokens.value.trim()];
  const library = checker.value;
  if (!library || !isGiven.value) return undefined;
  let given: object | undefined;
  try {
    // Python's json writes NaN and Infinity: they are texts here, and texts that hold these words stay.
    const json = config.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/g, (each) =>
      each[0] === '"' ? each : `"${each}"`,
    );
    given = config ? (JSON.parse(json) as object) : undefined;
  } catch (error) {
    return { error: `The config.json is not JSON: ${messageOf(error)}.` };
  }
  try {
    const subject = { ...(given && { config: given }), ...(printed && tableOf(printed, library.parse)) };
    const options = {
      ...(tokens && { context: Number(tokens) }),
      ...(layerType && config && { layerType }),
      readers: askedOf(state.readers.value),
    };
    return { report: library.check(subject, options), config: given };
  } catch (error) {
    const message = messageOf(error);
    return {
      error: message
        .replace("“context”", "“length”")
        .replace("“subject.config”", "The config.json")
        .replace("“text”", "the printed table"),
    };
  }
});

/** The report, where there is one. */
export const found = computed(() => {
  const { value } = checked;
  return value && value.error === undefined ? value : undefined;
});

/** The reading of this library, for all layers or, where types differ, for one type of them. */
export interface Reading {
  readonly layerType: string | undefined;
  readonly told: Told;
}

/** At the length of the report. */
export const readings = computed<readonly Reading[]>(() => {
  const { report, config } = found.value ?? {};
  const [from, read] = [analyst.value, configReader.value];
  if (!report || !config || !from || !read || report.status === "no-rotation") return [];
  const types = new Set(report.readings.map(({ layerType }) => layerType));
  return Array.from(types.size > 0 ? types : [undefined], (layerType) => {
    try {
      const sequenceLength = report.length?.tokens ?? 8192;
      const options = read(config, { sequenceLength, ...(layerType && { layerType }) });
      return { layerType, told: tell(from, options, sequenceLength) };
    } catch (error) {
      return { layerType, told: { error: messageOf(error) } };
    }
  });
});
