import recorded from "virtual:recorded-speed";
import { useEffect } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { Failure } from "../../components/failure.js";
import { LazyDetails } from "../../components/lazy-details.js";
import { Segmented } from "../../components/segmented.js";
import { Term } from "../../components/term.js";
import { bytes, milliseconds, significant } from "../../text/format.js";
import { Bars } from "./bars.js";
import { speedSnippets } from "./code.js";
import {
  bestJavascript,
  failure,
  isRecorded,
  measure,
  prepared,
  ROUNDS,
  ratio,
  rounds,
  running,
  scatter,
  shape,
  startSpeed,
  stop,
  timesOf,
  warmed,
} from "./session.js";
import { state } from "./state.js";
import "./styles.css";

/** Beyond this, quartiles are so far apart that a machine at rest would say otherwise. */
const BUSY = 1.5;

/** A ratio and its range as people say them: "9 to 12", or "about 9" where both ends round to the same. */
function range(low: number, high: number): string {
  const [from, to] = [significant(low, 2), significant(high, 2)];
  return from === to ? `about ${from}` : `${from} to ${to}`;
}

/** The conclusion of the figure. It comes at the end: with figures that still change its words would jump. */
function Verdict() {
  const [ropewalk, limit, javascript] = [timesOf("ropewalk"), timesOf("limit"), bestJavascript.value];
  if (isRecorded.value)
    return (
      <p class="verdict">
        Recorded {recorded.date} in {recorded.browser}, {recorded.processor}.{" "}
        {running.value ? "Measuring here…" : "Nothing has been measured here yet."}
      </p>
    );
  if (running.value || !ropewalk || !javascript || !limit) return <p class="verdict">Measuring here…</p>;
  const share = limit.q1 / ropewalk.q1;
  return (
    <p class="verdict">
      Here one call takes <strong>{significant(ropewalk.q1)} µs</strong>. That is{" "}
      <strong>{range(...ratio(javascript, ropewalk))}</strong> times as fast as the best of three JavaScript loops (
      {javascript.name}), and{" "}
      {share > 0.95
        ? "about as fast as only reading and writing every number."
        : `${significant(100 * share, 2)} % of the speed of only reading and writing every number.`}
    </p>
  );
}

/** Figures of a machine that does something else are not its own. */
function Busy() {
  const busy = !running.value && !isRecorded.value && scatter.value > BUSY;
  return (
    <span class="hint" role="status">
      {busy && "This machine is busy: measure again when it is quiet."}
    </span>
  );
}

function Facts() {
  const found = prepared.value;
  const facts: ReadonlyArray<readonly [name: string, value: string]> = [
    ["library", found ? `${found.version}, ${found.variant}` : "…"],
    ["relaxed SIMD", found ? (found.errors.relaxed === undefined ? "not in this browser" : "supported") : "…"],
    ["load to first rotation", found ? milliseconds(found.startMilliseconds) : "…"],
    ["memory of the module", found ? bytes(found.heapBytes) : "…"],
    ["cores", String(navigator.hardwareConcurrency)],
    ["clock steps", found ? `${significant(found.clockMicroseconds, 2)} µs` : "…"],
  ];
  return (
    <dl class="facts speed-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Progress() {
  return (
    <div class="speed-run">
      {running.value ? (
        <button type="button" onClick={stop}>
          Stop
        </button>
      ) : (
        <button type="button" onClick={() => void measure()}>
          Measure again
        </button>
      )}
      <progress max={ROUNDS + 1} value={warmed.value + rounds.value.length} aria-label="Samples taken" />
      <span class="hint samples">
        {running.value && warmed.value < 1
          ? `warming up, ${significant(100 * warmed.value, 2)} %`
          : `${rounds.value.length} of ${ROUNDS} samples`}
      </span>
    </div>
  );
}

// Before the first drawing, which then knows that it measures.
startSpeed();

/** Rotation on this very machine: the package against loops that one might write instead, and against the limit. */
export default function SpeedPage() {
  useEffect(() => stop, []);
  const { batch, sequence, heads, headDim } = shape.value;
  return (
    <div class="speed" data-finished={rounds.value.length === ROUNDS || undefined}>
      <Failure says={failure.value} />
      <section class="card controls" aria-label="Settings">
        <Segmented
          legend="what is rotated"
          name="speed-shape"
          value={state.shape}
          options={[
            ["decode", "1 token"],
            ["prompt", "128"],
            ["batch", "8 × 512"],
            ["long", "2048"],
          ]}
          hint={`[${batch}, ${sequence}, ${heads}, ${headDim}]: batch, tokens, heads, head dimension`}
        />
        <Segmented
          legend="pairing"
          name="speed-pairing"
          value={state.pairing}
          options={[
            ["half", "half"],
            ["interleaved", "interleaved"],
          ]}
        />
        <Progress />
      </section>
      <section class="card" aria-labelledby="speed-figure">
        <header class="card-head">
          <h3 id="speed-figure">Rotated in place, one thread</h3>
          <Busy />
        </header>
        <Bars>
          <Verdict />
          <p class="hint">
            Gigabytes read and written per second, by the lower quartile of {ROUNDS} samples; the thin line reaches to
            the upper quartile.
          </p>
        </Bars>
        <LazyDetails summary="How this is measured">
          {() => (
            <p class="hint">
              All rotate the same numbers by the same tables in turn, after 0.3 s of warming up each. Every result was
              first checked against float64: the table has the largest error, in <Term name="ulp" />. The JavaScript
              loops are those of our <a href="./docs/performance.html">benchmark</a>, whose times pale bars show until
              the first sample. C is a plain loop compiled by Emscripten; relaxed SIMD, whose multiply-add may round
              once, is written by hand. The limit multiplies the numbers in place. Ropewalk’s time is that of a whole
              call, checks of its arguments included. Training on other pages waits meanwhile. One call can also run on
              several threads: <a href="./threads/index.html">measure one and two here</a>.
            </p>
          )}
        </LazyDetails>
        <CodeDrawer name="speed" of={() => speedSnippets(shape.value, state.pairing.value)} />
      </section>
      <section class="card" aria-labelledby="speed-machine">
        <header class="card-head">
          <h3 id="speed-machine">This machine</h3>
        </header>
        <Facts />
      </section>
    </div>
  );
}
