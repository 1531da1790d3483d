import { CodeDrawer } from "../../code/code-drawer.js";
import { Failure } from "../../components/failure.js";
import { encodingSnippets } from "./code.js";
import { Controls } from "./controls.js";
import { Curve } from "./curve.js";
import { Grid } from "./grid.js";
import { encodingNames } from "./kinds.js";
import { Large } from "./large.js";
import { answers, failure, live, recorded, waiting, words } from "./model.js";
import { configOf } from "./models.js";
import { idsOf } from "./question.js";
import { Senses } from "./senses.js";
import { state } from "./state.js";
import { WeightsButton, weightsFile } from "./weights-button.js";
import "./styles.css";

/** The same words and weights under twelve position encodings. */
export default function EncodingsPage() {
  return (
    <div class="encodings-page" data-live={live.value || undefined}>
      <Failure says={failure.value}>
        {recorded.value && " The answers below are recorded ones, to the sentence that the page opens with."}
      </Failure>
      <section class="card encodings-all" aria-labelledby="encodings-all-title">
        <header class="card-head">
          <h3 id="encodings-all-title">The same words, twelve maps</h3>
          {/* The legend keeps its space while the progress stands in its place, so that nothing below moves. */}
          <span class="hint swap">
            <span data-idle={waiting.value !== undefined || undefined}>rows: query, columns: key</span>
            <span role="status">{waiting.value !== undefined && `${waiting.value} of ${encodingNames.length}…`}</span>
          </span>
        </header>
        <Grid />
        <p class="caption">
          Shift, mirror or spread the words and see which maps change. If a map does not change, no training can make
          that model notice.
        </p>
      </section>
      <Large />
      <section class="card encodings-senses" aria-labelledby="encodings-senses-title">
        <h3 id="encodings-senses-title">What each can see</h3>
        <Senses />
        <p class="hint">
          {answers.value?.words.length ?? words.value.length} words. The biases of T5 and Transformer-XL and the learned
          positions are random, as before training. An entry that is “unchanged” stays so, whatever the model learns.
        </p>
      </section>
      <section class="card encodings-curve" aria-labelledby="encodings-curve-title">
        <h3 id="encodings-curve-title">One pair of words at every distance</h3>
        <Curve />
        <WeightsButton />
        <CodeDrawer
          name="encodings"
          of={() =>
            encodingSnippets({
              config: configOf(state.encoding.value),
              file: weightsFile(),
              ids: idsOf(words.value),
              head: state.head.value,
            })
          }
        />
      </section>
      <section class="card encodings-settings" aria-label="Settings">
        <Controls />
      </section>
    </div>
  );
}
