import { useEffect } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { Failure } from "../../components/failure.js";
import { Formula } from "../../components/formula.js";
import { askForAnalyst, libraryFailure } from "../../library/library.js";
import { frequenciesOf } from "../../rope/rules.js";
import bound from "./bound.tex";
import { distanceSnippets } from "./code.js";
import { DistanceControls } from "./controls.js";
import { DecayFigure, ScoreFigure } from "./figures.js";
import { span } from "./model.js";
import { state } from "./state.js";
import "./styles.css";

/** How scores fall with distance: the bound that RoFormer proves, and what a query and a key really do under it. */
export default function DistancePage() {
  useEffect(() => {
    void askForAnalyst();
  }, []);
  return (
    <div class="distance">
      <Failure says={libraryFailure.value} />
      <section class="card" aria-labelledby="decay-title">
        <header class="card-head">
          <h3 id="decay-title">The bound</h3>
          <p class="key-line">
            <span class="key">falls</span>
            <span class="key b">rises</span>
          </p>
        </header>
        <DecayFigure />
        <p class="caption">
          RoFormer, the paper on RoPE, proves an upper bound that falls with distance. Even the bound wiggles: at d =
          128 it rises on 115 of its first 256 steps.
        </p>
        <Formula mathml={bound} />
        <p class="hint">
          Section 3.4.3 of the paper: a score at distance n is at most d/2 times this mean times the largest step
          between neighbouring q<sub>j</sub> k<sub>j</sub>*, the step from the last one to 0 included. It is a ceiling,
          not a prediction.
        </p>
      </section>
      <section class="card distance-settings" aria-label="Settings">
        <DistanceControls />
      </section>
      <section class="card" aria-labelledby="score-title">
        <header class="card-head">
          <h3 id="score-title">What scores do</h3>
          <p class="key-line">
            <span class="key a">this query and key</span>
            <span class="key b">mean kernel</span>
            <span class="key field">within the receptive field</span>
          </p>
        </header>
        <ScoreFigure />
        <p class="caption">
          Below the bound the score depends on query and key. Draw a few and watch a distant key beat a near one.
        </p>
        <p class="hint">
          The mean kernel is the expected score when query equals key: 1 at distance 0. The effective receptive field
          ends where it first falls below the threshold; farther out it may rise again.
        </p>
        <CodeDrawer
          name="distance"
          of={() =>
            distanceSnippets(
              { headDim: state.d.value, frequencies: frequenciesOf(state.rule.value) },
              span.value,
              state.threshold.value,
            )
          }
        />
      </section>
    </div>
  );
}
