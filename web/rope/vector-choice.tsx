import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Seed } from "../components/seed.js";
import { Segmented } from "../components/segmented.js";
import type { NumberField } from "../state/fields.js";
import type { Vectors } from "./vectors.js";

const hints: Readonly<Record<Vectors, string>> = {
  related: "A key much like its query: high at distance 0, lower as the pairs drift apart.",
  equal: "Key equals query: at distance 0 the score is the squared length, 1.",
  random: "Two unrelated vectors: no distance is special.",
  ones: "All channels alike: the sum of cosines of every frequency.",
};

interface Props<T extends string> {
  /** Begins the ids of the controls, which differ from page to page. */
  readonly idPrefix: string;
  readonly value: Signal<T>;
  readonly seed: Signal<number>;
  readonly seedField: NumberField;
  /** A choice beside the made vectors. */
  readonly own?: { readonly name: T; readonly hint: string; readonly children: ComponentChildren };
}

/** How query and key are made; drawn ones have a seed. */
export function VectorChoice<T extends string>({ idPrefix, value, seed, seedField, own }: Props<T>) {
  const names = [...Object.keys(hints), ...(own ? [own.name] : [])] as T[];
  const chosen = value.value;
  return (
    <>
      <Segmented
        legend="query and key"
        name={`${idPrefix}-vectors`}
        value={value}
        options={names.map((name) => [name, name] as const)}
        hint={chosen === own?.name ? own.hint : hints[chosen as Vectors]}
      />
      {chosen === own?.name
        ? own.children
        : chosen !== "ones" && <Seed id={`${idPrefix}-seed`} value={seed} field={seedField} />}
    </>
  );
}
