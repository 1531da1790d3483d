import type { Signal } from "@preact/signals";
import type { NumberField } from "../state/fields.js";

/** The number that random draws begin with, and the next one. */
export function Seed({ id, value, field }: { id: string; value: Signal<number>; field: NumberField }) {
  return (
    <div class="seed">
      <label for={id}>seed</label>
      <input
        id={id}
        type="number"
        min={field.min}
        max={field.max}
        value={value.value}
        onChange={(event) => {
          value.value = field.parse(event.currentTarget.value) ?? value.value;
          event.currentTarget.value = String(value.value);
        }}
      />
      <button
        type="button"
        onClick={() => {
          value.value = (value.value % field.max) + 1;
        }}
      >
        Another draw
      </button>
    </div>
  );
}
