import { useSignal } from "@preact/signals";
import { rules } from "./log.js";
import { add, busy, full, model, selection, session } from "./model.js";
import { ruleNames } from "./rules.js";
import { state } from "./state.js";

const chunk = "the captain has the";

/** Operations on the cache other than feeding it. */
export function Operations() {
  const text = useSignal(chunk);
  const { rule, factor } = state;
  const length = session.value?.tokens.length ?? 0;
  const range = selection.value;
  const closed = !session.value || busy.value === "writing" || full.value;
  const cuts = range !== undefined && range.to < length;
  return (
    <section class="card generate-operations" aria-labelledby="generate-operations-title">
      <header class="card-head">
        <h3 id="generate-operations-title">Change the cache</h3>
      </header>
      <div class="operation">
        <button
          type="button"
          disabled={closed || !cuts}
          onClick={() => range && add({ op: "drop", how: "kept", ...range })}
        >
          Cut and close up
        </button>
        <p class="hint">
          {range && !cuts
            ? "The last token stays: the next one is predicted from it."
            : "First choose a stretch of tokens. The cache forgets it, and the keys behind it move back."}
        </p>
      </div>
      <form
        class="operation"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.value.trim() && !closed) add({ op: "append", how: "kept", text: text.value });
        }}
      >
        <label for="generate-chunk">a text to append, computed on its own</label>
        <div class="operation-row">
          <input
            id="generate-chunk"
            type="text"
            maxLength={400}
            spellcheck={false}
            autocomplete="off"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
          <button type="submit" disabled={closed || text.value.trim() === ""}>
            Append
          </button>
        </div>
      </form>
      <form
        class="operation"
        onSubmit={(event) => {
          event.preventDefault();
          if (!closed) add({ op: "rescale", how: "kept", rule: rule.value, factor: factor.value });
        }}
      >
        <label for="generate-rule">scaling rule</label>
        <div class="operation-row">
          <select
            id="generate-rule"
            value={rule.value}
            onChange={(event) => {
              rule.value = rules.find((name) => name === event.currentTarget.value) ?? "default";
            }}
          >
            {rules.map((name) => (
              <option key={name} value={name}>
                {ruleNames[name]}
              </option>
            ))}
          </select>
          <label for="generate-factor" class="hint">
            factor
          </label>
          <input
            id="generate-factor"
            type="number"
            min={1}
            max={64}
            step={0.5}
            value={factor.value}
            disabled={rule.value === "default"}
            onChange={(event) => {
              const given = Number(event.currentTarget.value);
              if (given >= 1 && given <= 64) factor.value = Number(given.toFixed(3));
              event.currentTarget.value = String(factor.value);
            }}
          />
          <button type="submit" disabled={closed}>
            Change
          </button>
        </div>
        <p class="hint">
          {model.value && model.value.rope.trained > 0
            ? `Trained on ${model.value.rope.trained} positions. The cached keys are rotated to its frequencies.`
            : "The cached keys are rotated to its frequencies."}
        </p>
      </form>
    </section>
  );
}
