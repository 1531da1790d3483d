import { useEffect } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { Failure } from "../../components/failure.js";
import { NumberBox } from "../../components/number-box.js";
import { Slider } from "../../components/slider.js";
import { askForAnalyst, libraryFailure } from "../../library/library.js";
import { Explained } from "../../rope/explained.js";
import { RuleEditor } from "../../rope/rule-editor.js";
import { frequencySnippets } from "./code.js";
import { Matrix } from "./matrix.js";
import { a, b, sides } from "./model.js";
import { Scaling } from "./scaling.js";
import { Spectrum } from "./spectrum.js";
import { fields, state } from "./state.js";
import "./styles.css";

function Context() {
  const { min, max } = fields.context;
  const times = (factor: number) => {
    state.context.value = Math.round(Math.min(max, Math.max(min, state.context.value * factor)));
  };
  return (
    <NumberBox
      id="frequencies-context"
      label="context, positions"
      value={state.context.value}
      min={min}
      max={max}
      onTake={(value) => {
        if (value !== undefined) state.context.value = Math.round(value);
      }}
    >
      <button type="button" onClick={() => times(0.5)}>
        <span class="visually-hidden">context </span>÷ 2
      </button>
      <button type="button" onClick={() => times(2)}>
        <span class="visually-hidden">context </span>× 2
      </button>
    </NumberBox>
  );
}

/** The theta_j of one rule beside those of another, and how each rule changes them. */
export default function FrequenciesPage() {
  useEffect(() => {
    void askForAnalyst();
  }, []);
  const { d } = fields;
  return (
    <div class="frequencies">
      <Failure says={libraryFailure.value} />
      <section class="card frequencies-spectrum" aria-labelledby="spectrum-title">
        <header class="card-head">
          <h3 id="spectrum-title">Positions per full turn</h3>
          <p class="key-line">
            <span class="key disc a">A</span>
            <span class="key square b">B</span>
            <span class="key hollow">no full turn in the context</span>
          </p>
        </header>
        <Spectrum />
        <p class="caption">
          Every rule for longer contexts answers one question: which pairs to slow down, and how much.
        </p>
        <CodeDrawer
          name="frequencies"
          of={() =>
            frequencySnippets(
              sides.value.map(({ name, facts }) => ({ name: name.toLowerCase(), options: facts.options })),
              state.context.value,
            )
          }
        />
      </section>
      <section class="card frequencies-settings" aria-label="Settings">
        <div class="controls">
          <Slider id="frequencies-d" label="head dimension d" value={state.d} min={d.min} max={d.max} step={d.step} />
          <Context />
          <RuleEditor
            id="rule-a"
            legend="Rule A"
            tone="a"
            rule={state.a}
            headDim={state.d.value}
            error={a.value?.error}
          />
          <RuleEditor
            id="rule-b"
            legend="Rule B"
            tone="b"
            rule={state.b}
            headDim={state.d.value}
            none={null}
            error={b.value?.error}
          />
        </div>
      </section>
      <section class="card frequencies-more" aria-label="Every pair by rule and position">
        <h3>How each rule rescales the pairs</h3>
        <Scaling />
        <h3 class="second">Every pair at every position</h3>
        <Matrix />
        <p class="hint">
          Cosine of position times θ. Positions grow by the same ratio from row to row. Some rows below its first turn,
          a pair turns so far from row to row that its cosines look like noise.
        </p>
      </section>
      <div class="frequencies-explained">
        {sides.value.map(({ name, tone, facts }) => (
          <section class="card" key={name} aria-label={`Rule ${name} explained`}>
            <h3 class={tone}>{name}, in words</h3>
            <Explained explanation={facts.explanation} />
          </section>
        ))}
      </div>
      <section class="card frequencies-config" aria-labelledby="config-title">
        <h3 id="config-title">What does your model’s config.json say?</h3>
        <p>
          <a href="./doctor/">Doctor</a> reads a config.json or a .gguf file, compares how libraries read it, and draws
          its rule here.
        </p>
      </section>
    </div>
  );
}
