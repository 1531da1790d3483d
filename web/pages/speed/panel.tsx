import { useEffect } from "preact/hooks";
import { CodeDrawer } from "../../code/code-drawer.js";
import { Segmented } from "../../components/segmented.js";
import { bytes, milliseconds, significant } from "../../text/format.js";
import { Bars } from "./bars.js";
import { speedSnippets } from "./code.js";
import { failure, measure, medianOf, prepared, ROUNDS, rounds, running, shape, startSpeed, stop } from "./session.js";
import { state } from "./state.js";
import "./styles.css";

/** The sentence that the figure comes to. */
function Verdict() {
  const [ropewalk, javascript, limit] = [medianOf("ropewalk"), medianOf("javascript"), medianOf("limit")];
  if (!ropewalk || !javascript || !limit) return <p class="verdict">Measuring…</p>;
  return (
    <p class="verdict">
      One call: <strong>{significant(ropewalk)} µs</strong>, {significant(javascript / ropewalk, 2)} times as fast as
      JavaScript, at {significant((100 * limit) / ropewalk, 2)} % of the limit.
    </p>
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
      <progress max={ROUNDS} value={rounds.value.length} aria-label="Samples taken" />
      <span class="hint samples">
        {rounds.value.length} of {ROUNDS} samples
      </span>
    </div>
  );
}

/** Rotation on this very machine: the package against loops that one might write instead, and against the limit. */
export default function SpeedPage() {
  useEffect(() => {
    startSpeed();
    return stop;
  }, []);
  const { batch, sequence, heads, headDim } = shape.value;
  return (
    <div class="speed" data-finished={rounds.value.length === ROUNDS || undefined}>
      {failure.value && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
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
        </header>
        <Verdict />
        <Bars />
        <p class="hint">
          Gigabytes read and written in a second. All turn the same numbers by the same tables, one after the other,
          sample by sample; each result was first checked against float64. C is a plain loop compiled by Emscripten:
          scalar, with SIMD; relaxed SIMD, whose multiply-add may round once, is written by hand. The limit scales the
          numbers in place: nothing that touches every number is faster. Ropewalk’s time is that of a whole call,
          arguments checked.
        </p>
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
