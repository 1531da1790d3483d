/** The code that Nomic's checkpoints bring along: the base grows with the longest text that was seen. */
import { type Model, neededNumber, optionalNumber } from "../model.js";
import type { Read, ReaderData } from "../reader.js";
import { Absence, dynamic, plain, Refusal } from "../rules.js";

function read({ config, modelType, context }: Model): Read {
  if (modelType !== "nomic_bert") throw new Absence("another family");
  const base = optionalNumber(config, "rotary_emb_base") ?? 10000;
  const head = Math.floor(neededNumber(config, "n_embd") / neededNumber(config, "n_head"));
  const d = Math.trunc(head * (optionalNumber(config, "rotary_emb_fraction") ?? 0));
  if (d === 0) throw new Refusal("nothing rotates: rotary_emb_fraction is 0");
  const factor = optionalNumber(config, "rotary_scaling_factor");
  const pairing = config.rotary_emb_interleaved === true ? "interleaved" : "half";
  if (!factor) return { ...plain(base, d), pairing, notes: [] };
  const trained = optionalNumber(config, "max_trained_positions") ?? 2048;
  const notes =
    context > trained
      ? ["once a longer text was seen, shorter ones keep its frequencies until the model is loaded again"]
      : [];
  return { ...dynamic(base, d, factor, trained, context), pairing, notes };
}

export const remoteNomic: ReaderData = {
  source: "nomic-ai/contrastors of 2025-02-18, modeling_hf_nomic_bert.py (emulated)",
  layerTypes: () => [],
  read,
};
