import { ComparisonCard } from "./comparison.js";
import { Microscope } from "./microscope.js";
import { failure, ready, session, start } from "./model.js";
import { ModelCard } from "./model-card.js";
import { NextToken } from "./next-token.js";
import { Operations } from "./operations.js";
import { state } from "./state.js";
import { Writing } from "./writing.js";
import "./styles.css";

// Before the first drawing, so that the model loads meanwhile.
start();

/** A decoder that writes, what can be done to the keys that it keeps, and what its rotation is for. */
export default function GeneratePage() {
  const close = state.view.value === "microscope";
  return (
    <div class="generate" data-ready={ready.value || undefined}>
      {close ? <Microscope /> : <Writing />}
      <div class="generate-side">
        {close ? (
          <Writing />
        ) : (
          <>
            <NextToken />
            <Operations />
          </>
        )}
      </div>
      {failure.value && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
      {!close && (
        <>
          <details class="card drawer generate-explain">
            <summary>What the library says about this cache</summary>
            <p>{session.value?.explain ?? "There is no cache yet."}</p>
          </details>
          <ComparisonCard />
        </>
      )}
      <ModelCard />
    </div>
  );
}
