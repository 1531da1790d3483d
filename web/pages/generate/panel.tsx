import { useEffect } from "preact/hooks";
import { ComparisonCard } from "./comparison.js";
import { failure, model, openShipped, session } from "./model.js";
import { ModelCard } from "./model-card.js";
import { NextToken } from "./next-token.js";
import { Operations } from "./operations.js";
import { Writing } from "./writing.js";
import "./styles.css";

/** A decoder that writes, and what can be done to the keys that it keeps. */
export default function GeneratePage() {
  useEffect(() => {
    if (!model.peek()) void openShipped();
  }, []);
  return (
    <div class="generate">
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
