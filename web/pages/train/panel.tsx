import { CodeDrawer } from "../../code/code-drawer.js";
import { Failure } from "../../components/failure.js";
import { LazyDetails } from "../../components/lazy-details.js";
import { Term } from "../../components/term.js";
import { MeasureHead } from "../../training/measure-head.js";
import { trainSnippets } from "./code.js";
import { Driving, Settings } from "./controls.js";
import { Experiments, takeExperiments } from "./experiments.js";
import { FieldFigure } from "./field-figure.js";
import { RaceFigure } from "./figure.js";
import { failure, phase, runs, takeRecorded } from "./race.js";
import { Standings } from "./standings.js";
import { state } from "./state.js";
import "./styles.css";

// The page is drawn with it, so that nothing moves when it comes.
await Promise.all([takeRecorded(), takeExperiments()]);

/** Position encodings trained side by side on one task from the same seeds. */
export default function TrainPage() {
  return (
    <div class="train" data-finished={phase.value === "finished" || phase.value === "recorded" || undefined}>
      <section class="card train-driving" aria-label="The race, begun and ended">
        <Failure says={failure.value} />
        <Driving />
      </section>
      <div class="train-figures">
        <section class="card" aria-labelledby="race-title">
          <MeasureHead
            id="race-title"
            title="Who learns the task first?"
            task={runs.value[0]?.begun.description}
            name="train-measure"
            value={state.measure}
          />
          <RaceFigure />
          {phase.value === "recorded" && (
            <p class="caption">
              RoPE solves it. Symmetric ALiBi cannot tell left from right, so it stays at chance by construction.
              Learned absolute positions could solve it, but do not within these 800 steps.
            </p>
          )}
          <Standings />
          <p class="hint">
            Lines are medians over the seeds, bands go from the least to the most. Loss is in <Term name="nats" />.
          </p>
          <LazyDetails summary="How this was made">
            {() => (
              <p class="hint">
                The same seed gives every encoding the same data, masks and initial weights, and all share one learning
                rate, which may suit some better than others;{" "}
                <a href="./docs/results.html#the-race">our own comparison</a> tunes it for each. “Solved” means 90 % of
                the gap between chance and the best possible. These models are tiny, so treat rankings as hints; only
                what we call “by construction” is certain.
              </p>
            )}
          </LazyDetails>
          <CodeDrawer name="train" of={trainSnippets} />
        </section>
        <FieldFigure />
      </div>
      <section class="card train-settings-card" aria-label="Settings">
        <Settings />
      </section>
      <Experiments />
    </div>
  );
}
