import { useEffect } from "preact/hooks";
import { Figure, Numbers } from "../components/figure.js";
import { Checkpoint, OpeningStatus } from "../roformer/checkpoint.js";
import { DistanceScores } from "../roformer/distance-scores.js";
import { ExampleList } from "../roformer/example-list.js";
import { ModelFactsList, Timing } from "../roformer/facts.js";
import { Fills } from "../roformer/fills.js";
import { Guesses } from "../roformer/guesses.js";
import { HeadGrid } from "../roformer/head-grid.js";
import { HeadMap } from "../roformer/head-map.js";
import { headsSummary, headsTable } from "../roformer/heads-table.js";
import { Rotation } from "../roformer/rotation.js";
import { Sentence } from "../roformer/sentence.js";
import { model, running, startSession } from "../roformer/session.js";
import { TokenArrows } from "../roformer/token-arrows.js";
import { WeightLegend } from "../roformer/weight-colours.js";

/** A RoFormer that answers, and what every one of its heads looks at while it does. */
export function RoFormerRoom() {
  useEffect(startSession, []);
  return (
    <div class="roformer" data-computing={running.value || undefined}>
      <div class="roformer-words">
        <section class="card roformer-sentence" aria-label="Sentence">
          <Sentence />
        </section>
        <section class="card roformer-fills" aria-labelledby="fills-title">
          <h3 id="fills-title">What it puts there</h3>
          <div class="answer">
            <OpeningStatus own={false} />
            <Fills />
          </div>
          <Rotation />
          <Timing />
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
            <span class="hint">hover previews, click locks</span>
          </header>
          <Figure
            name="attention-heads"
            title="Every head"
            summary="What each head looks at, as a table"
            data={headsTable}
            table={() => <Numbers label="What each head looks at" data={headsSummary()} />}
            below={
              <p class="hint">
                A square is one head: row by row, what each token attends to. A strong diagonal is a head that looks at
                itself; a line beside it, at a neighbour, which it can find only by rotation.
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
        <section class="card" aria-labelledby="model-title">
          <header class="card-head">
            <h3 id="model-title">The model</h3>
            <span class="hint">{model.value?.name ?? "loading"}</span>
          </header>
          <ModelFactsList />
        </section>
        <section class="card" aria-labelledby="checkpoint-title">
          <h3 id="checkpoint-title">Your own checkpoint</h3>
          <Checkpoint />
        </section>
      </div>
    </div>
  );
}
