import { step } from "../../state/address.js";
import { examples } from "./examples.js";
import { state } from "./state.js";

/** Sentences to begin with, in pairs that only word order tells apart. */
export function ExampleList() {
  const text = state.text;
  return (
    <ul class="examples">
      {examples.map((example) => (
        <li key={example.why}>
          <span class="hint">{example.why}</span>
          {example.texts.map((sentence) => (
            <button
              type="button"
              key={sentence}
              aria-pressed={text.value === sentence}
              onClick={() =>
                step(() => {
                  text.value = sentence;
                })
              }
            >
              {sentence}
            </button>
          ))}
        </li>
      ))}
    </ul>
  );
}
