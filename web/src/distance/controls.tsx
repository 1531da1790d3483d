import { Segmented } from "../components/segmented.js";
import { Slider } from "../components/slider.js";
import { RuleEditor } from "../frequencies/rule-editor.js";
import { state, table } from "../state.js";
import { refused, score } from "./model.js";

const room = state.distance;

const hints: Record<string, string> = {
  related: "A key much like its query: high at distance 0, lower as the pairs drift apart.",
  equal: "Key and query alike: the score at distance 0 is their length, 1.",
  random: "Two unrelated vectors: no distance is special.",
  ones: "All channels alike: the mean kernel itself.",
  own: "Numbers of your own, one for each channel.",
};

export function DistanceControls() {
  const { d, threshold, seed } = table.distance;
  return (
    <div class="controls">
      <Slider id="distance-d" label="head dimension d" value={room.d} min={d.min} max={d.max} step={d.step} />
      <RuleEditor id="distance-rule" legend="Rule" rule={room.rule} headDim={room.d.value} error={refused.value} />
      <Segmented
        legend="distances up to"
        name="distance-span"
        value={room.span}
        options={[
          ["64", "64"],
          ["256", "256"],
          ["1024", "1 024"],
          ["4096", "4 096"],
        ]}
      />
      <Segmented
        legend="query and key"
        name="distance-vectors"
        value={room.vectors}
        options={[
          ["related", "related"],
          ["equal", "equal"],
          ["random", "random"],
          ["ones", "ones"],
          ["own", "own"],
        ]}
        hint={hints[room.vectors.value] ?? ""}
      />
      {room.vectors.value === "own" ? (
        <OwnVectors />
      ) : (
        room.vectors.value !== "ones" && (
          <div class="seed">
            <label for="distance-seed">seed</label>
            <input
              id="distance-seed"
              type="number"
              min={seed.min}
              max={seed.max}
              value={room.seed.value}
              onChange={(event) => {
                room.seed.value = seed.parse(event.currentTarget.value) ?? room.seed.value;
                event.currentTarget.value = String(room.seed.value);
              }}
            />
            <button
              type="button"
              onClick={() => {
                room.seed.value = (room.seed.value % seed.max) + 1;
              }}
            >
              Another draw
            </button>
          </div>
        )
      )}
      <Slider
        id="distance-threshold"
        label="threshold of the receptive field"
        value={room.threshold}
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
            value={room[name].value}
            onChange={(event) => {
              room[name].value = event.currentTarget.value;
            }}
          />
        </div>
      ))}
      {score.value?.error && !refused.value && (
        <p class="failure" role="alert">
          {score.value.error}
        </p>
      )}
    </div>
  );
}
