/// <reference lib="webworker" />
import { type Encoder, load } from "ropewalk";
import { filesOf } from "../../model/files.js";
import type { Source } from "../../model/source.js";
import { type CallContext, type Reply, serve } from "../../worker/rpc.js";
import type { Contacts, ProteinCalls, ProteinModel } from "./calls.js";

let model: Encoder | undefined;

async function open(from: Source, { signal, progress }: CallContext): Promise<Reply<ProteinModel>> {
  const ropewalk = await load();
  const opened = await ropewalk.encoder(filesOf(from, [], signal), { signal, onProgress: progress });
  const { config, modelType, parameterCount: parameters } = opened;
  if (modelType !== "esm") {
    opened.dispose();
    throw new Error(`This model is of the type “${modelType}”; allowed: “esm”, the type of ESM-2.`);
  }
  model?.dispose();
  model = opened;
  const number = (key: string) => (typeof config[key] === "number" ? config[key] : 0);
  const [layers, heads] = [number("num_hidden_layers"), number("num_attention_heads")];
  const result = { name: "", shipped: false, parameters, layers, heads };
  return { result };
}

async function contacts({ sequence }: { sequence: string }): Promise<Reply<Contacts>> {
  if (!model) throw new Error("No model is loaded.");
  const started = performance.now();
  const { inputIds, tokens } = model.encode(sequence);
  const output = model.forward({ inputIds, sequence: inputIds.length }, { contacts: true, logits: false });
  if (!output.contacts) throw new Error("This checkpoint has no contact head.");
  const map = Float32Array.from(output.contacts);
  // Without the marks of beginning and end.
  const result = { residues: tokens.slice(1, -1), map, milliseconds: performance.now() - started };
  return { result, transfer: [map.buffer] };
}

serve<ProteinCalls>(self as unknown as DedicatedWorkerGlobalScope, { open, contacts });
