import { computed, signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { LazyDetails } from "../components/lazy-details.js";
import { ScrollTable } from "../components/scroll-table.js";
import { fixed } from "../format.js";
import { curve, distance, scene, span } from "./model.js";

/** In CSS pixels, as measured, so that letters and lines keep their size on every screen. */
const width = signal(640);
const height = 220;
const box = { left: 44, right: 12, top: 12, bottom: 30 };

/** The greatest size of the scores, rounded up to a half of a tenth: the ends of the upright axis. */
const bound = computed(() => {
  const scores = curve.value?.scores ?? [1];
  return Math.max(0.05, Math.ceil(Math.max(...scores.map(Math.abs)) * 20) / 20);
});
const xOf = (d: number) => box.left + ((d + span.value) / (2 * span.value)) * (width.value - box.left - box.right);
const yOf = (score: number) => box.top + ((bound.value - score) / (2 * bound.value)) * (height - box.top - box.bottom);

const path = computed(() => {
  const found = curve.value;
  if (!found) return "";
  const points = Array.from(found.distances, (d, i) => `${xOf(d).toFixed(1)} ${yOf(found.scores[i]!).toFixed(1)}`);
  return `M${points.join("L")}`;
});

/** q_m . k_n against m - n. The dot is where the sliders are now. */
export function Curve() {
  const hovered = useSignal<number | undefined>(undefined);
  const drawing = useRef<SVGSVGElement>(null);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) width.value = entry.contentRect.width;
    });
    if (drawing.current) observer.observe(drawing.current);
    return () => observer.disconnect();
  }, []);
  const found = curve.value;
  const nearest = hovered.value === undefined ? undefined : found?.scores[hovered.value];
  const ticks = [-1, -0.5, 0, 0.5, 1];
  const follow = (event: PointerEvent & { currentTarget: SVGSVGElement }) => {
    if (!found) return;
    const rect = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - rect.left) / rect.width) * width.value;
    const share = (x - box.left) / (width.value - box.left - box.right);
    const index = Math.round(share * (found.distances.length - 1));
    hovered.value = index >= 0 && index < found.distances.length ? index : undefined;
  };
  return (
    <figure class="curve">
      <svg
        ref={drawing}
        viewBox={`0 0 ${width.value} ${height}`}
        role="img"
        aria-label={`Score against distance from ${-span.value} to ${span.value}; now ${fixed(scene.value?.score ?? 0, 4)} at distance ${fixed(distance.value, 2)}. The table below holds the numbers.`}
        onPointerMove={follow}
        onPointerLeave={() => {
          hovered.value = undefined;
        }}
      >
        {ticks.map((share) => (
          <g key={`y${share}`}>
            <line
              class={share === 0 ? "axis" : "grid"}
              x1={box.left}
              x2={width.value - box.right}
              y1={yOf(share * bound.value)}
              y2={yOf(share * bound.value)}
            />
            <text class="tick" x={box.left - 8} y={yOf(share * bound.value) + 4} text-anchor="end">
              {fixed(share * bound.value, bound.value < 0.1 ? 3 : 2)}
            </text>
          </g>
        ))}
        {ticks.map((share) => (
          <g key={`x${share}`}>
            <line
              class={share === 0 ? "axis" : "grid"}
              y1={box.top}
              y2={height - box.bottom}
              x1={xOf(share * span.value)}
              x2={xOf(share * span.value)}
            />
            <text
              class="tick"
              x={xOf(share * span.value)}
              y={height - box.bottom + 18}
              text-anchor={share === 1 ? "end" : "middle"}
            >
              {fixed(share * span.value, 0)}
            </text>
          </g>
        ))}
        <path class="line" d={path.value} />
        {found && nearest !== undefined && (
          <circle class="hovered" cx={xOf(found.distances[hovered.value!]!)} cy={yOf(nearest)} r={4} />
        )}
        {scene.value && Math.abs(distance.value) <= span.value && (
          <>
            <line class="now" x1={xOf(distance.value)} x2={xOf(distance.value)} y1={box.top} y2={height - box.bottom} />
            <circle class="now" cx={xOf(distance.value)} cy={yOf(scene.value.score)} r={5.5} />
          </>
        )}
      </svg>
      <figcaption class="hint">
        {found && nearest !== undefined
          ? `at distance ${fixed(found.distances[hovered.value!]!, 2)} the score is ${fixed(nearest, 4)}`
          : "score against distance m − n; the dot is where the sliders stand"}
      </figcaption>
      <LazyDetails summary="The curve as a table">{() => <CurveTable />}</LazyDetails>
    </figure>
  );
}

function CurveTable() {
  const found = curve.value;
  if (!found) return null;
  const wholeStep = Math.max(1, span.value / 32);
  const rows = Array.from(found.distances, (d, i) => [d, found.scores[i]!] as const).filter(
    ([d]) => d % wholeStep === 0,
  );
  return (
    <ScrollTable label="Score at each distance">
      <thead>
        <tr>
          <th scope="col">distance m − n</th>
          <th scope="col">score</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([d, score]) => (
          <tr key={d}>
            <th scope="row">{fixed(d, 0)}</th>
            <td>{fixed(score, 6)}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
