import { useEffect } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { MeasureHead } from "../../training/measure-head.js";
import { longContextSnippets } from "./code.js";
import { Settings } from "./controls.js";
import { LengthFigure } from "./figure.js";
import { RuleList } from "./rule-list.js";
import { failure, phase, settings, startLongContext, task } from "./session.js";
import { state } from "./state.js";
import "./styles.css";

/** A model trained short and tested long, under every rule that only config.json knows of. */
export default function LongContextPage() {
  useEffect(startLongContext, []);
  return (
    <div class="train long-context" data-finished={phase.value === "finished" || undefined}>
      {failure.value && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
      <section class="card" aria-label="Settings">
        <Settings />
        <RuleList />
      </section>
      <section class="card" aria-labelledby="long-title">
        <MeasureHead
          id="long-title"
          title="Trained short, tested long"
          task={task.value?.description}
          name="long-measure"
          value={state.measure}
        />
        <LengthFigure />
        <p class="hint">
          Two layers, 32 channels, two heads with eight pairs each, one seed at a time: a miniature, and the ranking
          changes with task, length and seed; try others. Nothing is fine-tuned, whereas published models train on for a
          while after such a change, which position interpolation needs. At 1× the factor is 1, and all rules are the
          same. The factor is test length / trained length, but for dynamic NTK 1: it follows the length by itself, so
          that its line is NTK-aware's here.
        </p>
        <CodeDrawer name="long" of={() => longContextSnippets(settings.value)} />
      </section>
    </div>
  );
}
