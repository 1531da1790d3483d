/** Every rotary class of Transformers 5.23, and variants of their files (tests/golden/transformers-ropes). */
import { checkRope, load, type Reader, type RopeReading } from "ropewalk";
import { describe, expect, it } from "vitest";
import { factRows } from "../../tools/options/typescript.mjs";
import { readGolden } from "./golden.js";

await load({ analysis: true });

interface Entry {
  class: string;
  model_type: string;
  variant?: string;
  config: Record<string, unknown>;
  axes?: boolean;
  inv_freq?: Record<string, number[]>;
  attention_scaling?: Record<string, number>;
  behaviour?: { pairing?: string; direction?: string };
  error?: string;
}

const entries = ["types", "variants"].flatMap(
  (name) => readGolden<{ types: Entry[] }>(`transformers-ropes/${name}.json`).types,
);

/** The rotary class was run alone. Some models build it only where a key has another value than in these files. */
const switches = new Map(
  factRows().map((line) => {
    const { type, stillUnless } = JSON.parse(line) as { type?: string; stillUnless?: object };
    return [type, stillUnless];
  }),
);

/** The script that made the file asked the configuration for a head of all layers; the class itself was not asked. */
const ASKED_WRONGLY = "AmbiguousGlobalPerLayerAttributeError";
/** float32 tables. */
const near = (a: number, b: number) =>
  Math.abs(a - b) <= 2e-6 * Math.max(Math.abs(a), Math.abs(b)) || Math.abs(a - b) < 1e-37;

/** Differences from the class, in words; empty where the reading is equal. */
function differencesOf(entry: Entry, readings: readonly RopeReading[]): string[] {
  const found: string[] = [];
  for (const [name, wanted] of Object.entries(entry.inv_freq ?? {})) {
    const layerType = name === "inv_freq" ? undefined : name.replace(/_inv_freq$/, "");
    const reading = readings.find((each) => each.layerType === layerType);
    if (reading === undefined) {
      found.push(`no reading of ${layerType ?? "all layers"}`);
      continue;
    }
    const { frequencies, magnitude, pairing, notes } = reading;
    if (frequencies.length !== wanted.length) found.push(`${frequencies.length} pairs for ${wanted.length}`);
    const pair = wanted.findIndex((theta, j) => !near(frequencies[j] ?? Number.NaN, theta));
    if (pair >= 0) found.push(`pair ${pair} of ${name}: ${frequencies[pair]} for ${wanted[pair]}`);
    const scaling = entry.attention_scaling?.[name.replace("inv_freq", "attention_scaling")];
    if (scaling !== undefined && !near(magnitude, scaling)) found.push(`attention scaling ${magnitude} for ${scaling}`);
    // The function that was run first in these classes is that of the indexer, of which a note tells.
    const known = ["half", "interleaved"].includes(entry.behaviour?.pairing ?? "");
    if (known && pairing !== entry.behaviour!.pairing && !notes.join().includes("indexer"))
      found.push(`pairing ${pairing}`);
    if (entry.behaviour?.direction === "backward" && !notes.join().includes("minus the position"))
      found.push("direction");
  }
  return found;
}

interface Tally {
  equal: number;
  refused: number;
  /** Files that the library itself refuses. */
  errors: number;
  axes: number;
  different: string[];
}

function tallyOf(reader: Reader): Tally {
  const tally: Tally = { equal: 0, refused: 0, errors: 0, axes: 0, different: [] };
  for (const entry of entries) {
    const config = { ...entry.config, ...switches.get(entry.model_type) };
    const { readings, refusals } = checkRope({ config }, { readers: [reader] });
    const name = `${entry.model_type} ${entry.class} ${entry.variant ?? "default"}`;
    for (const { message } of refusals)
      if (message.length < 20 && !message.startsWith("KeyError"))
        tally.different.push(`${name}: no reason but "${message}"`);
    if (entry.axes) {
      // A buffer of several axes is not one angle per pair, and is not compared.
      tally.axes++;
    } else if (refusals.length > 0 || readings.length === 0) {
      if (entry.error === undefined) tally.refused++;
      else tally.errors++;
    } else if (entry.error !== undefined) {
      const mayRead = reader === "ropewalk" || entry.error.startsWith(ASKED_WRONGLY);
      if (!mayRead) tally.different.push(`${name}: read, although ${entry.error}`);
    } else {
      const differences = differencesOf(entry, readings);
      if (differences.length === 0) tally.equal++;
      else tally.different.push(`${name}: ${differences.join("; ")}`);
    }
  }
  return tally;
}

describe("each class and variant is read equal, or refused", () => {
  it("by the emulated reader of Transformers 5", () => {
    const { different, ...counts } = tallyOf("transformers-5");
    expect(different).toEqual([]);
    expect(counts).toEqual({ equal: 877, refused: 4, errors: 74, axes: 45 });
  });

  it("by the strict reader", () => {
    const { different, ...counts } = tallyOf("ropewalk");
    expect(different).toEqual([]);
    expect(counts.equal).toBeGreaterThanOrEqual(700);
  });
});

it("says of nanochat that it rotates backwards, and refuses it where no option says so", () => {
  const { config } = entries.find((each) => each.model_type === "nanochat")!;
  const { readings, refusals } = checkRope({ config }, { readers: ["ropewalk", "transformers-5"] });
  expect(readings.map(({ reader, notes }) => [reader, notes])).toEqual([
    ["transformers-5", ["rotates by minus the position"]],
  ]);
  expect(refusals[0]?.message).toContain("minus the position");
});
