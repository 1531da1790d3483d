import type { Signal } from "@preact/signals";

interface Props<T extends string> {
  readonly legend: string;
  readonly name: string;
  readonly value: Signal<T>;
  readonly options: ReadonlyArray<readonly [value: T, label: string]>;
  readonly hint?: string;
}

/** A few choices side by side: native radio buttons, so keyboard and screen reader know them. */
export function Segmented<T extends string>({ legend, name, value, options, hint }: Props<T>) {
  return (
    <fieldset class="segmented">
      <legend>{legend}</legend>
      <div class="segments">
        {options.map(([option, label]) => (
          <label key={option}>
            <input
              type="radio"
              name={name}
              value={option}
              checked={value.value === option}
              onChange={() => {
                value.value = option;
              }}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
      {hint && <p class="hint">{hint}</p>}
    </fieldset>
  );
}
