import { BaseChoice } from "../../components/base-choice.js";
import { Segmented } from "../../components/segmented.js";
import { Slider } from "../../components/slider.js";
import { VectorChoice } from "../../rope/vector-choice.js";
import { reducedMotion } from "../../state/theme.js";
import { span } from "./model.js";
import { type Playable, playing, stepOn } from "./playback.js";
import { fields, state } from "./state.js";

function Play({ name, of }: { name: Playable; of: string }) {
  if (reducedMotion.value) {
    return (
      <button type="button" class="play" aria-label={`Move ${of} on by one`} onClick={() => stepOn(name)}>
        +1
      </button>
    );
  }
  const runs = playing.value === name;
  return (
    <button
      type="button"
      class="play"
      aria-label={`${runs ? "Pause" : "Play"} ${of}`}
      aria-pressed={runs}
      onClick={() => {
        playing.value = runs ? undefined : name;
      }}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={runs ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2.5v11L13 8z"} />
      </svg>
    </button>
  );
}

function Position({ name, id, label, tone }: { name: Playable; id: string; label: string; tone?: "q" | "k" }) {
  return (
    <Slider id={id} label={label} value={state[name]} min={0} max={span.value} step={1} fineStep={0.01} tone={tone}>
      <Play name={name} of={label} />
    </Slider>
  );
}

export function Positions() {
  return (
    <div class="controls rotate-positions">
      <Position name="m" id="rotate-m" label="query position m" tone="q" />
      <Position name="n" id="rotate-n" label="key position n" tone="k" />
      <Position name="shift" id="rotate-shift" label="shift both" />
    </div>
  );
}

export function Settings() {
  const { d } = fields;
  return (
    <div class="controls">
      <Slider id="rotate-d" label="head dimension d" value={state.d} min={d.min} max={d.max} step={d.step} />
      <Segmented
        legend="pairing"
        name="pairing"
        value={state.pairing}
        options={[
          ["interleaved", "interleaved"],
          ["half", "half"],
        ]}
        hint={
          state.pairing.value === "half"
            ? "Channels j and j + d/2, as Llama and GPT-NeoX in Hugging Face."
            : "Channels 2j and 2j + 1, as RoFormer and GPT-J."
        }
      />
      <BaseChoice name="base" value={state.base} />
      <VectorChoice idPrefix="rotate" value={state.vectors} seed={state.seed} seedField={fields.seed} />
      <Segmented
        legend="positions up to"
        name="span"
        value={state.span}
        options={[
          ["32", "32"],
          ["64", "64"],
          ["256", "256"],
          ["1024", "1 024"],
        ]}
      />
    </div>
  );
}
