import { useEffect } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { Failure } from "../../components/failure.js";
import { LazyDetails } from "../../components/lazy-details.js";
import { Segmented } from "../../components/segmented.js";
import { Term } from "../../components/term.js";
import { MeasureHead } from "../../training/measure-head.js";
import { longContextSnippets } from "./code.js";
import { Driving, Settings } from "./controls.js";
import { DropeCard } from "./drope.js";
import { LengthFigure } from "./figure.js";
import { RuleList } from "./rule-list.js";
import { betas, failure, phase, settings, startLongContext, task } from "./session.js";
import { state } from "./state.js";
import "./styles.css";

/** A model trained short and tested long, under every rule that only config.json knows of. */
export default function LongContextPage() {
  useEffect(startLongContext, []);
  const drope = state.view.value === "drope";
  return (
    <div
      class="train long-context"
      data-finished={phase.value === "finished" || phase.value === "recorded" || undefined}
    >
      <section class="card train-driving" aria-label={drope ? "View" : "View, training and tests"}>
        <Segmented
          legend="view"
          name="long-view"
          value={state.view}
          options={[
            ["rules", "scaling rules"],
            ["drope", "rotation taken out"],
          ]}
        />
        <Failure says={!drope && failure.value} />
        {!drope && <Driving />}
      </section>
      <div class="train-figures">{drope ? <DropeCard /> : <RulesCard />}</div>
      {!drope && (
        <section class="card train-settings-card" aria-label="Settings">
          <RuleList />
          <Settings />
        </section>
      )}
    </div>
  );
}

/** The same weights under each scaling rule, tested here. */
function RulesCard() {
  return (
    <section class="card" aria-labelledby="long-title">
      <MeasureHead
        id="long-title"
        title="Trained short, tested long"
        task={task.value?.description}
        name="long-measure"
        value={state.measure}
      />
      <LengthFigure />
      <p class="caption">
        On <em>period</em> the trained head meets angles that training never showed. <em>Copy</em> looks at nearby
        tokens only, whose angles were trained, unless a scaling rule changes them.
      </p>
      <p class="hint">
        A line is the median of the seeds, its band goes from the least to the most. Loss is in <Term name="nats" />.
      </p>
      <LazyDetails summary="How this was made">
        {() => (
          <p class="hint">
            The models are tiny: two layers, 32 channels, two heads of eight pairs each, so the ranking changes with
            task and length. Nothing is fine-tuned, whereas published models train on for a while after such a change.
            The factor is test length / trained length: at 1× all rules are the same. Dynamic NTK follows the length by
            itself, here with a factor of 1, so its line is that of NTK-aware. In the recorded runs of <em>period</em>{" "}
            the zigzag of NTK-aware is no noise: every seed is above 0.98 at 4×, and none is above 0.55 at 2× or 8×. It
            comes from the text, in which 5 letters repeat. A rule reads a length if it maps that period onto angles
            that the model has learned. With a period of 4, the same training and NTK-aware give 0.95 at 2× and 0.22 at
            4×.
          </p>
        )}
      </LazyDetails>
      <CodeDrawer name="long" of={() => longContextSnippets(settings.value, betas.value)} />
    </section>
  );
}
