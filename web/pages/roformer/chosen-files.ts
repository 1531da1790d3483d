import { computed, signal } from "@preact/signals";
import type { Checkpoint } from "../../model/session.js";

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
/** What was chosen and is no part of a checkpoint, in words. */
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

export async function choose(files: Iterable<File>): Promise<void> {
  const next = { ...chosen.value };
  const strangers: string[] = [];
  for (const file of files) {
    const part = await partOf(file);
    if (part) next[part] = file;
    else strangers.push(file.name);
  }
  chosen.value = next;
  refused.value = strangers.length
    ? `${strangers.join(", ")}: not part of a checkpoint; allowed: config.json, model.safetensors, and tokenizer.json or vocab.txt.`
    : "";
}

export function forget(): void {
  chosen.value = {};
  refused.value = "";
}

/** All three parts, as the worker takes them. */
export const checkpoint = computed<Checkpoint | undefined>(() => {
  const { config, weights, tokenizer } = chosen.value;
  if (!config || !weights || !tokenizer) return undefined;
  const kind = tokenizer.name.toLowerCase().endsWith(".txt") ? "vocab.txt" : "tokenizer.json";
  return { name: weights.name, config, weights, tokenizer: { kind, from: tokenizer } };
});
