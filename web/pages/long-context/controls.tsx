import { batch } from "@preact/signals";
import { NumberBox } from "../../components/number-box.js";
import { Select } from "../../components/select.js";
import { fixed } from "../../text/format.js";
import { taskNames } from "../../training/task-names.js";
import { isMeasuring } from "../../worker/turns.js";
import { usualBetas } from "./recipe.js";
import { measure, phase, results, settings, steps, stop, task, testsInAll } from "./session.js";
import { fields, state } from "./state.js";

export function Settings() {
  return (
    <div class="controls">
      <Select id="long-task" label="task" field={fields.task} value={state.task} name={(one) => taskNames[one]} />
      <div class="select-row">
        <Select id="long-length" label="trained length" field={fields.length} value={state.length} />
        <Select id="long-steps" label="steps" field={fields.steps} value={state.steps} />
        <Select id="long-seeds" label="seeds" field={fields.seeds} value={state.seeds} />
        <NumberBox
          id="long-seed"
          label="first seed"
          value={state.seed.value}
          min={fields.seed.min}
          max={fields.seed.max}
          onTake={(value) => {
            state.seed.value = Math.round(value ?? fields.seed.fallback);
          }}
        />
      </div>
      <Betas />
    </div>
  );
}

/** YaRN's ramp, and why its usual ends mean nothing at these lengths. */
function Betas() {
  const { length } = settings.value;
  const box = (id: string, label: string, field: typeof fields.betaFast, value: typeof state.betaFast) => (
    <NumberBox
      id={id}
      label={label}
      value={value.value}
      min={field.min}
      max={field.max}
      onTake={(given) => {
        value.value = field.parse(String(given)) ?? field.fallback;
      }}
    />
  );
  const set = (fast: number, slow: number) =>
    batch(() => {
      state.betaFast.value = fast;
      state.betaSlow.value = slow;
    });
  const usual = state.betaFast.value === usualBetas.fast && state.betaSlow.value === usualBetas.slow;
  return (
    <fieldset class="betas">
      <legend>YaRN’s ramp, in turns within the trained length</legend>
      <div class="select-row">
        {box("long-beta-fast", "beta fast", fields.betaFast, state.betaFast)}
        {box("long-beta-slow", "beta slow", fields.betaSlow, state.betaSlow)}
      </div>
      <p class="hint">
        YaRN keeps pairs that turn more than beta fast and divides those below beta slow. Its usual 32 and 1 are made
        for thousands of tokens: in {length} tokens no pair turns more than {fixed(length / (2 * Math.PI), 1)} times.
        The ramp then begins at the first pair, the only one kept.
      </p>
      <div class="actions">
        <button type="button" onClick={() => (usual ? set(2, 0.25) : set(usualBetas.fast, usualBetas.slow))}>
          {usual ? "Try 2 and 0.25" : "Back to 32 and 1"}
        </button>
      </div>
    </fieldset>
  );
}

/** How far training and tests are, and their end before their end. */
export function Driving() {
  const now = phase.value;
  const busy = now === "training" || now === "testing";
  // A test of eight times the length takes as long as many steps.
  const all = settings.value.steps * settings.value.seeds;
  const recorded = now === "recorded";
  const share = recorded ? 1 : (steps.value / all) * 0.8 + (results.value.length / testsInAll.value) * 0.2;
  return (
    <div class="driving">
      <div class="actions">
        {busy ? (
          <button type="button" onClick={stop}>
            Cancel
          </button>
        ) : (
          <button type="button" class={recorded ? "primary" : undefined} onClick={() => void measure()}>
            {recorded ? "Run it here" : "Train again"}
          </button>
        )}
      </div>
      <progress max={1} value={share} aria-label="Training and tests" />
      <p class="hint">
        {recorded
          ? `Recorded results of ${settings.value.seeds} seeds.`
          : isMeasuring()
            ? "Waiting while the Speed page measures."
            : `${steps.value} of ${all} steps, ${results.value.length} of ${testsInAll.value} tests`}
      </p>
      <p class="visually-hidden" role="status">
        {now === "training"
          ? task.value
            ? "Training."
            : "Making the task."
          : now === "testing"
            ? "Testing."
            : now === "finished"
              ? "Finished."
              : recorded
                ? ""
                : "Stopped."}
      </p>
    </div>
  );
}
