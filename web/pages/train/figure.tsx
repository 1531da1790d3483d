import { useSignal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { Level } from "../../components/plot/level.js";
import { type Axis, type Frame, Plot } from "../../components/plot/plot.js";
import { linear } from "../../components/plot/scale.js";
import type { Table } from "../../export/table.js";
import { fixed, significant, whole } from "../../text/format.js";
import { encodingLabels } from "../../training/encoding-labels.mjs";
import type { Measure } from "../../training/measure-head.js";
import { dashes, LineReadings } from "../../training/tones.js";
import { type Band, standings } from "./curves.js";
import { best, race, runs } from "./race.js";
import { state } from "./state.js";

/** The area between the least and the most of the seeds. */
export function area(frame: Frame, { steps, least, most }: Omit<Band, "median">): string {
  const there = curvePath(frame, steps, least);
  const back = curvePath(frame, [...steps].reverse(), [...most].reverse());
  return steps.length ? `${there}L${back.slice(1)}Z` : "";
}

const write = (value: number) => fixed(value, 3);

function table(): Table {
  const longest = standings.value.reduce((most, { once }) => Math.max(most, once.loss.steps.length), 0);
  const steps = standings.value.find(({ once }) => once.loss.steps.length === longest)?.once.loss.steps ?? [];
  return {
    columns: [
      { name: "step" },
      ...standings.value.flatMap(({ encoding }) =>
        ["accuracy", "least", "most", "loss", "training loss", "accuracy at 2×", "loss at 2×"].map((name) => ({
          name: `${encodingLabels[encoding]} ${name}`,
          write,
        })),
      ),
    ],
    rows: steps.map((step, i) => [
      step,
      ...standings.value.flatMap(({ once, twice, training }) => [
        once.accuracy.median[i],
        once.accuracy.least[i],
        once.accuracy.most[i],
        once.loss.median[i],
        i === 0 ? undefined : training.median[i],
        twice.accuracy.median[i],
        twice.loss.median[i],
      ]),
    ]),
  };
}

const axes = (measure: Measure): { x: Axis; y: Axis } => {
  const steps = race.value?.settings.steps ?? Number(state.steps.value);
  const losses = standings.value.flatMap(({ once }) => once.loss.most);
  const most = measure === "accuracy" ? 1 : Math.max(0.1, ...losses.filter(Number.isFinite)) * 1.05;
  return {
    x: { scale: linear(0, steps, 8), name: "step", tick: whole },
    y: {
      scale: linear(0, most * 1.001, 5),
      name: measure === "accuracy" ? "accuracy on held-out sequences" : "loss on held-out sequences, nats",
      tick: (value) => significant(value),
    },
  };
};

/** Each encoding's median over the seeds, as far as all of them are, in the band from the least to the most. */
export function RaceFigure() {
  const preview = useSignal<number | undefined>(undefined);
  const measure = state.measure.value;
  const steps = race.value?.settings.steps ?? Number(state.steps.value);
  const every = race.value?.every ?? 1;
  const reached = Math.max(0, ...standings.value.map(({ once }) => once.loss.steps.at(-1) ?? 0));
  const at = Math.min(preview.value ?? (state.step.value >= 0 ? state.step.value : reached), reached);
  const index = Math.round(at / every);
  const onCheck = (x: number | undefined) =>
    x === undefined ? undefined : Math.min(reached, Math.round(x / every) * every);
  const chance = runs.value[0]?.begun.chance;
  const lines = { accuracy: [chance, "chance"], loss: [best.value?.loss, "best possible"] } as const;
  const [line, lineName] = lines[measure];
  // Lines that cover each other look like one.
  const together = standings.value
    .filter(({ once }) => {
      const value = once.accuracy.median[index];
      return measure === "accuracy" && value !== undefined && chance !== undefined && Math.abs(value - chance) < 0.04;
    })
    .map(({ encoding }) => encodingLabels[encoding]);
  const said = standings.value.map(
    ({ encoding, once }) => `${encodingLabels[encoding]} ${write(once[measure].median.at(-1) ?? Number.NaN)}`,
  );
  const readings = standings.value.map(({ encoding, tone, once }) => {
    const value = once[measure].median[index];
    return { tone, label: encodingLabels[encoding], reading: value === undefined ? "…" : write(value) };
  });
  return (
    <Figure
      name="race"
      title="The race"
      data={table}
      below={
        <Cursor
          id="race-at"
          label="step"
          value={at}
          min={0}
          max={steps}
          step={every}
          says={`step ${at}: ${readings.map(({ label, reading }) => `${label} ${reading}`).join(", ")}`}
          onMove={(value) => {
            preview.value = undefined;
            state.step.value = onCheck(value) ?? -1;
          }}
        >
          {together.length > 1 && <p class="hint">{together.join(" and ")} lie on each other here, at chance.</p>}
        </Cursor>
      }
    >
      <Plot
        label={`${measure} against steps, now at step ${reached}: ${said.join(", ")}. The table below holds the numbers.`}
        {...axes(measure)}
        names={measure === "accuracy" ? 56 : 96}
        height={300}
        main
        onPoint={(x) => {
          preview.value = onCheck(x);
        }}
        onPick={(x) => {
          state.step.value = onCheck(x) ?? -1;
        }}
      >
        {(frame) => (
          <>
            {line !== undefined && line > 0 && <Level frame={frame} at={line} name={lineName} />}
            {standings.value.map(({ encoding, tone, runs: { length }, once }) => (
              <g key={encoding} class={`race-line tone-${tone}`} data-encoding={encoding}>
                {length > 1 && <path class="band" d={area(frame, once[measure])} />}
                <path
                  class="median"
                  stroke-dasharray={dashes[tone]}
                  d={curvePath(frame, once[measure].steps, once[measure].median)}
                />
              </g>
            ))}
            {reached > 0 && (
              <line class="cursor-line" x1={frame.x(at)} x2={frame.x(at)} y1={frame.top} y2={frame.bottom} />
            )}
          </>
        )}
      </Plot>
      <LineReadings lines={readings} />
    </Figure>
  );
}
