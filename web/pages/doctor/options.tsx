import { readers } from "./readers.js";
import { state } from "./state.js";

/** Chooses the readers to compare, at least one. */
function Readers() {
  const chosen = state.readers.value;
  return (
    <fieldset class="doctor-readers">
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

interface Line {
  readonly name: "tokens" | "layers";
  readonly label: string;
  readonly most: number;
  readonly example: string;
}

function TextLine({ name, label, most, example }: Line) {
  return (
    <div class="doctor-text">
      <label for={`doctor-${name}`}>{label}</label>
      <input
        id={`doctor-${name}`}
        type="text"
        inputMode={name === "tokens" ? "numeric" : "text"}
        maxLength={most}
        placeholder={example}
        value={state[name].value}
        onChange={(event) => {
          state[name].value = event.currentTarget.value;
        }}
      />
    </div>
  );
}

/** The one length of the page, and what few people need. */
export function Options() {
  return (
    <>
      <TextLine name="tokens" label="length of the text, in tokens" most={12} example="the model’s own" />
      <details class="drawer doctor-options">
        <summary>Readers, layer type, a printed table</summary>
        <Readers />
        <TextLine name="layers" label="layer type (every type unless given)" most={64} example="full_attention" />
        <div>
          <label for="doctor-printed">
            inv_freq of your program, as print(inv_freq.tolist()) shows it, or a row of its tables as {"{"}"cos": […],
            "sin": […], "position": 7{"}"}
          </label>
          <textarea
            id="doctor-printed"
            rows={3}
            spellcheck={false}
            placeholder="[1.0, 0.8058, 0.6494, …]"
            value={state.printed.value}
            onInput={(event) => {
              state.printed.value = event.currentTarget.value;
            }}
          />
        </div>
      </details>
    </>
  );
}
