import { NumberBox } from "../../components/number-box.js";
import { Select } from "../../components/select.js";
import { taskNames } from "../../training/task-names.js";
import { factors, tested } from "./recipe.js";

import { measure, phase, results, settings, steps, stop, task } from "./session.js";
import { fields, state } from "./state.js";

export function Settings() {
  return (
    <div class="controls">
      <Select id="long-task" label="task" field={fields.task} value={state.task} name={(one) => taskNames[one]} />
      <div class="select-row">
        <Select id="long-length" label="trained length" field={fields.length} value={state.length} />
        <Select id="long-steps" label="steps" field={fields.steps} value={state.steps} />
        <NumberBox
          id="long-seed"
          label="seed"
          value={state.seed.value}
          min={fields.seed.min}
          max={fields.seed.max}
          onTake={(value) => {
            state.seed.value = Math.round(value ?? fields.seed.fallback);
          }}
        />
      </div>
      <Driving />
    </div>
  );
}

const all = factors.length * tested.length;

/** How far training and tests are, and their end before their end. */
function Driving() {
  const now = phase.value;
  const busy = now === "training" || now === "testing";
  // A test of eight times the length takes as long as many steps.
  const share = (steps.value / settings.value.steps) * 0.8 + (results.value.length / all) * 0.2;
  return (
    <div class="driving">
      <div class="actions">
        {busy ? (
          <button type="button" onClick={stop}>
            Cancel
          </button>
        ) : (
          <button type="button" onClick={() => void measure()}>
            Train again
          </button>
        )}
      </div>
      <progress max={1} value={share} aria-label="Training and tests" />
      <p class="hint">
        {steps.value} of {settings.value.steps} steps, {results.value.length} of {all} tests
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
              : "Stopped."}
      </p>
    </div>
  );
}
