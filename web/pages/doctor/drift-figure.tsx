import { useSignal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { Plot } from "../../components/plot/plot.js";
import { linear, logarithmic } from "../../components/plot/scale.js";
import type { Table } from "../../export/table.js";
import { power, significant } from "../../text/format.js";
import { dashes, LineKey } from "../../training/tones.js";
import type { Drift, Drifts } from "./drift.js";

/** 0.1 radian: the distance from which the checker counts. */
const NOTICEABLE = 0.1 / (2 * Math.PI);

const write = (turns: number) => significant(turns, 4);
const nameOf = ({ readers }: Drift) => readers.join(", ");

/** Seven readers may draw six curves; the sixth begins the tones anew. */
const toneOf = (i: number) => i % dashes.length;

function table({ apart }: Drifts): Table {
  return {
    columns: [{ name: "pair" }, ...apart.map((each) => ({ name: `${nameOf(each)}, turns`, write }))],
    rows: apart[0]!.turns.map((_, j) => [j, ...apart.map(({ turns }) => turns[j])]),
  };
}

/** Turns by which each pair of each reader is off at the end of the context, on a logarithmic axis. */
export function DriftFigure({ drifts, id }: { drifts: Drifts; id: string }) {
  const preview = useSignal<number | undefined>(undefined);
  const locked = useSignal<number | undefined>(undefined);
  const { apart, agree, layerType } = drifts;
  const pairs = Math.max(...apart.map(({ turns }) => turns.length));
  const most = Math.max(1, ...apart.flatMap(({ turns }) => turns));
  const scale = linear(0, Math.max(1, pairs - 1), 8);
  const widest = apart[0]!.turns.indexOf(Math.max(...apart[0]!.turns));
  const kept = Math.min(locked.value ?? widest, pairs - 1);
  const pair = Math.min(preview.value ?? kept, pairs - 1);
  const said = apart.map((each) => `${nameOf(each)}: ${write(each.turns[pair] ?? 0)} turns`).join("; ");
  const title = `Turns apart at the end of the context${layerType === undefined ? "" : `, ${layerType}`}`;
  return (
    <Figure
      name={id}
      title={title}
      data={() => table(drifts)}
      below={
        <Cursor
          id={`${id}-pair`}
          label={`pair ${pair}`}
          value={kept}
          min={0}
          max={pairs - 1}
          step={1}
          says={`pair ${pair}; ${said}`}
          onMove={(value) => {
            preview.value = undefined;
            locked.value = value;
          }}
        >
          <ul class="drift-keys">
            {apart.map((each, i) => (
              <li key={nameOf(each)}>
                <LineKey tone={toneOf(i)} /> {nameOf(each)} <strong>{write(each.turns[pair] ?? 0)}</strong> turns
              </li>
            ))}
          </ul>
        </Cursor>
      }
    >
      <p class="figure-title">
        {title}, compared with {agree.join(", ")}
      </p>
      <Plot
        label={`Turns by which the angle of each pair differs at the end of the context, compared with ${agree.join(", ")}: ${apart.map((each) => `${nameOf(each)} up to ${write(Math.max(...each.turns))}`).join("; ")}. The table below holds the numbers.`}
        x={{ name: "pair j", tick: String, scale: { ...scale, ticks: scale.ticks.filter(Number.isInteger) } }}
        y={{ name: "turns apart", tick: power, scale: logarithmic(1e-4, 10 ** Math.ceil(Math.log10(most)), 7) }}
        height={220}
        onPoint={(x) => {
          preview.value = x === undefined ? undefined : Math.round(x);
        }}
        onPick={(x) => {
          locked.value = Math.round(x);
        }}
      >
        {(frame) => {
          const noticeable = frame.y(NOTICEABLE);
          const at = frame.x(pair);
          return (
            <>
              <line class="limit" x1={frame.left} x2={frame.right} y1={noticeable} y2={noticeable} />
              <text class="limit-name" x={frame.left + 8} y={noticeable - 6}>
                0.1 radian
              </text>
              <line class="cursor-line" x1={at} x2={at} y1={frame.top} y2={frame.bottom} />
              {apart.map((each, i) => (
                <path
                  key={nameOf(each)}
                  class={`median tone-${toneOf(i)}`}
                  stroke-dasharray={dashes[toneOf(i)]}
                  d={curvePath(
                    frame,
                    each.turns.map((_, j) => j),
                    each.turns,
                  )}
                />
              ))}
            </>
          );
        }}
      </Plot>
    </Figure>
  );
}
