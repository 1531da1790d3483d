import { useEffect } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { Failure } from "../../components/failure.js";
import { Figure } from "../../components/figure.js";
import { LazyDetails } from "../../components/lazy-details.js";
import { askForLibrary, libraryFailure } from "../../library/library.js";
import { fixed, scoreText, significant } from "../../text/format.js";
import { Channels } from "./channels.js";
import { rotateSnippets } from "./code.js";
import { Positions, Settings } from "./controls.js";
import { Curve } from "./curve.js";
import { Dials } from "./dials.js";
import { Forms } from "./forms.js";
import { Inspector } from "./inspector.js";
import { distance, keyPosition, options, pairCount, queryPosition, scene, vectors } from "./model.js";
import { pairsTable } from "./pairs-table.js";
import { playing } from "./playback.js";
import "./styles.css";

function Score() {
  const current = scene.value;
  const moved = current ? Math.abs(current.score - current.scoreUnshifted) : 0;
  return (
    <div class="score">
      <p class="score-formula">
        <span class="q">
          q<sub>{fixed(queryPosition.value, 2).replace(/\.00$/, "")}</sub>
        </span>{" "}
        ·{" "}
        <span class="k">
          k<sub>{fixed(keyPosition.value, 2).replace(/\.00$/, "")}</sub>
        </span>
      </p>
      <p class="score-value">
        <output aria-label="score" aria-live={playing.value ? "off" : "polite"}>
          {current ? scoreText(current.score) : "…"}
        </output>
      </p>
      <dl class="score-facts">
        <div>
          <dt>distance m − n</dt>
          <dd>{fixed(distance.value, 2).replace(/\.00$/, "")}</dd>
        </div>
        <div>
          <dt>change caused by the shift</dt>
          <dd>{moved === 0 ? "0" : `${significant(moved, 2)}${moved < 1e-5 ? " (rounding)" : ""}`}</dd>
        </div>
      </dl>
    </div>
  );
}

/** A query and a key, turned by their positions pair by pair; and the score that knows only their distance. */
export default function RotatePage() {
  useEffect(() => {
    void askForLibrary();
  }, []);
  return (
    <div class="rotate">
      <Failure says={libraryFailure.value} />
      <section class="card rotate-main" aria-label="Score">
        <Inspector />
        <Score />
        <Positions />
        <p class="caption">Shift both: every arrow turns, yet the score does not change.</p>
        <Curve />
      </section>
      <section class="card rotate-pairs" aria-label="Pairs">
        <header class="card-head">
          <h3>
            {pairCount.value} pairs, {pairCount.value} speeds
          </h3>
        </header>
        <p class="hint dials-hint">
          Point at a pair to preview it, click or tap to keep it. The bar is the pair’s part of the score.
        </p>
        <Figure name="rotate-pairs" title="Every pair" data={pairsTable}>
          <Dials />
        </Figure>
        <LazyDetails summary="Channels of a pair">{() => <Channels />}</LazyDetails>
        <CodeDrawer
          name="rotate"
          of={() =>
            rotateSnippets({
              options: options.value,
              ...vectors.value,
              queryPosition: queryPosition.value,
              keyPosition: keyPosition.value,
            })
          }
        />
      </section>
      <Forms />
      <section class="card rotate-settings" aria-label="Settings">
        <Settings />
      </section>
    </div>
  );
}
