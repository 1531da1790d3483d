import { batch } from "@preact/signals";
import { CheckReport } from "./check-report.js";
import { checked } from "./checked.js";
import { checks } from "./checks.js";
import { libraries, readers } from "./readers.js";
import { state } from "./state.js";

/** Chooses the readers to compare, at least one. */
function Readers() {
  const chosen = state.readers.value;
  return (
    <fieldset class="checker-readers">
      <legend>readers to compare</legend>
      <div class="boxes">
        {readers.map((name) => {
          const on = chosen.includes(name);
          return (
            <label key={name}>
              <input
                type="checkbox"
                checked={on}
                disabled={on && chosen.length === 1}
                onChange={() => {
                  state.readers.value = readers.filter((one) => (one === name ? !on : chosen.includes(one)));
                }}
              />
              {name}
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

/** Readers side by side, and a printed table judged beside the config.json, or alone. */
export function CheckerCard() {
  return (
    <div class="checker">
      <div class="checker-given">
        <div class="checker-printed">
          <label for="frequencies-printed">
            inv_freq of your program, as print(inv_freq.tolist()) shows it, or a row of its tables as {"{"}"cos": […],
            "sin": […], "position": 7{"}"}
          </label>
          <textarea
            id="frequencies-printed"
            rows={3}
            spellcheck={false}
            placeholder="[1.0, 0.8058, 0.6494, …]"
            value={state.printed.value}
            onInput={(event) => {
              state.printed.value = event.currentTarget.value;
            }}
          />
        </div>
        <div class="checker-option">
          <label for="frequencies-tokens">tokens of the sequence</label>
          <input
            id="frequencies-tokens"
            type="text"
            inputMode="numeric"
            maxLength={12}
            placeholder="the model's own"
            value={state.tokens.value}
            onChange={(event) => {
              state.tokens.value = event.currentTarget.value;
            }}
          />
        </div>
        <Readers />
        <p class="actions">
          <span class="hint">examples</span>
          {checks.map(({ name, config, printed, reader }) => (
            <button
              type="button"
              key={name}
              onClick={() => {
                batch(() => {
                  state.config.value = config === undefined ? "" : JSON.stringify(config, null, 2);
                  state.printed.value = printed ?? "";
                  state.layers.value = "";
                  state.tokens.value = "";
                  state.readers.value = reader === undefined ? libraries : [reader];
                });
              }}
            >
              {name}
            </button>
          ))}
        </p>
      </div>
      {/* The answer alone is read out: the report has hundreds of numbers. */}
      <p class="visually-hidden" role="status">
        {checked.value && ("report" in checked.value ? checked.value.report.verdict : checked.value.error)}
      </p>
      <div class="checker-report">
        <CheckReport />
      </div>
    </div>
  );
}
