import { chooseTheme, type Theme, theme } from "../state/theme.js";

const options: ReadonlyArray<readonly [Theme, string]> = [
  ["auto", "Auto"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function ThemeSwitch() {
  return (
    <fieldset class="segmented compact">
      <legend class="visually-hidden">Colours</legend>
      <div class="segments">
        {options.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              value={value}
              checked={theme.value === value}
              onChange={() => chooseTheme(value)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
