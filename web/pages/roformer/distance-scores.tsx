import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { Plot } from "../../components/plot/plot.js";
import { linear } from "../../components/plot/scale.js";
import type { Table } from "../../export/table.js";
import { run } from "../../model/session.js";
import { fixed, significant, whole } from "../../text/format.js";
import { state } from "./state.js";
import { previewDistance, scoresByDistance, shownDistance, shownHead } from "./view.js";

const write = (value: number) => fixed(value, 4);

function table(): Table {
  const found = scoresByDistance.value;
  return {
    columns: [{ name: "distance m − n", write: whole }, { name: "mean score", write }, { name: "pairs of tokens" }],
    rows: (found?.distances ?? []).map((distance, i) => [distance, found!.means[i], found!.counts[i]]),
  };
}

function lock(distance: number): void {
  previewDistance.value = undefined;
  state.distance.value = Math.round(distance);
}

/** A head's mean score before the softmax at each distance, over all words. */
export function DistanceScores() {
  const found = scoresByDistance.value;
  const { layer, head } = shownHead.value;
  const most = Math.max(1, (run.value?.tokens.length ?? 2) - 1);
  const at = shownDistance.value;
  const index = found?.distances.indexOf(at) ?? -1;
  const now = found?.means[index];
  const values = found?.means ?? [0, 1];
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const pad = 0.06 * (high - low || 1);
  const best = found?.distances[found.means.indexOf(Math.max(...found.means))];
  return (
    <section class="card" aria-labelledby="scores-title">
      <header class="card-head">
        <h3 id="scores-title">Score against distance</h3>
        <span class="hint">
          layer {layer}, head {head}
        </span>
      </header>
      <Figure
        name={`scores-layer-${layer}-head-${head}`}
        title="Mean score against distance"
        data={table}
        below={
          <Cursor
            id="roformer-distance"
            label="distance"
            value={at}
            min={-most}
            max={most}
            step={1}
            says={`distance ${at}: mean score ${now === undefined ? "none" : write(now)}`}
            onMove={lock}
          >
            <p>
              at <strong>{whole(at)}</strong> the mean score is <strong>{now === undefined ? "…" : write(now)}</strong>,
              of {found?.counts[index] ?? 0} pairs of tokens
            </p>
          </Cursor>
        }
      >
        <Plot
          label={`Mean score before the softmax in layer ${layer}, head ${head}, from distance ${-most} to ${most}: highest at ${best ?? "none"}, ${now === undefined ? "none" : write(now)} at ${at}. The table below holds the numbers.`}
          x={{ scale: linear(-most, most, 8), name: "distance m − n: the key behind the query →", tick: whole }}
          y={{ scale: linear(low - pad, high + pad, 5), name: "mean score", tick: (value) => significant(value, 2) }}
          height={240}
          onPoint={(x) => {
            previewDistance.value = x === undefined ? undefined : Math.round(x);
          }}
          onPick={lock}
        >
          {(frame) => (
            <>
              <line class="axis" x1={frame.left} x2={frame.right} y1={frame.y(0)} y2={frame.y(0)} />
              <line class="cursor-line" x1={frame.x(at)} x2={frame.x(at)} y1={frame.top} y2={frame.bottom} />
              {found && <path class="line score-line" d={curvePath(frame, found.distances, found.means)} />}
              {now !== undefined && <circle class="spot" cx={frame.x(at)} cy={frame.y(now)} r={4.5} />}
            </>
          )}
        </Plot>
      </Figure>
      <p class="hint">
        {run.value && !found
          ? "This model uses linear attention, so there are no softmax scores to show."
          : "The mean of q · k / √d over all token pairs at this distance. Large distances have few pairs, so the curve gets noisy."}
      </p>
    </section>
  );
}
