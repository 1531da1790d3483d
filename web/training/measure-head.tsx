import type { Signal } from "@preact/signals";
import { Segmented } from "../components/segmented.js";

export type Measure = "accuracy" | "loss";

interface Props {
  /** Of the title, which names the card. */
  readonly id: string;
  readonly title: string;
  readonly name: string;
  readonly value: Signal<Measure>;
}

/** The head of a card whose figure shows accuracy or loss. */
export function MeasureHead({ id, title, name, value }: Props) {
  return (
    <header class="card-head measure-head">
      <h3 id={id}>{title}</h3>
      <Segmented
        legend="measure"
        name={name}
        value={value}
        options={[
          ["accuracy", "accuracy"],
          ["loss", "loss"],
        ]}
      />
    </header>
  );
}
