import type { Signal } from "@preact/signals";
import { Segmented } from "../components/segmented.js";

export type Measure = "accuracy" | "loss";

interface Props {
  /** The id of the title, which names the card. */
  readonly id: string;
  readonly title: string;
  /** The task in a sentence, once the library has made it. Its height is kept until then. */
  readonly task: string | undefined;
  readonly name: string;
  readonly value: Signal<Measure>;
}

/** The head of a card whose figure shows accuracy or loss on a task. */
export function MeasureHead({ id, title, task, name, value }: Props) {
  return (
    <>
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
      <p class="task-description">{task}</p>
    </>
  );
}
