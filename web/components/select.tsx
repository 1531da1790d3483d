import type { Signal } from "@preact/signals";
import type { ChoiceField } from "../state/fields.js";

interface Props<T extends string> {
  readonly id: string;
  readonly label: string;
  readonly field: ChoiceField<T>;
  readonly value: Signal<T>;
  /** The text for a value; by default itself. */
  name?(value: T): string;
}

/** One of a field's choices, where they are too many or too long to stand side by side. */
export function Select<T extends string>({ id, label, field, value, name = (one) => one }: Props<T>) {
  return (
    <div class="select">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value.value}
        onChange={(event) => {
          value.value = field.parse(event.currentTarget.value) ?? field.fallback;
        }}
      >
        {field.values.map((one) => (
          <option key={one} value={one}>
            {name(one)}
          </option>
        ))}
      </select>
    </div>
  );
}
