import { NumberBox } from "../../components/number-box.js";
import { Select } from "../../components/select.js";
import { fixed, whole } from "../../text/format.js";
import { encodingLabels } from "../../training/encoding-labels.mjs";
import { taskNames } from "../../training/task-names.js";
import { isMeasuring } from "../../worker/turns.js";
import { isCurrent } from "./curves.js";
import { encodings, MOST } from "./encodings.js";
import {
  cancel,
  pause,
  phase,
  race,
  resume,
  runs,
  start,
  step,
  stepsPerSecond,
  stepsTaken,
  wholeSteps,
} from "./race.js";
import { fields, state } from "./state.js";

const withDistance = ["copy", "period", "needle"];

function Contestants() {
  const chosen = state.encodings.value;
  return (
    <fieldset class="contestants">
      <legend>position encodings, up to {MOST}</legend>
      <div class="boxes">
        {encodings.map((name) => {
          const on = chosen.includes(name);
          return (
            <label key={name}>
              <input
                type="checkbox"
                checked={on}
                disabled={on ? chosen.length === 1 : chosen.length === MOST}
                onChange={() => {
                  state.encodings.value = encodings.filter((one) => (one === name ? !on : chosen.includes(one)));
                }}
              />
              {encodingLabels[name]}
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

export function Settings() {
  return (
    <div class="train-settings controls">
      <Select id="train-task" label="task" field={fields.task} value={state.task} name={(one) => taskNames[one]} />
      {withDistance.includes(state.task.value) && (
        <NumberBox
          id="train-distance"
          label="its distance"
          value={state.distance.value || undefined}
          min={1}
          max={64}
          whenEmpty="usual"
          onTake={(value) => {
            state.distance.value = value === undefined ? 0 : Math.round(value);
          }}
        />
      )}
      <Contestants />
      <div class="select-row">
        <Select id="train-seeds" label="seeds" field={fields.seeds} value={state.seeds} />
        <Select id="train-steps" label="steps" field={fields.steps} value={state.steps} />
        <Select id="train-length" label="length" field={fields.length} value={state.length} />
        <Select id="train-rate" label="learning rate" field={fields.rate} value={state.rate} />
        <Select
          id="train-size"
          label="model"
          field={fields.size}
          value={state.size}
          name={(one) => (one === "small" ? "2 layers, 32" : "3 layers, 64")}
        />
        <NumberBox
          id="train-seed"
          label="first seed"
          value={state.seed.value}
          min={0}
          max={9999}
          onTake={(value) => {
            state.seed.value = Math.round(value ?? 1);
          }}
        />
      </div>
    </div>
  );
}

/** A sentence on the recorded race that is shown, and one on how to run other settings. */
function recordedHint(): string {
  const { settings, task, encodings: raced } = race.value!;
  const seeds = runs.value.length / raced.length;
  const recorded = `A recorded race on “${task}”, ${seeds} seeds, ${whole(settings.steps)} steps.`;
  return isCurrent.value ? recorded : `${recorded} Your settings differ; Start runs them here.`;
}

/** Start, pause, go on, step by step, anew, away with it; and how far it is. */
export function Driving() {
  const now = phase.value;
  const busy = now === "running" || now === "starting";
  const none = now === "idle" || now === "recorded";
  return (
    <div class="driving">
      <div class="actions">
        {now === "running" ? (
          <button type="button" class="primary" onClick={pause}>
            Pause
          </button>
        ) : now === "paused" && isCurrent.value ? (
          <button type="button" class="primary" onClick={() => void resume()}>
            Resume
          </button>
        ) : (
          <button type="button" class="primary" disabled={busy} onClick={() => void start()}>
            {now === "finished" && isCurrent.value
              ? "Again"
              : now === "recorded" && isCurrent.value
                ? "Run it here"
                : "Start"}
          </button>
        )}
        <button type="button" disabled={busy || now === "finished"} onClick={() => void step()}>
          Step
        </button>
        <button type="button" disabled={none} onClick={() => void start()}>
          Restart
        </button>
        <button type="button" disabled={none} onClick={() => void cancel()}>
          Cancel
        </button>
      </div>
      <progress max={wholeSteps.value || 1} value={stepsTaken.value} aria-label="Steps taken" />
      <p class="hint" aria-live="off">
        {now === "idle"
          ? "Runs in background workers in this page."
          : now === "recorded"
            ? recordedHint()
            : now === "starting"
              ? "Making the models…"
              : now === "running" && isMeasuring()
                ? "Waiting while the Speed page measures."
                : `${whole(stepsTaken.value)} of ${whole(wholeSteps.value)} steps, ${fixed(stepsPerSecond.value, 0)} steps/s`}
        {!none && !isCurrent.value && "  Settings changed. Restart to apply them."}
      </p>
      <p class="visually-hidden" role="status">
        {now === "finished" ? "The race is over." : now === "paused" ? "Paused." : now === "running" ? "Training." : ""}
      </p>
    </div>
  );
}
