import { computed, signal } from "@preact/signals";
import type { Checkpoint } from "../../model/session.js";
import { messageOf } from "../../text/message.js";

/** The parts of a checkpoint, in the order the page names them. */
export const parts = ["config", "weights", "tokenizer"] as const;
export type Part = (typeof parts)[number];
export const partNames: Record<Part, string> = {
  config: "config.json",
  weights: "model.safetensors",
  tokenizer: "tokenizer.json or vocab.txt",
};

/** Files may come one by one or all at once; they wait here until a checkpoint is whole. */
export const chosen = signal<Partial<Record<Part, File>>>({});
/** True if the model shall be opened although it has no tokenizer: it then takes token ids. */
export const withoutTokenizer = signal(false);
/** A message about chosen files that are no part of a checkpoint. */
export const refused = signal("");

async function partOf(file: File): Promise<Part | undefined> {
  const name = file.name.toLowerCase();
  if (name.endsWith(".safetensors")) return "weights";
  if (name.endsWith(".txt")) return "tokenizer";
  if (!name.endsWith(".json")) return undefined;
  if (name === "config.json") return "config";
  if (name === "tokenizer.json") return "tokenizer";
  // Renamed on the way, as in "config (1).json": told apart by what only one of them has.
  return /"(hidden_size|num_hidden_layers)"/.test(await file.slice(0, 1 << 16).text()) ? "config" : "tokenizer";
}

/** The fault of a config.json that is alone so far; "" where it has none. */
async function wrongWith(config: File): Promise<string> {
  try {
    const found: unknown = JSON.parse(await config.text());
    if (typeof found !== "object" || found === null || !("hidden_size" in found))
      return "it has no hidden_size, so it describes no model";
    const type = (found as { model_type?: unknown }).model_type;
    if (type === undefined || type === "roformer") return "";
    return `its model_type is “${String(type)}”; this page looks into models of the type “roformer”`;
  } catch (error) {
    return messageOf(error);
  }
}

/** Why a file cannot be a tokenizer; "" where it may be one. */
async function noTokenizer(file: File): Promise<string> {
  const text = await file.text();
  if (/\.txt$/i.test(file.name))
    return /^\[UNK\]\r?$/m.test(text) ? "" : "it has no line [UNK], so it is no vocabulary";
  try {
    return "model" in (JSON.parse(text) as object) ? "" : "it has no model, so it is no tokenizer";
  } catch (error) {
    return messageOf(error);
  }
}

export async function choose(files: Iterable<File>): Promise<void> {
  const next = { ...chosen.value };
  const strangers: string[] = [];
  const wrong: string[] = [];
  for (const file of files) {
    const part = await partOf(file);
    if (!part) strangers.push(file.name);
    else next[part] = file;
    const problem = part === "config" ? await wrongWith(file) : part === "tokenizer" ? await noTokenizer(file) : "";
    if (part && problem) {
      delete next[part];
      wrong.push(`${file.name}: ${problem}.`);
    }
  }
  chosen.value = next;
  withoutTokenizer.value = false;
  if (strangers.length > 0)
    wrong.push(
      `${strangers.join(", ")}: not part of a checkpoint; allowed: config.json, model.safetensors, and tokenizer.json or vocab.txt.`,
    );
  refused.value = wrong.join(" ");
}

export function forget(): void {
  chosen.value = {};
  refused.value = "";
  withoutTokenizer.value = false;
}

/** All three parts, as the worker takes them. */
export const checkpoint = computed<Checkpoint | undefined>(() => {
  const { config, weights, tokenizer } = chosen.value;
  if (!config || !weights) return undefined;
  if (!tokenizer) return withoutTokenizer.value ? { name: weights.name, config, weights } : undefined;
  const kind = tokenizer.name.toLowerCase().endsWith(".txt") ? "vocab.txt" : "tokenizer.json";
  return { name: weights.name, config, weights, tokenizer: { kind, from: tokenizer } };
});
