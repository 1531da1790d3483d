import { Figure } from "../../components/figure.js";
import { useMeasuredWidth } from "../../components/plot/width.js";
import type { Table } from "../../export/table.js";
import { significant } from "../../text/format.js";
import { names, ulps } from "./names.js";
import { gigabytes, type Measured, measured, medianOf, prepared } from "./session.js";

const row = 36;
const thickness = 18;
/** For names at the left, for figures at the right. */
const margin = { left: 152, right: 84 };

function written({ name, median }: Measured): string {
  if (median !== undefined) return `${significant(gigabytes(median))} GB/s`;
  const found = prepared.value;
  return found && name !== "limit" && found.errors[name] === undefined ? "not here" : "…";
}

const data = (): Table => ({
  columns: [
    { name: "who rotates" },
    { name: "µs per call, median" },
    { name: "least" },
    { name: "most" },
    { name: "GB/s" },
    { name: "of the limit" },
    { name: "× JavaScript" },
    { name: "error" },
  ].map(({ name }) => ({ name, write: (value: number) => significant(value, 3) })),
  rows: measured.value.flatMap(({ name, median, least, most, error }) => {
    if (median === undefined) return [];
    const against = (other: number | undefined) => (other === undefined ? "" : other / median);
    const [limit, javascript] = [medianOf("limit"), medianOf("javascript")];
    return [[names[name], median, least, most, gigabytes(median), against(limit), against(javascript), ulps(error)]];
  }),
});

/** Throughput of each, the longer the faster; the thin line goes from the slowest sample to the fastest. */
export function Bars() {
  const [drawing, width] = useMeasuredWidth();
  const fastest = Math.max(...measured.value.map(({ median }) => (median ? gigabytes(median) : 0)));
  const left = margin.left;
  const x = (rate: number) => left + Math.min(1, rate / (fastest * 1.1 || 1)) * (width - left - margin.right);
  const limit = medianOf("limit");
  const said = measured.value.map((one) => `${names[one.name]} ${written(one)}`).join(", ");
  const height = measured.value.length * row;
  return (
    <Figure name="speed" title="Rotated per second" data={data} summary="In numbers">
      <svg
        class="plot bars"
        ref={drawing}
        viewBox={`0 0 ${width} ${height}`}
        height={height}
        role="img"
        aria-label={`Gigabytes read and written per second. ${said}. The table below holds the numbers.`}
      >
        {measured.value.map((one, i) => {
          const { name, median, least, most } = one;
          const middle = i * row + row / 2;
          const end = median === undefined ? left : x(gigabytes(median));
          return (
            <g key={name}>
              <text class="bar-name" x={left - 10} y={middle + 4} text-anchor="end">
                {names[name]}
              </text>
              <rect
                class="bar-track"
                x={left}
                y={middle - thickness / 2}
                width={width - left - margin.right}
                height={thickness}
              />
              {median !== undefined && (
                <>
                  <rect
                    class={`bar ${name}`}
                    x={left}
                    y={middle - thickness / 2}
                    width={end - left}
                    height={thickness}
                  />
                  <line class="bar-spread" x1={x(gigabytes(most))} x2={x(gigabytes(least))} y1={middle} y2={middle} />
                </>
              )}
              <text class="bar-value" x={width - margin.right + 10} y={middle + 4}>
                {written(one)}
              </text>
            </g>
          );
        })}
        {limit !== undefined && (
          <line class="bar-limit" x1={x(gigabytes(limit))} x2={x(gigabytes(limit))} y1={2} y2={height - 2} />
        )}
      </svg>
    </Figure>
  );
}
