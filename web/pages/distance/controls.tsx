import { Failure } from "../../components/failure.js";
import { Segmented } from "../../components/segmented.js";
import { Slider } from "../../components/slider.js";
import { RuleEditor } from "../../rope/rule-editor.js";
import { VectorChoice } from "../../rope/vector-choice.js";
import { miscounted, refused, score } from "./model.js";
import { fields, state } from "./state.js";

export function DistanceControls() {
  const { d, threshold, seed } = fields;
  return (
    <div class="controls">
      <Slider id="distance-d" label="head dimension d" value={state.d} min={d.min} max={d.max} step={d.step} />
      <RuleEditor id="distance-rule" legend="rule" rule={state.rule} headDim={state.d.value} error={refused.value} />
      <Segmented
        legend="distances up to"
        name="distance-span"
        value={state.span}
        options={[
          ["64", "64"],
          ["256", "256"],
          ["1024", "1 024"],
          ["4096", "4 096"],
        ]}
      />
      <VectorChoice
        idPrefix="distance"
        value={state.vectors}
        seed={state.seed}
        seedField={seed}
        own={{ name: "own", hint: "Numbers of your own, one for each channel.", children: <OwnVectors /> }}
      />
      <Slider
        id="distance-threshold"
        label="threshold of the receptive field"
        value={state.threshold}
        min={threshold.min}
        max={threshold.max}
        step={threshold.step}
      />
    </div>
  );
}

function OwnVectors() {
  return (
    <div class="own-vectors">
      {(["q", "k"] as const).map((name) => (
        <div class="list-box" key={name}>
          <label for={`distance-${name}`} class={name}>
            {name === "q" ? "query q" : "key k"}, d numbers
          </label>
          <textarea
            id={`distance-${name}`}
            rows={2}
            spellcheck={false}
            value={state[name].value}
            onChange={(event) => {
              state[name].value = event.currentTarget.value;
            }}
          />
        </div>
      ))}
      <Failure says={score.value?.error && !refused.value && (miscounted.value || score.value.error)} />
    </div>
  );
}
