import type { ComponentChildren } from "preact";
import { RangeHint, useRangeHint } from "./range-hint.js";

interface Props {
  readonly id: string;
  readonly label: ComponentChildren;
  /** undefined: left to the library. */
  readonly value: number | undefined;
  readonly min?: number;
  readonly max?: number;
  /** The text of an empty box; without it, a number is required. */
  readonly whenEmpty?: string;
  onTake(value: number | undefined): void;
  readonly children?: ComponentChildren;
}

/** One number, of any size and step: what is wrong with it, the library says. */
export function NumberBox({ id, label, value, min, max, whenEmpty, onTake, children }: Props) {
  const [said, say] = useRangeHint(min, max);
  return (
    <div class="number-box">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        step="any"
        min={min}
        max={max}
        value={value ?? ""}
        placeholder={whenEmpty}
        onChange={(event) => {
          const raw = event.currentTarget.value.trim();
          const given = Number(raw);
          const ends = (min === undefined || given >= min) && (max === undefined || given <= max);
          if (raw === "" && whenEmpty !== undefined) onTake(undefined);
          else if (raw !== "" && Number.isFinite(given) && ends) onTake(given);
          else {
            event.currentTarget.value = String(value ?? "");
            say();
          }
        }}
      />
      <RangeHint said={said} />
      {children}
    </div>
  );
}
