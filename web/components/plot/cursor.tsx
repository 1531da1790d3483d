import type { ComponentChildren } from "preact";

interface Props {
  readonly id: string;
  readonly label: string;
  /** The locked place. */
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The values there, in words: what a screen reader hears as the keys move it. */
  readonly says: string;
  onMove(value: number): void;
  readonly children?: ComponentChildren;
}

/**
 * Moves the upright line of a plot by hand and by keyboard, and is as wide as the plot (plot.tsx). Its children are the values
 * there, if the drawing has no place for them.
 */
export function Cursor({ id, label, value, min, max, step, says, onMove, children }: Props) {
  return (
    <div class="cursor">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={says}
        onInput={(event) => onMove(Number(event.currentTarget.value))}
      />
      {children !== undefined && <div class="cursor-values">{children}</div>}
    </div>
  );
}
