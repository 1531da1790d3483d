import type { Signal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import { Cursor } from "../../components/plot/cursor.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { Level } from "../../components/plot/level.js";
import { Plot } from "../../components/plot/plot.js";
import { doubling, linear } from "../../components/plot/scale.js";
import type { Table } from "../../export/table.js";
import { significant, whole } from "../../text/format.js";
import { dashes, LineReadings } from "../../training/tones.js";

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}
interface Line {
  readonly id: string;
  readonly label: string;
  readonly faint?: boolean;
  /** Drawn wider, since it coincides with another. */
  readonly under?: boolean;
  /** At a multiple of the trained length; undefined while nothing was tested there. */
  spread(factor: number): Spread | undefined;
}
interface Props {
  /** The name of the saved files and of the cursor. */
  readonly name: string;
  readonly title: string;
  data(): Table;
  /** At most five. */
  readonly lines: readonly Line[];
  /** The noun for a line, such as "rule". */
  readonly kind: string;
  readonly measure: string;
  readonly axis: string;
  readonly most: number;
  readonly chance?: number | undefined;
  /** The elements of a sequence, such as "letters". */
  readonly unit: string;
  /** The length of the training sequences. */
  readonly length: number;
  /** Each twice the one before, from 1. */
  readonly factors: readonly number[];
  /** The multiple that is read. */
  readonly at: number;
  readonly preview: Signal<number | undefined>;
  lock(factor: number): void;
  write(value: number): string;
}

/** One line per rule or model over the test length: the median of the seeds, in the band of all of them. */
export function LinesFigure(props: Props) {
  const { name, title, data, lines, kind, measure, axis, most, chance, unit, length, factors, at, preview, write } =
    props;
  const lock = (factor: number | undefined) => {
    preview.value = undefined;
    if (factor !== undefined) props.lock(factor);
  };
  /** The tested length, in lengths of training, nearest to what is pointed at. */
  const nearest = (tokens: number | undefined) => {
    if (tokens === undefined) return undefined;
    const away = (factor: number) => Math.abs(Math.log2(tokens / length / factor));
    return [...factors].sort((a, b) => away(a) - away(b))[0];
  };
  const reading = (line: Line) => {
    const spread = line.spread(at);
    if (!spread) return "…";
    const { median, least, most } = spread;
    return least === most ? write(median) : `${write(median)} (${write(least)} to ${write(most)})`;
  };
  const said = lines.map((line) => `${line.label} ${reading(line)}`).join(", ");
  return (
    <Figure
      name={name}
      title={title}
      data={data}
      below={
        <Cursor
          id={`${name}-at`}
          label="test length"
          value={factors.indexOf(at)}
          min={0}
          max={factors.length - 1}
          step={1}
          says={`${at} times the trained length, ${at * length} ${unit}: ${said}`}
          onMove={(index) => lock(factors[index])}
        >
          <p>
            <strong>{at}×</strong> the trained length, {whole(at * length)} {unit}: {measure}
          </p>
        </Cursor>
      }
    >
      <Plot
        label={`${measure} against test length on a logarithmic axis, one line per ${kind}, trained at ${length} ${unit}. At ${at * length} ${unit}: ${said}. The table below holds the numbers.`}
        x={{
          scale: doubling(length, factors.length - 1),
          name: `test length, ${unit}`,
          tick: whole,
        }}
        y={{ scale: linear(0, most * 1.02, 5), name: axis, tick: (value) => significant(value) }}
        names={chance === undefined ? 0 : 56}
        height={300}
        main
        onPoint={(tokens) => {
          preview.value = nearest(tokens);
        }}
        onPick={(tokens) => lock(nearest(tokens))}
      >
        {(frame) => (
          <>
            {chance !== undefined && <Level frame={frame} at={chance} name="chance" />}
            <line
              class="cursor-line"
              x1={frame.x(at * length)}
              x2={frame.x(at * length)}
              y1={frame.top}
              y2={frame.bottom}
            />
            {lines.map(({ id, faint, under, spread }, tone) => {
              const own = factors.flatMap((factor) => {
                const found = spread(factor);
                return found ? [{ x: factor * length, ...found }] : [];
              });
              const xs = own.map(({ x }) => x);
              const ys = own.map(({ median }) => median);
              const there = own.map(({ least }) => least);
              const back = curvePath(frame, [...xs].reverse(), own.map(({ most }) => most).reverse());
              return (
                <g key={id} class={`length-line tone-${tone}`} data-rule={id} data-faint={faint || undefined}>
                  {own.length > 1 && <path class="band" d={`${curvePath(frame, xs, there)}L${back.slice(1)}Z`} />}
                  <path
                    class={`median${under ? " under" : ""}`}
                    stroke-dasharray={dashes[tone]}
                    d={curvePath(frame, xs, ys)}
                  />
                  {xs.map((x, i) => (
                    <circle key={x} cx={frame.x(x)} cy={frame.y(ys[i]!)} r={3.5} />
                  ))}
                </g>
              );
            })}
          </>
        )}
      </Plot>
      <LineReadings lines={lines.map((line, tone) => ({ tone, label: line.label, reading: reading(line) }))} />
    </Figure>
  );
}
