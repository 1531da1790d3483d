/** Each reader, held to what the library's own code made of published and of broken configurations (tests/golden/readers-2). */
import { checkRope, load, type Reader } from "ropewalk";
import { describe, expect, it } from "vitest";
import { readGolden } from "./golden.js";

await load({ analysis: true });

interface Layer {
  inv_freq: number[];
  inv_freq_at_context?: number[];
  attention_factor: number;
}
interface Recorded {
  layers?: Record<string, Layer>;
  error?: string;
  refused?: string;
  layers_without_rotation?: number[];
}

const { configs } = readGolden<{ configs: { name: string; config: object; recorded: Record<string, Recorded> }[] }>(
  "readers-2/configs.json",
);

const READERS: readonly Reader[] = ["vllm", "sglang", "mlx-lm", "onnxruntime-genai"];

/** Two readings are the same below that, relative to the larger one (the golden file's README). */
const SAME = 2e-5;
const near = (a: number, b: number) => Math.abs(a - b) <= SAME * Math.max(Math.abs(a), Math.abs(b));

describe.each(configs)("$name", ({ config, recorded }) => {
  it.each(READERS.filter((reader) => recorded[reader] !== undefined))("%s", (reader) => {
    const golden = recorded[reader]!;
    const report = (options: { context?: number; layerType?: string } = {}) =>
      checkRope({ config }, { readers: [reader], ...options });
    if (golden.layers === undefined) {
      expect(report().readings).toEqual([]);
      // A reader that refuses the file is named; one without the family says nothing.
      const { refusals } = checkRope({ config });
      expect(refusals.some((each) => each.reader === reader)).toBe(golden.error !== undefined);
      return;
    }
    for (const [layer, { inv_freq: short, inv_freq_at_context: long, attention_factor }] of Object.entries(
      golden.layers,
    )) {
      // A path of SGLang on a CPU: the reader follows the one on GPUs.
      if (layer.startsWith("cpu:")) continue;
      const layerType = layer.startsWith("all") ? {} : { layerType: layer };
      const wanted = long ?? short;
      const { readings, verdict } = report({ ...layerType, ...(layer === "all:short" && { context: 1000 }) });
      expect(readings, verdict).toHaveLength(1);
      const [reading] = readings;
      // Pairs that stand still are not in the golden file; a class that rotates backwards says so in a note.
      const turning = reading!.frequencies.filter((theta) => theta !== 0);
      expect(turning, layer).toHaveLength(wanted.length);
      wanted.forEach((theta, j) => {
        expect(near(turning[j]!, Math.abs(theta)), `${layer} ${j}: ${turning[j]} for ${theta}`).toBe(true);
      });
      if (wanted.some((theta) => theta < 0)) expect(reading!.notes.join()).toContain("minus the position");
      expect(near(reading!.magnitude, attention_factor), `${reading!.magnitude} for ${attention_factor}`).toBe(true);
      expect(reading!.layersWithoutRotation ?? []).toEqual(golden.layers_without_rotation ?? []);
    }
  });
});
