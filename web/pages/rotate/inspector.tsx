import { LazyDetails } from "../../components/lazy-details.js";
import { QueryKeyLegend } from "../../components/query-key-legend.js";
import { Plane, scaleOf, turnOf } from "../../rope/dial.js";
import type { Pair } from "../../rope/pairs.js";
import { fixed, scoreText, significant } from "../../text/format.js";
import { Handles } from "./handles.js";
import { heldScale, keyPosition, previewPair, queryPosition, scene, shownPair } from "./model.js";
import { state } from "./state.js";

function Angle({ position, theta }: { position: number; theta: number }) {
  const { degrees, turns } = turnOf(position, theta);
  return (
    <>
      {fixed(degrees, 1)}°{turns > 0 && <small> + {turns} × 360°</small>}
    </>
  );
}

function Row({ name, q, k }: { name: string; q: string; k: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{q}</td>
      <td>{k}</td>
    </tr>
  );
}

function Numbers({ pair }: { pair: Pair }) {
  const { q, k, qTurned, kTurned, channels } = pair;
  return (
    <table class="numbers">
      <caption class="visually-hidden">The channels of pair {pair.index} before and after rotation</caption>
      <thead>
        <tr>
          <td />
          <th scope="col" class="q">
            query q
          </th>
          <th scope="col" class="k">
            key k
          </th>
        </tr>
      </thead>
      <tbody>
        <Row name={`channel ${channels[0]}`} q={fixed(q[0], 4)} k={fixed(k[0], 4)} />
        <Row name={`channel ${channels[1]}`} q={fixed(q[1], 4)} k={fixed(k[1], 4)} />
        <tr>
          <th scope="row">position × θ</th>
          <td>
            <Angle position={queryPosition.value} theta={pair.theta} />
          </td>
          <td>
            <Angle position={keyPosition.value} theta={pair.theta} />
          </td>
        </tr>
        <Row name={`rotated ${channels[0]}`} q={fixed(qTurned[0], 4)} k={fixed(kTurned[0], 4)} />
        <Row name={`rotated ${channels[1]}`} q={fixed(qTurned[1], 4)} k={fixed(kTurned[1], 4)} />
      </tbody>
    </table>
  );
}

/** The pair under the pointer, or the locked one, large and with its numbers. */
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
          <LazyDetails summary="Numbers of this pair">
            {() => (
              <>
                <dl class="facts">
                  <div>
                    <dt>θ, radians per position</dt>
                    <dd>{significant(pair.theta, 4)}</dd>
                  </div>
                  <div>
                    <dt>wavelength 2π/θ, positions</dt>
                    <dd>{significant(pair.wavelength, 4)}</dd>
                  </div>
                  <div>
                    <dt>its part of the score</dt>
                    <dd>{scoreText(pair.score)}</dd>
                  </div>
                </dl>
                <Numbers pair={pair} />
              </>
            )}
          </LazyDetails>
        </>
      )}
    </section>
  );
}
