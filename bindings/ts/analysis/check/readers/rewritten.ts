/** Libraries that read a file as Transformers 5 does, except for keys that they rename, replace or pass over. */
import { type Json, type Model, mapsLayerTypes, ruleNameOf } from "../model.js";
import type { Read } from "../reader.js";
import { filled } from "./class.js";
import { notesOfClass } from "./transformers.js";
import { transformers5 } from "./transformers-5.js";

/** True for a name in a list of names that blanks separate. */
export const names = (list: string, name: string): boolean => name !== "" && ` ${list} `.includes(` ${name} `);

/** Families that Transformers has no class for: the one whose keys other libraries read them by. */
export const OWN_CODE: Readonly<Record<string, string>> = {
  exaone: "llama",
  internlm2: "llama",
  internlm3: "llama",
  kimi_k2: "deepseek_v3",
  telechat3: "llama",
};

/** The dictionary that Transformers 5 takes, for the layers of one type where it has several. */
export function ruleOf({ config, layerType }: Model): Json {
  const { rope_scaling: scaling, rope_parameters: parameters } = config;
  const all = filled(scaling) ? scaling : filled(parameters) ? parameters : {};
  const own = mapsLayerTypes(all) ? all[layerType ?? "full_attention"] : all;
  return own ?? {};
}

export const nameOf = (rule: Json): string => ruleNameOf(rule) ?? "default";

/** The configuration with other dictionaries. */
export function rewritten(config: Json, change: (rule: Json) => Json): Json {
  const of = (given: unknown): unknown => {
    if (!filled(given)) return given;
    if (!mapsLayerTypes(given)) return change(given);
    return Object.fromEntries(Object.entries(given).map(([type, rule]) => [type, rule && change(rule)]));
  };
  const changed: Record<string, unknown> = { ...config };
  for (const key of ["rope_scaling", "rope_parameters"]) if (key in changed) changed[key] = of(changed[key]);
  return changed;
}

/** A rule without some of its members. */
export const without = (rule: Json, ...keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(rule).filter(([key]) => !keys.includes(key)));

/** The reading of Transformers 5 with other keys, as another class or at another length. */
export function asTransformers5(model: Model, changes: Partial<Model>, notes: readonly string[] = []): Read {
  const read = transformers5.read({ ...model, ...changes });
  const { modelType = model.modelType } = changes;
  return { ...read, notes: [...notes, ...notesOfClass(model.sheet.of(modelType))] };
}
