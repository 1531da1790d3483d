import { useEffect } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { Failure } from "../../components/failure.js";
import { Formula } from "../../components/formula.js";
import { askForAnalyst, libraryFailure } from "../../library/library.js";
import { receptiveFieldSnippets } from "./code.js";
import { Controls } from "./controls.js";
import { Drawing } from "./drawing.js";
import { FieldMap } from "./field-map.js";
import { wanted } from "./fit.js";
import { options, parts } from "./model.js";
import { Parts } from "./parts.js";
import { Picture } from "./picture.js";
import scoreFormula from "./score.tex";
import { state } from "./state.js";
import { Thetas } from "./thetas.js";
import { ViewChoice } from "./view-choice.js";
import "./styles.css";

/** alpha and rho: how a frequency that all pairs share carries a score from near to far. */
export default function ReceptiveFieldPage() {
  useEffect(() => {
    void askForAnalyst();
  }, []);
  const failure = libraryFailure.value || (state.view.value === "text" && parts.value?.error);
  return (
    <div class="field-page">
      <Failure says={failure} />
      {state.view.value === "picture" ? <Picture /> : <Text />}
    </div>
  );
}

/** One position: alpha and rho. */
function Text() {
  return (
    <>
      <section class="card" aria-labelledby="field-parts-title">
        <header class="card-head">
          <h3 id="field-parts-title">The score, taken apart</h3>
          <ViewChoice />
        </header>
        <p class="key-line">
          <span class="key">score a*</span>
          <span class="key a">a′</span>
          <span class="key b">b′</span>
          <span class="key ghost">envelope</span>
        </p>
        <Formula mathml={scoreFormula} />
        <Parts />
        <p class="caption">
          The larger α, the farther a score reaches: at ρ = 1 and α = 0.95 equal vectors still score 0.66 at distance
          256.
        </p>
      </section>
      <section class="card field-settings" aria-label="Settings">
        <Controls />
      </section>
      <section class="card" aria-labelledby="field-map-title">
        <h3 id="field-map-title">From local to global</h3>
        <FieldMap />
      </section>
      <section class="card" aria-labelledby="field-fit-title">
        <header class="card-head">
          <h3 id="field-fit-title">Draw what you want</h3>
          <p class="key-line">
            <span class="key b">wanted</span>
            <span class="key a">mean kernel of α, ρ</span>
          </p>
        </header>
        <Drawing />
        <p class="hint">
          Equal vectors always score 1 at distance 0, and two parameters cannot match every curve: you get the
          least-squares fit.
        </p>
      </section>
      <section class="card" aria-labelledby="field-theta-title">
        <header class="card-head">
          <h3 id="field-theta-title">Every pair</h3>
          <p class="key-line">
            <span class="key a disc">θ*</span>
            <span class="key hollow">θ without α</span>
            <span class="key ghost">φ</span>
          </p>
        </header>
        <Thetas />
        <CodeDrawer
          name="receptive-field"
          of={() => receptiveFieldSnippets(options.value, Number(state.base.value), wanted.value)}
        />
      </section>
    </>
  );
}
