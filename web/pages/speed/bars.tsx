import type { ComponentChildren } from "preact";
import { Figure } from "../../components/figure.js";
import { useMeasuredWidth } from "../../components/plot/width.js";
import type { Table } from "../../export/table.js";
import { significant } from "../../text/format.js";
import { names, ulps } from "./names.js";
import { bestJavascript, gigabytes, isRecorded, type Measured, measured, prepared, timesOf } from "./session.js";
import type { Contestant } from "./speed-calls.js";

const rowHeight = { wide: 36, narrow: 52 };
const thickness = 18;
/** For names at the left, for figures at the right. */
const margin = { left: 152, right: 84 };
/** Below this width names stand above their bars. */
const NARROW = 480;

type Row = "javascript" | Extract<Contestant, "scalar" | "simd" | "relaxed" | "ropewalk" | "limit">;
const rows: readonly Row[] = ["javascript", "scalar", "simd", "relaxed", "ropewalk", "limit"];
const nameOf = (row: Row) => (row === "javascript" ? "JavaScript, best of 3" : names[row]);
const timesIn = (row: Row) => (row === "javascript" ? bestJavascript.value : timesOf(row));

function written(row: Row, times: Measured | undefined): string {
  if (times) return `${significant(gigabytes(times.q1))} GB/s`;
  const cannot = row === "relaxed" && prepared.value && prepared.value.errors.relaxed === undefined;
  return cannot ? "not here" : "…";
}

const data = (): Table => ({
  columns: [
    "who rotates",
    "µs per call, lower quartile",
    "median",
    "upper quartile",
    "GB/s",
    "of the limit",
    "× the best JavaScript",
    "error",
  ].map((name) => ({ name, write: (value: number) => significant(value, 3) })),
  rows: measured.value.map(({ name, q1, median, q3, error }) => {
    const against = (other: Measured | undefined) => (other ? other.q1 / q1 : "");
    const compared = [against(timesOf("limit")), against(bestJavascript.value)];
    return [names[name], q1, median, q3, gigabytes(q1), ...compared, ulps(error)];
  }),
});

/** Throughput of each, the longer the faster; the thin line goes from the upper quartile of its times to the lower. */
export function Bars({ children }: { children: ComponentChildren }) {
  const [drawing, width] = useMeasuredWidth();
  const fastest = Math.max(...measured.value.map(({ q1 }) => gigabytes(q1)));
  const narrow = width < NARROW;
  const left = narrow ? 0 : margin.left;
  const row = narrow ? rowHeight.narrow : rowHeight.wide;
  const x = (rate: number) => left + Math.min(1, rate / (fastest * 1.1 || 1)) * (width - left - margin.right);
  const limit = timesOf("limit");
  const said = rows.map((one) => `${nameOf(one)} ${written(one, timesIn(one))}`).join(", ");
  const height = rows.length * row;
  return (
    <Figure
      name="speed"
      title={isRecorded.value ? "Rotated per second, as recorded" : "Rotated per second"}
      data={data}
      below={children}
    >
      <svg
        class="plot bars"
        data-recorded={isRecorded.value || undefined}
        ref={drawing}
        viewBox={`0 0 ${width} ${height}`}
        height={height}
        role="img"
        aria-label={`Gigabytes read and written per second. ${said}. The table below holds the numbers.`}
      >
        {rows.map((one, i) => {
          const times = timesIn(one);
          const middle = i * row + (narrow ? 34 : row / 2);
          const end = times ? x(gigabytes(times.q1)) : left;
          return (
            <g key={one}>
              <text
                class="bar-name"
                x={narrow ? 1 : left - 10}
                y={narrow ? middle - 15 : middle + 4}
                text-anchor={narrow ? "start" : "end"}
              >
                {nameOf(one)}
              </text>
              <rect
                class="bar-track"
                x={left}
                y={middle - thickness / 2}
                width={width - left - margin.right}
                height={thickness}
              />
              {times && (
                <>
                  <rect
                    class={`bar ${one}`}
                    x={left}
                    y={middle - thickness / 2}
                    width={end - left}
                    height={thickness}
                  />
                  <line class="bar-spread" x1={x(gigabytes(times.q3))} x2={end} y1={middle} y2={middle} />
                </>
              )}
              <text class="bar-value" x={width - margin.right + 10} y={middle + 4}>
                {written(one, times)}
              </text>
            </g>
          );
        })}
        {limit && (
          <line class="bar-limit" x1={x(gigabytes(limit.q1))} x2={x(gigabytes(limit.q1))} y1={2} y2={height - 2} />
        )}
      </svg>
    </Figure>
  );
}
