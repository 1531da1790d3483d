/** The code that GTE's checkpoints bring along: modeling.py, `_init_rope` and `NTKScalingRotaryEmbedding`. */
import { isObject, type Model, neededNumber, optionalNumber } from "../model.js";
import type { Read, ReaderData } from "../reader.js";
import { Absence, ntkSu, plain, Refusal } from "../rules.js";
import { baseOf, headOf } from "./class.js";

function read({ config, modelType }: Model): Read {
  if (modelType !== "new" && modelType !== "gte") throw new Absence("another family");
  const base = baseOf(config, "rope_theta") ?? 10000;
  const d = headOf(config, { type: modelType }, "default");
  const scaling = config.rope_scaling;
  if (!isObject(scaling)) return { ...plain(base, d), notes: [] };
  if (typeof scaling.type !== "string") throw new Refusal("KeyError: 'type'");
  if (scaling.type !== "ntk") throw new Refusal("NotImplementedError");
  const factor = neededNumber(scaling, "factor");
  return { ...ntkSu(base, d, factor, optionalNumber(scaling, "mixed_b")), notes: [] };
}

export const remoteGte: ReaderData = {
  source: "Alibaba-NLP's modeling.py as kept in xuhaike/SparseCL (emulated)",
  layerTypes: () => [],
  read,
};
