/** The folder of a fine-tuned checkpoint: whole, or not there. */
import { copyFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { about } from "../files.js";
import { writeFolderWhole } from "../output.js";

const TOKENIZER_FILES = ["tokenizer.json", "vocab.txt", "tokenizer_config.json", "special_tokens_map.json"];

/** The configuration of a classifier; without classes, of one that gives a score. */
export function classifierConfig(
  { num_labels: _, architectures, ...config }: Readonly<Record<string, unknown>>,
  classes: readonly string[] | undefined,
): Record<string, unknown> {
  const names = classes ?? ["score"];
  // The name of the family, before "Model" or "ForMaskedLM".
  const family = /^(\w+?)(Model|For[A-Z]\w*)$/.exec(String(architectures))?.[1] ?? "";
  return {
    ...config,
    architectures: [`${family}ForSequenceClassification`],
    id2label: Object.fromEntries(names.map((name, i) => [i, name])),
    label2id: Object.fromEntries(names.map((name, i) => [name, i])),
    problem_type: classes === undefined ? "regression" : "single_label_classification",
  };
}

/** `from` is the folder whose tokenizer it is. */
export async function writeFolder(from: string, out: string, config: object, weights: Uint8Array): Promise<void> {
  await writeFolderWhole(out, async (partial) => {
    await about(out, writeFile(join(partial, "config.json"), `${JSON.stringify(config, null, 2)}\n`));
    await about(out, writeFile(join(partial, "model.safetensors"), weights));
    const there = new Set(await readdir(from));
    for (const name of TOKENIZER_FILES.filter((each) => there.has(each)))
      await about(out, copyFile(join(from, name), join(partial, name)));
  });
}
