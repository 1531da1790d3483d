import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { type Axis, type Frame, Plot } from "../../components/plot/plot.js";
import { linear } from "../../components/plot/scale.js";
import type { Table } from "../../export/table.js";
import { fixed, scoreText, significant, whole } from "../../text/format.js";
import { type Decay, decay, field, kernel, previewAt, score, shownAt, span, step, valueAt } from "./model.js";
import { state } from "./state.js";

const distanceAxis = (): Axis => ({ scale: linear(0, span.value, 8), name: "distance m − n", tick: whole });

function CursorLine({ frame }: { frame: Frame }) {
  const x = frame.x(shownAt.value);
  return <line class="cursor-line" x1={x} x2={x} y1={frame.top} y2={frame.bottom} />;
}

const onGrid = (x: number, grid: number) => Math.round(x / grid) * grid;
const pointOn = (grid: number) => (x: number | undefined) => {
  previewAt.value = x === undefined ? undefined : onGrid(x, grid);
};
const pickOn = (grid: number) => (x: number) => {
  state.at.value = onGrid(x, grid);
};
const move = (value: number) => {
  previewAt.value = undefined;
  state.at.value = value;
};

/** Only the steps that go up, each a piece of its own. */
function risingPath(frame: Frame, { values, rises }: Decay): string {
  return rises
    .map((n) => {
      const from = `${frame.x(n - 1).toFixed(1)} ${frame.y(values[n - 1]!).toFixed(1)}`;
      return `M${from}L${frame.x(n).toFixed(1)} ${frame.y(values[n]!).toFixed(1)}`;
    })
    .join("");
}

const distanceColumn = {
  name: "distance",
  write: (value: number) => fixed(value, 2).replace(/\.?0+$/, "") || "0",
};
const curveColumn = (name: string) => ({ name, write: scoreText });

function decayTable(): Table {
  const found = decay.value?.found;
  const rises = new Set(found?.rises);
  return {
    columns: [distanceColumn, curveColumn("bound"), { name: "rises" }],
    rows: Array.from(found?.distances ?? [], (n, i) => [n, found!.values[i], rises.has(n) ? "rises" : ""]),
  };
}

function scoreTable(): Table {
  const [scores, kernels] = [score.value?.found, kernel.value?.found];
  return {
    columns: [distanceColumn, curveColumn("score"), curveColumn("mean kernel")],
    rows: Array.from(kernels?.distances ?? [], (n, i) => [n, scores?.values[i], kernels!.values[i]]),
  };
}

/** RoFormer's bound on the decay, its rising steps in the second colour. */
export function DecayFigure() {
  const found = decay.value?.found;
  const at = Math.round(shownAt.value);
  const top = found ? Math.max(...found.values) : 1;
  const now = found?.values[at];
  return (
    <Figure
      name="distance-bound"
      title="The decay bound"
      data={decayTable}
      below={
        <Cursor
          id="decay-at"
          label="distance of the bound"
          value={Math.round(state.at.value)}
          min={0}
          max={span.value}
          step={1}
          says={`distance ${at}: bound ${scoreText(now ?? 0)}`}
          onMove={move}
        >
          <p>
            at <strong>{whole(at)}</strong> the bound is <strong>{now === undefined ? "…" : scoreText(now)}</strong>
          </p>
          <p class="rise-count">
            {found && (
              <>
                It increases at <strong class="b">{found.rises.length}</strong> of {span.value} integer steps.
              </>
            )}
          </p>
        </Cursor>
      }
    >
      <Plot
        label={`The decay bound from distance 0 to ${span.value}: ${significant(found?.values[0] ?? 0, 4)} at 0, ${significant(found?.values[span.value] ?? 0, 4)} at ${span.value}; it rises on ${found?.rises.length ?? 0} of ${span.value} whole steps. The table below holds the numbers.`}
        x={distanceAxis()}
        y={{ scale: linear(0, top * 1.04, 5), name: "bound", tick: (value) => significant(value) }}
        height={260}
        main
        onPoint={pointOn(1)}
        onPick={pickOn(1)}
      >
        {(frame) =>
          found && (
            <>
              <CursorLine frame={frame} />
              <path class="line" d={curvePath(frame, found.distances, found.values)} />
              <path class="line b rising" d={risingPath(frame, found)} />
              {now !== undefined && <circle class="spot" cx={frame.x(at)} cy={frame.y(now)} r={4.5} />}
            </>
          )
        }
      </Plot>
    </Figure>
  );
}

