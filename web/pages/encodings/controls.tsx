import { Limit } from "../../components/limit.js";
import { Seed } from "../../components/seed.js";
import { Segmented } from "../../components/segmented.js";
import { Slider } from "../../components/slider.js";
import { words } from "./model.js";
import { heads, mostWords, trainedLength } from "./sizes.js";
import { fields, state } from "./state.js";

const sentence = fields.words.fallback;
const texts: ReadonlyArray<readonly [label: string, text: string]> = [
  ["a sentence", sentence],
  ["one word, again and again", new Array(16).fill("rope").join(" ")],
  [`longer than the trained ${trainedLength}`, `${sentence} and `.repeat(6).trim()],
];
const viewHints: Record<string, string> = {
  "as-is": "The words stand at positions 0, 1, 2, …",
  shifted: "All words move on by the same number of positions.",
  mirrored: "The last word comes first: all distances stay, but left and right change places.",
  stretched: "An empty position follows each word: every distance doubles.",
};

export function Controls() {
  return (
    <div class="controls">
      <div class="list-box">
        <label for="encodings-words">words</label>
        <textarea
          id="encodings-words"
          rows={3}
          spellcheck={false}
          maxLength={800}
          value={state.words.value}
          onInput={(event) => {
            state.words.value = event.currentTarget.value;
          }}
        />
        <Limit of={state.words.value} most={800} />
        <p class="hint">
          {words.value.length} words, at most {mostWords}; equal words have equal vectors.
          {state.words.value.trim().split(/\s+/).length < 2 && " Two are needed, so the page adds one."}
        </p>
        <div class="fit-row">
          {texts.map(([label, text]) => (
            <button
              type="button"
              key={label}
              onClick={() => {
                state.words.value = text;
              }}
            >
              {label}
            </button>
          ))}
        </div>
      </div>
      <Segmented
        legend="show"
        name="encodings-show"
        value={state.show}
        options={[
          ["scores", "scores"],
          ["attention", "attention"],
          ["change", "difference"],
        ]}
        hint={hints[state.show.value]}
      />
      <Slider id="encodings-head" label="head" value={state.head} min={0} max={heads - 1} step={1} />
      <Seed id="encodings-seed" value={state.seed} field={fields.seed} />
    </div>
  );
}
/** The main controls of the page: they move the words, and maps change or stay. */
export function Moves() {
  return (
    <div class="controls">
      <Segmented
        legend="the words are"
        name="encodings-view"
        value={state.view}
        options={[
          ["as-is", "as typed"],
          ["shifted", "shifted"],
          ["mirrored", "mirrored"],
          ["stretched", "spread"],
        ]}
        hint={viewHints[state.view.value] ?? ""}
      />
      <Slider id="encodings-shift" label="shifted by" value={state.shift} min={1} max={96} step={1} />
    </div>
  );
}

const hints = {
  scores: "Before the softmax.",
  attention: "After the softmax: each row sums to 1.",
  change: "Scores with the words moved, minus those as typed.",
} as const;
