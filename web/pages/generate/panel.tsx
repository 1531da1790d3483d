import { ComparisonCard } from "./comparison.js";
import { failure, ready, session, start } from "./model.js";
import { ModelCard } from "./model-card.js";
import { NextToken } from "./next-token.js";
import { Operations } from "./operations.js";
import { Writing } from "./writing.js";
import "./styles.css";

// Before the first drawing, so that the model loads meanwhile.
start();

/** A decoder that writes, and what can be done to the keys that it keeps. */
export default function GeneratePage() {
  return (
    <div class="generate" data-ready={ready.value || undefined}>
      <Writing />
      <div class="generate-side">
        <NextToken />
        <Operations />
      </div>
      {failure.value && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
      <ComparisonCard />
      <details class="card drawer generate-explain">
        <summary>What the library says about this cache</summary>
        <p>{session.value?.explain ?? "There is no cache yet."}</p>
      </details>
      <ModelCard />
    </div>
  );
}