/** Half a tenth beyond the curves, both ways. */
function scoreScale() {
  const values = [score.value?.found, kernel.value?.found].flatMap((curve) => Array.from(curve?.values ?? [0, 1]));
  values.push(state.threshold.value);
  const pad = 0.05 * (Math.max(...values) - Math.min(...values));
  return linear(Math.min(...values) - pad, Math.max(...values) + pad, 6);
}

/** The score of the query and the key, the mean kernel, and where that first falls below the threshold. */
export function ScoreFigure() {
  const [scores, kernels] = [score.value?.found, kernel.value?.found];
  const scale = scoreScale();
  const at = onGrid(shownAt.value, step.value);
  const [now, mean] = [valueAt(scores, at), valueAt(kernels, at)];
  const edge = field.value?.found;
  const reach = edge === undefined ? "…" : Number.isFinite(edge) ? `${fixed(edge, 2)} positions` : "beyond 32\u202f768";
  return (
    <Figure
      name="distance-score"
      title="Score against distance"
      data={scoreTable}
      below={
        <Cursor
          id="score-at"
          label="distance of the score"
          value={state.at.value}
          min={0}
          max={span.value}
          step={step.value}
          says={`distance ${at}: score ${scoreText(now ?? 0)}, mean kernel ${scoreText(mean ?? 0)}`}
          onMove={move}
        >
          <p>
            at <strong>{fixed(at, 2).replace(/\.?0+$/, "") || "0"}</strong> the score is{" "}
            <strong class="a">{now === undefined ? "…" : scoreText(now)}</strong>, the mean kernel{" "}
            <strong class="b">{mean === undefined ? "…" : scoreText(mean)}</strong>
          </p>
          <p>
            effective receptive field at threshold {fixed(state.threshold.value, 2)}:{" "}
            <strong>
              <output>{reach}</output>
            </strong>
          </p>
        </Cursor>
      }
    >
      <Plot
        label={`Score of query and key from distance 0 to ${span.value}: ${scoreText(scores?.values[0] ?? 0)} at 0, ${scoreText(now ?? 0)} at ${at}. The mean kernel first falls below ${state.threshold.value} at ${reach}. The table below holds the numbers.`}
        x={distanceAxis()}
        y={{
          scale,
          name: "score q · k",
          tick: (value) => fixed(value, Math.abs(value) < 0.1 && value !== 0 ? 2 : 1),
        }}
        height={280}
        onPoint={pointOn(step.value)}
        onPick={pickOn(step.value)}
      >
        {(frame) => {
          const level = frame.y(state.threshold.value);
          return (
            <>
              {edge !== undefined && edge <= span.value && (
                <rect
                  class="within"
                  x={frame.left}
                  y={frame.top}
                  width={frame.x(edge) - frame.left}
                  height={frame.bottom - frame.top}
                />
              )}
              {scale.min < 0 && <line class="axis" x1={frame.left} x2={frame.right} y1={frame.y(0)} y2={frame.y(0)} />}
              <line class="limit" x1={frame.left} x2={frame.right} y1={level} y2={level} />
              <CursorLine frame={frame} />
              {kernels && <path class="line b" d={curvePath(frame, kernels.distances, kernels.values)} />}
              {scores && <path class="line a" d={curvePath(frame, scores.distances, scores.values)} />}
              {edge !== undefined && edge <= span.value && (
                <circle class="spot b" cx={frame.x(edge)} cy={level} r={4.5} />
              )}
              {now !== undefined && <circle class="spot a" cx={frame.x(at)} cy={frame.y(now)} r={4.5} />}
            </>
          );
        }}
      </Plot>
    </Figure>
  );
}
