import { useSignal } from "@preact/signals";
import { Seed } from "../../components/seed.js";
import { Slider } from "../../components/slider.js";
import { ModelChoice, TextBox } from "../../model/bench.js";
import { bytes } from "../../text/format.js";
import {
  branches,
  busy,
  fork,
  full,
  goTo,
  model,
  opening,
  reader,
  session,
  startWith,
  stop,
  undo,
  write,
} from "./model.js";
import { fields, promptText, state } from "./state.js";
import { Strip } from "./strip.js";
import { ViewChoice } from "./view-choice.js";

/** Tokens that one click writes. */
const SOME = 20;

const prompts = [
  ["Who has the rope?", "the captain gave the rope to the sailor . now the"],
  [
    "Two texts",
    "the dog chased the cat at the harbour . then anna took the cat home . <|endoftext|> the captain gave the rope to the sailor . now the",
  ],
] as const;

function Prompt() {
  const draft = useSignal({ of: "", text: "" });
  const prompt = state.prompt.value;
  // A draft ends with the text that it changes.
  const text = draft.value.of === prompt ? draft.value.text : prompt;
  const start = (text: string) => {
    draft.value = { of: text, text };
    startWith(text);
  };
  return (
    <form
      class="prompt"
      onSubmit={(event) => {
        event.preventDefault();
        start(text);
      }}
    >
      <TextBox
        id="generate-prompt"
        label="The beginning of a text"
        of={promptText}
        draft={{
          text,
          onInput(typed) {
            draft.value = { of: prompt, text: typed };
          },
          // Steps on the text before are kept until the visitor asks for another.
          onLeave() {
            if (state.log.value.length === 0) start(text);
          },
        }}
      />
      {state.log.value.some(({ op }) => op !== "write" && op !== "force") && (
        <p class="hint">The text below was changed since; this box keeps what it began with.</p>
      )}
      <div class="actions">
        <button type="submit">Start with this</button>
        {model.value?.shipped !== false &&
          prompts.map(([name, prompt]) => (
            <button type="button" key={name} onClick={() => start(prompt)}>
              {name}
            </button>
          ))}
      </div>
    </form>
  );
}

function Branches() {
  return (
    <ul class="branches" aria-label="Forks">
      {branches.value.map((branch) => (
        <li key={`${branch.prompt} ${JSON.stringify(branch.log)}`}>
          <button
            type="button"
            aria-pressed={branch.prompt === state.prompt.value && branch.log === state.log.value}
            onClick={() => goTo(branch)}
          >
            {branch.length} tokens, … {branch.ends}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The text as it grows, and what makes it grow. */
export function Writing() {
  const tokens = session.value?.tokens ?? [];
  const writing = busy.value === "writing";
  const context = model.value?.context ?? 0;
  const closed = !session.value || writing || full.value || tokens.length >= context;
  const unknown = tokens.some(({ text }) => text === "<|unknown|>");
  return (
    <section class="card generate-text" aria-labelledby="generate-text-title">
      <header class="card-head">
        <h3 id="generate-text-title">The text and its cache</h3>
        {state.view.value === "text" && <ViewChoice />}
        <span class="hint">
          {session.value ? `${tokens.length} of ${context} tokens, ${bytes(session.value.bytes)}` : " "}
        </span>
      </header>
      <Prompt />
      <ModelChoice of={reader} />
      <Strip />
      {unknown && (
        <p class="hint">This model knows a few hundred words. The others became one token that it never learned.</p>
      )}
      <div class="actions write">
        <button type="button" class="primary" disabled={closed} onClick={() => void write(SOME)}>
          Write {SOME} tokens
        </button>
        <button type="button" disabled={closed} onClick={() => void write(1)}>
          Write one
        </button>
        <button type="button" disabled={busy.value === undefined} onClick={stop}>
          Stop
        </button>
        <button type="button" disabled={writing || state.log.value.length === 0} onClick={undo}>
          Undo
        </button>
        <button type="button" disabled={!session.value || writing} onClick={fork}>
          Fork
        </button>
        <span class="hint" role="status">
          {opening.value ? "Reading the model …" : busy.value === "computing" ? "Computing …" : ""}
        </span>
        {opening.value && (
          <progress
            aria-label="The model that is being read"
            max={1}
            value={opening.value.total && opening.value.loaded / opening.value.total}
          />
        )}
      </div>
      {branches.value.length > 0 && <Branches />}
      <div class="sampling">
        <Slider
          id="generate-temperature"
          label="temperature"
          value={state.temperature}
          min={fields.temperature.min}
          max={fields.temperature.max}
          step={fields.temperature.step}
        />
        <Seed id="generate-seed" value={state.seed} field={fields.seed} />
      </div>
    </section>
  );
}
