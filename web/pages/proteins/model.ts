import { computed, effect, signal } from "@preact/signals";
import type { Cell } from "../../components/heat-map.js";
import { published } from "../../model/hub.js";
import { openable } from "../../model/openable.js";
import { isSentence, whileShown } from "../../model/text.js";
import { messageOf } from "../../text/message.js";
import type { Contacts, ProteinCalls } from "./calls.js";
import { MOST_RESIDUES, state } from "./state.js";

/** A published model with a contact head, of eight million parameters. */
export const hub = published.find(({ gives }) => gives.includes("proteins"))!;

/** The worker that holds the model. */
export const reader = openable<ProteinCalls>({
  look: "proteins",
  worker: () =>
    new Worker(new URL("./proteins.worker.ts", import.meta.url), { type: "module", name: "ropewalk proteins" }),
});
export const { model, failure } = reader;
export const contacts = signal<Contacts | undefined>(undefined);

/** Letters alone, as models read them; a FASTA file's first line goes. */
const typed = computed(() => state.sequence.value.replace(/^>.*$/gm, "").replace(/\s+/g, "").toUpperCase());
/** Why there is nothing to read in the text of another look; "" where there is. */
export const misfit = computed(() =>
  isSentence(state.sequence.value) ? "This text is a sentence, not a sequence of amino acids, so there is no map." : "",
);
/** Every letter but J stands for an amino acid, or for some of them. */
const all = computed(() => (misfit.value ? "" : typed.value.replace(/[^A-IK-Z]/g, "")));
export const sequence = whileShown("proteins", () => all.value.slice(0, MOST_RESIDUES));
/** Residues beyond those that are read. */
export const leftOut = computed(() => Math.max(0, all.value.length - MOST_RESIDUES));
/** Signs among them that stand for no amino acid, each once. */
export const ignored = computed(() => [...new Set(typed.value.replace(/[A-IK-Z]/g, ""))]);

// Anew whenever sequence or model change; an older question is given up.
effect(() => {
  const [asked, from] = [sequence.value, model.value];
  if (!asked) contacts.value = undefined;
  if (!from || !asked) return;
  const controller = new AbortController();
  const timer = setTimeout(async () => {
    try {
      const found = await reader.worker().call("contacts", { sequence: asked }, { signal: controller.signal });
      if (controller.signal.aborted) return;
      contacts.value = found;
      failure.value = "";
    } catch (error) {
      if (!controller.signal.aborted) failure.value = messageOf(error);
    }
  }, 150);
  return () => {
    controller.abort();
    clearTimeout(timer);
  };
});

export const preview = signal<Cell | undefined>(undefined);
export const locked = computed<Cell | undefined>(() => {
  const count = contacts.value?.residues.length ?? 0;
  const [row, column] = [state.from.value, state.to.value];
  return row >= 0 && column >= 0 && row < count && column < count ? { row, column } : undefined;
});
export const shown = computed(() => preview.value ?? locked.value);

export function lock(cell: Cell | undefined): void {
  state.from.value = cell?.row ?? -1;
  state.to.value = cell?.column ?? -1;
}

/** Residues nearer than this along the chain touch in any fold. */
export const NEAR = 6;

export interface Contact {
  readonly i: number;
  readonly j: number;
  readonly probability: number;
}

/** As many contacts as half the residues, the likeliest first: what such maps are usually judged by. */
export const likeliest = computed<readonly Contact[]>(() => {
  const found = contacts.value;
  if (!found) return [];
  const size = found.residues.length;
  const all: Contact[] = [];
  for (let i = 0; i < size; i++)
    for (let j = i + NEAR; j < size; j++) all.push({ i, j, probability: found.map[i * size + j]! });
  return all.sort((a, b) => b.probability - a.probability).slice(0, Math.ceil(size / 2));
});
