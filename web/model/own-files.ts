import { computed, signal } from "@preact/signals";
import { messageOf } from "../text/message.js";
import { nameIn } from "./name-in.js";
import type { Look } from "./source.js";

/** The parts of a model, in the order in which they are named. */
export const parts = ["config", "weights", "tokenizer"] as const;
export type Part = (typeof parts)[number];
export const partNames: Record<Part, string> = {
  config: "config.json",
  weights: "model.safetensors",
  tokenizer: "tokenizer.json or vocab.txt",
};

/** Files by their names within the model: they come one by one or all at once, and wait until it is whole. */
const kept = signal<ReadonlyMap<string, File>>(new Map());
/** The error in files that were chosen; "" without one. */
export const refused = signal("");
/** The looks that the model gives, as far as its files tell; none are known before there is a config.json. */
export const gives = signal<readonly Look[]>([]);
/** Its `model_type`. */
export const type = signal("");

const isGguf = (name: string) => /\.gguf$/i.test(name);

/** The part that a file is, and the name that it has in the model: downloads are renamed, as in "config (1).json". */
function partOf(name: string): readonly [part: Part | undefined, name: string] {
  if (/^(config|params)\b.*\.json$/i.test(name)) return ["config", /^params/i.test(name) ? name : "config.json"];
  if (/^tokenizer\b.*\.json$/i.test(name)) return ["tokenizer", "tokenizer.json"];
  if (/^(?!merges)[^/]*\.txt$/i.test(name)) return ["tokenizer", "vocab.txt"];
  if (/-of-\d+\.safetensors$/i.test(name)) return ["weights", name];
  if (/^[^/]*\.safetensors$/i.test(name)) return ["weights", "model.safetensors"];
  return [isGguf(name) ? "weights" : undefined, name];
}

/** The looks that a configuration lets hope for. */
function looksOf(config: Readonly<Record<string, unknown>>): readonly Look[] {
  const { model_type: named = "roformer", architectures } = config;
  if (named === "roformer") return ["roformer", "search"];
  if (named === "esm") return ["proteins", "search"];
  // Some sentence encoders are decoders that were trained on.
  const writes = !("hidden_size" in config) || /CausalLM|LMHead/.test(String(architectures));
  return writes ? ["generate", "search"] : ["search", "generate"];
}

/** The fault of a config.json; "" where it has none. */
async function readConfig(config: File): Promise<string> {
  try {
    const found = JSON.parse(await config.text()) as Readonly<Record<string, unknown>>;
    if (!["hidden_size", "model_type", "dim"].some((key) => key in found))
      return "it has no hidden_size, so it describes no model";
    gives.value = looksOf(found);
    type.value = String(found.model_type ?? "roformer");
    return "";
  } catch (error) {
    return messageOf(error);
  }
}

/** Why a file cannot be a tokenizer; "" where it may be one. */
async function noTokenizer(file: File): Promise<string> {
  const text = await file.text();
  if (/\.txt$/i.test(file.name))
    return /^(\[UNK\]|<unk>)\r?$/m.test(text) ? "" : "it has no line [UNK], so it is no vocabulary";
  try {
    return "model" in (JSON.parse(text) as object) ? "" : "it has no model, so it is no tokenizer";
  } catch (error) {
    return messageOf(error);
  }
}

export async function keep(files: readonly File[]): Promise<void> {
  const gguf = files.find(({ name }) => isGguf(name));
  const next = new Map(gguf ? [] : kept.peek());
  const strangers: string[] = [];
  const wrong: string[] = [];
  let found = 0;
  for (const file of files) {
    const own = nameIn(file);
    const [part, name] = partOf(own);
    const problem = part === "config" ? await readConfig(file) : part === "tokenizer" ? await noTokenizer(file) : "";
    if (problem) {
      next.delete(name);
      wrong.push(`${file.name}: ${problem}.`);
      continue;
    }
    if (part) found++;
    else if (!/\.json$|\//i.test(own)) {
      strangers.push(file.name);
      continue;
    }
    next.set(name, own === name ? file : new File([file], name));
  }
  if (gguf) [gives.value, type.value] = [["generate", "search"], "gguf"];
  kept.value = next;
  // A folder holds other files as well.
  if (strangers.length > 0 && found === 0)
    wrong.push(
      `${strangers.join(", ")}: not part of a model; allowed: config.json, model.safetensors, and tokenizer.json or vocab.txt; or a .gguf file.`,
    );
  refused.value = wrong.join(" ");
}

export function forget(): void {
  kept.value = new Map();
  refused.value = "";
  gives.value = [];
}

/** The kept files of each part; undefined where none is kept. */
export const here = computed<Partial<Record<Part, File>> | undefined>(() => {
  const all = [...kept.value];
  return all.length === 0 ? undefined : Object.fromEntries(all.map(([name, file]) => [String(partOf(name)[0]), file]));
});

/** All files, once the model is whole. */
export const whole = computed<readonly File[] | undefined>(() => {
  const { config, weights, tokenizer } = here.value ?? {};
  return weights && (isGguf(weights.name) || (config && tokenizer)) ? [...kept.value.values()] : undefined;
});
/** All files, if nothing but a tokenizer lacks. */
export const wholeButTokenizer = computed<readonly File[] | undefined>(() =>
  here.value?.config && here.value.weights && !whole.value ? [...kept.value.values()] : undefined,
);
