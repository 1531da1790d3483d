import { computed, effect, signal } from "@preact/signals";
import type { Cell } from "../../components/heat-map.js";
import { messageOf } from "../../text/message.js";
import { type Client, connect } from "../../worker/rpc.js";
import type { Contacts, ProteinCalls, ProteinModel } from "./calls.js";
import { state } from "./state.js";

/** A published model with a contact head, of eight million parameters. */
export const hub = {
  repository: "facebook/esm2_t6_8M_UR50D",
  page: "https://huggingface.co/facebook/esm2_t6_8M_UR50D",
  licence: "MIT",
  bytes: 31.4e6,
} as const;

export const model = signal<ProteinModel | undefined>(undefined);
export const opening = signal<{ readonly loaded: number; readonly total: number | undefined } | undefined>(undefined);
export const contacts = signal<Contacts | undefined>(undefined);
export const failure = signal("");

let client: Client<ProteinCalls> | undefined;
function worker(): Client<ProteinCalls> {
  client ??= connect<ProteinCalls>(
    new Worker(new URL("./proteins.worker.ts", import.meta.url), { type: "module", name: "ropewalk proteins" }),
  );
  return client;
}

let cancelling: AbortController | undefined;
export const cancelOpening = () => cancelling?.abort();

export async function open(from: ProteinCalls["open"]["args"]): Promise<void> {
  cancelling?.abort();
  const controller = new AbortController();
  cancelling = controller;
  failure.value = "";
  opening.value = { loaded: 0, total: undefined };
  try {
    const onProgress = (loaded: number, total?: number) => {
      if (cancelling === controller) opening.value = { loaded, total };
    };
    const found = await worker().call("open", from, { signal: controller.signal, onProgress });
    if (cancelling === controller) model.value = found;
  } catch (error) {
    if (cancelling === controller)
      failure.value = controller.signal.aborted ? "Reading was cancelled." : messageOf(error);
  } finally {
    if (cancelling === controller) {
      cancelling = undefined;
      opening.value = undefined;
    }
  }
}

/** Letters alone, as models read them; a FASTA file's first line goes. */
export const sequence = computed(() => state.sequence.value.replace(/^>.*$/gm, "").replace(/\s+/g, "").toUpperCase());

// Anew whenever sequence or model change; an older question is given up.
effect(() => {
  const [asked, from] = [sequence.value, model.value];
  if (!from || !asked) return;
  const controller = new AbortController();
  const timer = setTimeout(async () => {
    try {
      const found = await worker().call("contacts", { sequence: asked }, { signal: controller.signal });
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
