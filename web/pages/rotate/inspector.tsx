import { QueryKeyLegend } from "../../components/query-key-legend.js";
import { Plane, scaleOf } from "../../rope/dial.js";
import { Handles } from "./handles.js";
import { heldScale, previewPair, scene, shownPair } from "./model.js";
import { state } from "./state.js";

/** The pair under the pointer, or the locked one, large. The table of every pair has its numbers. */
export function Inspector() {
  const pair = scene.value?.pairs[shownPair.value];
  return (
    <section class="inspector" aria-label="The chosen pair">
      <header class="card-head">
        <h3>Pair {shownPair.value}</h3>
        <span class="hint">{previewPair.value !== undefined && "preview; click to keep it"}</span>
      </header>
      {pair && (
        <>
          <div class="plane-held">
            <Plane pair={pair} large scale={heldScale.value ?? scaleOf(pair)} />
            <Handles pair={pair} scale={heldScale.value ?? scaleOf(pair)} />
          </div>
          <p class="hint moved-hint">
            Drag a tip, or focus it and use the arrow keys.{" "}
            <button
              type="button"
              disabled={state.moved.value.length === 0}
              onClick={() => {
                state.moved.value = [];
              }}
            >
              Put back
            </button>
          </p>
          <QueryKeyLegend />
        </>
      )}
    </section>
  );
}
