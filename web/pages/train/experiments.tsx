import { useSignal } from "@preact/signals";
import { Failure } from "../../components/failure.js";
import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { Plot } from "../../components/plot/plot.js";
import { doubling, linear } from "../../components/plot/scale.js";
import type { Table } from "../../export/table.js";
import { fixed, significant, whole } from "../../text/format.js";
import { dashes, LineReadings } from "../../training/tones.js";
import address from "./experiments.json?url";
import { area } from "./figure.js";
import { failure, type Live, losses, run, running, stop } from "./live.js";
import { state } from "./state.js";

interface Line {
  readonly label: string;
  readonly x: readonly number[];
  readonly median: readonly number[];
  readonly least: readonly number[];
  readonly most: readonly number[];
}
/** A figure of docs/results.md; x is the same in all of its lines. */
export interface View {
  readonly name: string;
  /** The heading of its section. */
  readonly anchor: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
  /** How a page runs it, if it can in a minute. */
  readonly live?: Live;
}
/** experiments.json, by tools/experiments/page.mjs. */
interface Recorded {
  readonly seeds: number;
  readonly views: readonly View[];
}

let recorded: Recorded | undefined;

/** Resolves once the recorded experiments can be shown, or cannot be had. */
export async function takeExperiments(): Promise<void> {
  try {
    recorded = (await (await fetch(address)).json()) as Recorded;
  } catch {
    // The page goes without them.
  }
}

const write = (value: number) => fixed(value, 3);

/** The losses of this page for each line of a view. */
const hereOf = ({ live, lines }: View) => lines.map((_, i) => (live ? (losses.value[i] ?? []) : []));

function tableOf(view: View): Table {
  const { x, lines } = view;
  const here = hereOf(view);
  const columns = here.some(({ length }) => length > 0)
    ? ["median", "least", "most", "here"]
    : ["median", "least", "most"];
  return {
    columns: [
      { name: x },
      ...lines.flatMap(({ label }) => columns.map((name) => ({ name: `${label} ${name}`, write }))),
    ],
    rows: lines[0]!.x.map((at, i) => [
      at,
      ...lines.flatMap(({ median, least, most }) => [median[i], least[i], most[i]]),
    ]),
  };
}

function axesOf({ x, y, lines }: View) {
  const at = lines[0]!.x;
  const [first, last] = [at[0]!, at.at(-1)!];
  const most = y.startsWith("share") ? 1 : Math.max(...lines.flatMap((line) => line.most));
  // Tokens double, steps begin at 0.
  const across = first > 0 ? doubling(first, Math.log2(last / first)) : linear(0, last, 6);
  return {
    x: { scale: across, name: x, tick: whole },
    y: { scale: linear(0, most * 1.001, 5), name: y, tick: (value: number) => significant(value) },
  };
}

/** Trains the models of the figure in this page, beside what was recorded. */
function RunHere({ live }: { live: Live }) {
  return (
    <>
      <div class="actions">
        <button type="button" onClick={() => (running.value ? stop() : void run(live))}>
          {running.value ? "Stop" : "Run one seed here"}
        </button>
      </div>
      <p class="hint" role="status">
        {running.value
          ? "Training. Dots are the losses in this page."
          : losses.value.length > 0
            ? "Dots are the losses in this page: one seed, so they may lie outside the band."
            : "The same models, rates and steps with one seed, which takes under a minute on most machines."}
      </p>
      <Failure says={failure.value} />
    </>
  );
}

const nearest = (xs: readonly number[], x: number) =>
  xs.reduce((best, value, i) => (Math.abs(value - x) < Math.abs(xs[best]! - x) ? i : best), 0);

/** The experiments of the paper in miniature: each figure as it was recorded for docs/results.md. */
export function Experiments() {
  const preview = useSignal<number | undefined>(undefined);
  if (!recorded) return null;
  const chosen = Math.min(state.experiment.value, recorded.views.length - 1);
  const view = recorded.views[chosen]!;
  const { name, anchor, x, y, lines, live } = view;
  const here = hereOf(view);
  const xs = lines[0]!.x;
  const kept = state.point.value;
  const at = preview.value ?? (kept >= 0 && kept < xs.length ? kept : xs.length - 1);
  const readings = lines.map(({ label, median }, tone) => {
    const found = here[tone]![at];
    const more = found === undefined ? "" : `, here ${write(found)}`;
    return { tone, label, reading: write(median[at]!), more };
  });
  const said = readings.map(({ label, reading, more }) => `${label} ${reading}${more}`).join(", ");
  const index = (value: number | undefined) => (value === undefined ? undefined : nearest(xs, value));
  return (
    <section class="card experiments" aria-labelledby="experiments-title">
      <h3 id="experiments-title">The paper’s experiments, recorded</h3>
      <p class="hint">
        RoFormer’s experiments in miniature, {recorded.seeds} seeds each, with a learning rate tuned for every model.
        Training all the seeds takes minutes, so these figures are recorded.{" "}
        <a href={`./docs/results.html#${anchor}`}>Read how this one was made</a>.
      </p>
      <div class="select">
        <label for="experiment">experiment</label>
        <select
          id="experiment"
          value={chosen}
          onChange={(event) => {
            preview.value = undefined;
            state.experiment.value = Number(event.currentTarget.value);
            state.point.value = -1;
          }}
        >
          {recorded.views.map((one, i) => (
            <option key={one.name} value={i}>
              {one.name}
            </option>
          ))}
        </select>
      </div>
      {live && <RunHere live={live} />}
      <Figure
        name="experiment"
        title={name}
        data={() => tableOf(view)}
        below={
          <Cursor
            id="experiment-at"
            label={`${x}: ${whole(xs[at]!)}`}
            value={at}
            min={0}
            max={xs.length - 1}
            step={1}
            says={`${x} ${xs[at]}: ${said}`}
            onMove={(value) => {
              preview.value = undefined;
              state.point.value = value;
            }}
          />
        }
      >
        <Plot
          label={`${name}: ${y} over ${x}, at ${xs[at]}: ${said}. The table below holds the numbers.`}
          {...axesOf(view)}
          height={260}
          onPoint={(value) => {
            preview.value = index(value);
          }}
          onPick={(value) => {
            state.point.value = index(value) ?? -1;
          }}
        >
          {(frame) => (
            <>
              {lines.map(({ label, median, least, most }, tone) => (
                <g key={label} class={`tone-${tone}`}>
                  <path class="band" d={area(frame, { steps: xs, least, most })} />
                  <path class="median" stroke-dasharray={dashes[tone]} d={curvePath(frame, xs, median)} />
                  {here[tone]!.map((loss, i) => (
                    <circle key={xs[i]} class="here" cx={frame.x(xs[i]!)} cy={frame.y(loss)} r="3.5" />
                  ))}
                </g>
              ))}
              <line class="cursor-line" x1={frame.x(xs[at]!)} x2={frame.x(xs[at]!)} y1={frame.top} y2={frame.bottom} />
            </>
          )}
        </Plot>
        <LineReadings lines={readings} />
      </Figure>
    </section>
  );
}
