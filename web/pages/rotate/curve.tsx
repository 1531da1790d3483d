import { computed, signal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import { curvePath } from "../../components/plot/curve-path.js";
import { Plot } from "../../components/plot/plot.js";
import { linear } from "../../components/plot/scale.js";
import type { Table } from "../../export/table.js";
import { fixed, scoreText, whole } from "../../text/format.js";
import { curve, distance, scene, span } from "./model.js";

/** The greatest size of the scores, rounded up to a half of a tenth: the ends of the upright axis. */
const bound = computed(() => {
  const scores = curve.value?.scores ?? [1];
  return Math.max(0.05, Math.ceil(Math.max(...scores.map(Math.abs)) * 20) / 20);
});
const hovered = signal<number | undefined>(undefined);

function scoreTable(): Table {
  const found = curve.value;
  return {
    columns: [
      { name: "distance m − n", write: (value) => fixed(value, 2).replace(/\.?0+$/, "") || "0" },
      { name: "score", write: scoreText },
    ],
    rows: Array.from(found?.distances ?? [], (d, i) => [d, found!.scores[i]!]),
  };
}

/** q_m . k_n against m - n. The dot is where the sliders are now. */
export function Curve() {
  const found = curve.value;
  const step = found ? found.distances[1]! - found.distances[0]! : 1;
  const nearest = hovered.value === undefined ? -1 : Math.round((hovered.value + span.value) / step);
  const read = found?.scores[nearest];
  const now = scene.value;
  return (
    <Figure
      name="rotate-score"
      title="Score at each distance"
      data={scoreTable}
      below={
        <p class="hint">
          {found && read !== undefined
            ? `at distance ${fixed(found.distances[nearest]!, 2)} the score is ${scoreText(read)}`
            : "dot: the current positions"}
        </p>
      }
    >
      <Plot
        label={`Score against distance from ${-span.value} to ${span.value}; now ${scoreText(now?.score ?? 0)} at distance ${fixed(distance.value, 2)}. The table below holds the numbers.`}
        x={{ scale: linear(-span.value, span.value, 8), name: "distance m − n", tick: whole }}
        y={{
          scale: linear(-bound.value, bound.value, 4),
          name: "score",
          tick: (value) => fixed(value, bound.value < 0.1 ? 3 : 2),
        }}
        height={220}
        main
        onPoint={(x) => {
          hovered.value = x;
        }}
      >
        {(frame) => (
          <>
            <line class="axis" x1={frame.left} x2={frame.right} y1={frame.y(0)} y2={frame.y(0)} />
            <line class="axis" x1={frame.x(0)} x2={frame.x(0)} y1={frame.top} y2={frame.bottom} />
            {found && <path class="line" d={curvePath(frame, found.distances, found.scores)} />}
            {found && read !== undefined && (
              <circle class="spot hovered" cx={frame.x(found.distances[nearest]!)} cy={frame.y(read)} r={4} />
            )}
            {now && Math.abs(distance.value) <= span.value && (
              <>
                <line
                  class="now-line"
                  x1={frame.x(distance.value)}
                  x2={frame.x(distance.value)}
                  y1={frame.top}
                  y2={frame.bottom}
                />
                <circle class="spot" cx={frame.x(distance.value)} cy={frame.y(now.score)} r={5.5} />
              </>
            )}
          </>
        )}
      </Plot>
    </Figure>
  );
}
