/** Classes that are named at the call, by natural language inference, as the zero-shot pipeline of Transformers does it. */
import { onlyOutputs } from "../encoder-output.js";
import type { Json } from "../files/read.js";
import { refuse } from "../refuse.js";
import { type ClassScore, softmax } from "../text/answers.js";
import { listOf } from "./gives.js";
import type { HeadHost } from "./host.js";
import type { ZeroShotOptions } from "./surface.js";

/** The class that says that the hypothesis follows: the first whose name begins with "entail". */
function entailmentOf(fn: string, config: Json): number {
  const ids = Object.entries((config.label2id ?? {}) as Record<string, unknown>);
  const names = Object.entries((config.id2label ?? {}) as Record<string, unknown>).map(
    ([id, name]) => [String(name), Number(id)] as const,
  );
  const found = [...ids, ...names].find(([name]) => /^entail/i.test(name));
  if (found !== undefined && Number.isInteger(found[1])) return found[1] as number;
  const classes = listOf(names.map(([name]) => name)) || "not named";
  throw refuse.lacking(fn, `it needs a model with a class "entailment"; the classes of this one are ${classes}`);
}

export async function classifyInto(
  host: HeadHost,
  fn: string,
  text: string,
  labels: readonly string[],
  { hypothesis = "This example is {}.", multiple = false, signal }: ZeroShotOptions,
): Promise<ClassScore[]> {
  if (labels.length === 0) throw refuse.range(fn, "labels", labels, "at least one text");
  if (typeof multiple !== "boolean") throw refuse.type(fn, "multiple", multiple, "true or false");
  if (typeof hypothesis !== "string" || !hypothesis.includes("{}"))
    throw refuse.range(fn, "hypothesis", hypothesis, "a text with {} where a label belongs");
  const entails = entailmentOf(fn, host.facts.config);
  const pairs = labels.map((label) => [text, hypothesis.split("{}").join(label)] as const);
  const framed = await host.truncated(fn, pairs, { signal });
  const logits: Float32Array[] = new Array(labels.length);
  await host.run(fn, {
    texts: framed.map(({ encoded }) => encoded),
    outputs: onlyOutputs({}),
    signal,
    use({ classLogits }, group) {
      const width = classLogits!.length / group.length;
      if (entails >= width)
        throw refuse.lacking(fn, `config.json names the class ${entails}, and the checkpoint has ${width} classes`);
      group.forEach((index, i) => {
        logits[index] = classLogits!.subarray(i * width, (i + 1) * width);
      });
    },
  });
  // The pipeline takes the first class for the contradiction, or the last where the first is the entailment.
  const against = (row: Float32Array) => row[entails === 0 ? row.length - 1 : 0]!;
  const scores =
    multiple || labels.length === 1
      ? logits.map((row) => softmax(Float32Array.of(against(row), row[entails]!))[1]!)
      : [...softmax(Float32Array.from(logits, (row) => row[entails]!))];
  return scores.map((score, i) => ({ label: labels[i]!, score })).sort((a, b) => b.score - a.score);
}
