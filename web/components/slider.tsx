import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { RangeHint, useRangeHint } from "./range-hint.js";

interface Props {
  readonly id: string;
  readonly label: ComponentChildren;
  readonly value: Signal<number>;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The step of the number box, where finer than the slider's. */
  readonly fineStep?: number;
  readonly tone?: "q" | "k";
  readonly children?: ComponentChildren;
}

/** A range for the hand and a number box for the exact value; `children` stands beside them. */
export function Slider({ id, label, value, min, max, step, fineStep = step, tone, children }: Props) {
  const [said, say] = useRangeHint(min, max);
  const take = (raw: string) => {
    const given = Number(raw);
    if (raw.trim() === "" || !Number.isFinite(given)) return;
    const onGrid = min + Math.round((given - min) / fineStep) * fineStep;
    value.value = Number(Math.min(max, Math.max(min, onGrid)).toFixed(6));
  };
  return (
    <div class="slider" data-tone={tone}>
      <label for={id}>{label}</label>
      <div class="slider-row">
        <input
          id={id}
          type="range"
          min={min}
          max={max}
          step={step}
          value={value.value}
          onInput={(event) => take(event.currentTarget.value)}
        />
        <input
          type="number"
          aria-labelledby={`${id}-exact`}
          min={min}
          max={max}
          step={fineStep}
          value={value.value}
          onChange={(event) => {
            const given = Number(event.currentTarget.value);
            if (event.currentTarget.value.trim() === "" || !(given >= min && given <= max)) say();
            take(event.currentTarget.value);
            event.currentTarget.value = String(value.value);
          }}
        />
        <RangeHint said={said} />
        <span id={`${id}-exact`} hidden>
          {label}, exactly
        </span>
        {children}
      </div>
    </div>
  );
}
