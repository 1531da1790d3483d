/** A folder with config.json, model.safetensors and tokenizer.json or vocab.txt: how it is read. */
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readConfig } from "./config-file.js";
import { about, FileError, parseJson } from "./files.js";

export const CHECKPOINT_HELP =
  "  DIR                 a folder with config.json, model.safetensors and tokenizer.json or vocab.txt";

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function readTokenizer(folder: string): Promise<object | string> {
  for (const [name, parse] of [
    ["tokenizer.json", parseJson],
    ["vocab.txt", (_: string, text: string) => text],
  ] as const) {
    const path = join(folder, name);
    if (await isThere(path)) return parse(path, await about(path, readFile(path, "utf8")));
  }
  throw new FileError(folder, "holds neither tokenizer.json nor vocab.txt");
}

export interface Checkpoint {
  config: Record<string, unknown>;
  /** The path of model.safetensors. */
  weights: string;
  tokenizer: object | string;
}

export async function readCheckpoint(folder: string): Promise<Checkpoint> {
  const config = await readConfig(folder);
  const tokenizer = await readTokenizer(folder);
  const weights = join(folder, "model.safetensors");
  const pickle = join(folder, "pytorch_model.bin");
  if (!(await isThere(weights)) && (await isThere(pickle))) {
    throw new FileError(pickle, "a pickle can run code when it is read: convert it to model.safetensors first");
  }
  await about(weights, access(weights));
  return { config, weights, tokenizer };
}
