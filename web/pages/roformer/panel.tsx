import { CodeDrawer } from "../../code/code-drawer.js";
import { Figure, Numbers } from "../../components/figure.js";
import { OpeningStatus } from "../../components/opening-status.js";
import { ModelChoice } from "../../model/bench.js";
import { isRecorded, isStale, model, opening, reader, run, showRecorded, startSession } from "../../model/session.js";
import { roformerSnippets } from "./code.js";
import { DistanceScores } from "./distance-scores.js";
import { ExampleList } from "./example-list.js";
import { ModelFactsList, Timing } from "./facts.js";
import { Fills } from "./fills.js";
import { Guesses } from "./guesses.js";
import { HeadGrid } from "./head-grid.js";
import { HeadMap } from "./head-map.js";
import { headsSummary, headsTable } from "./heads-table.js";
import { recordedRun } from "./recorded.js";
import { Rotation } from "./rotation.js";
import { Sentence } from "./sentence.js";
import { TokenArrows } from "./token-arrows.js";
import { WeightLegend } from "./weight-colours.js";
import "./attention.css";
import "./styles.css";

// Before the first drawing, so that the model loads meanwhile.
startSession();
void recordedRun().then((recorded) => recorded && showRecorded(recorded));

/** How far the model of this site is. Nobody waits while a recorded answer stands for what is asked. */
function Opening() {
  const now = opening.value;
  const isWaited = now && "shipped" in now.source && (!isRecorded.value || isStale.value);
  return <OpeningStatus id="opening-shipped" reading={isWaited ? now : undefined} failure="" cancel={reader.cancel} />;
}

/** A RoFormer that answers, and what every one of its heads looks at while it does. */
export default function RoformerPage() {
  return (
    <div
      class="roformer"
      data-computing={isStale.value || undefined}
      data-live={(run.value && !isRecorded.value) || undefined}
    >
      <div class="roformer-words">
        <section class="card roformer-sentence" aria-label="Sentence">
          <Sentence />
          <ModelChoice of={reader} />
        </section>
        <section class="card roformer-fills" aria-labelledby="fills-title">
          <header class="card-head">
            <h3 id="fills-title">Top predictions</h3>
            <span class="hint">{isRecorded.value && "recorded; reading the model"}</span>
          </header>
          <Rotation />
          <div class="answer">
            <Opening />
            <Fills />
          </div>
          <Timing />
          <CodeDrawer name="roformer" of={roformerSnippets} />
        </section>
        <Guesses />
        <section class="card" aria-labelledby="examples-title">
          <h3 id="examples-title">Word order matters</h3>
          <ExampleList />
        </section>
      </div>
      <div class="roformer-attention">
        <section class="card roformer-heads" aria-labelledby="heads-title">
          <header class="card-head">
            <h3 id="heads-title">Every head</h3>
            <span class="hint">point to preview, click or tap to keep</span>
          </header>
          <Figure
            name="attention-heads"
            title="Every head"
            data={headsTable}
            table={() => <Numbers label="What each head looks at" data={headsSummary()} />}
            below={
              <p class="hint">
                A square is one head: each row shows what a token attends to. A dark diagonal: each token attends to
                itself. A line beside it: to its neighbour, which only rotation makes possible.
              </p>
            }
          >
            <HeadGrid />
            <WeightLegend />
          </Figure>
        </section>
        <HeadMap />
        <TokenArrows />
        <DistanceScores />
        <section class="card roformer-about" aria-labelledby="model-title">
          <header class="card-head">
            <h3 id="model-title">The model</h3>
            <span class="hint">{model.value?.name ?? "loading"}</span>
          </header>
          <ModelFactsList />
        </section>
      </div>
    </div>
  );
}
