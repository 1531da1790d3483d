import { computed, signal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import { type Cell, HeatMap } from "../../components/heat-map.js";
import { Legend } from "../../components/legend.js";
import { Segmented } from "../../components/segmented.js";
import { ask } from "../../library/ask.js";
import { fixed, significant, whole } from "../../text/format.js";
import { shownPair, sides } from "./model.js";
import { state } from "./state.js";

/** Most rows of the matrix. Their positions run from 0 to the context, each the same ratio larger than the one before. */
const most = 64;
const positions = computed(() => {
  const last = state.context.value;
  return [...new Set([0, ...Array.from({ length: most }, (_, i) => Math.round(last ** (i / (most - 1))))])];
});
const side = computed(() => sides.value.find(({ tone }) => tone === state.matrix.value) ?? sides.value[0]);

/** Cosines of the angles [positions, pairs], without the attention scaling. */
const cosines = computed(() => {
  if (!side.value) return undefined;
  return ask(side.value.facts.options, (rope) => rope.table(positions.value).cos.map((cos) => cos / rope.magnitude))
    ?.found;
});

const preview = signal<Cell | undefined>(undefined);
const share = (cosine: number) => 0.5 + cosine / 2;

/** A line where each pair completes its first turn, and a dashed frame around the pairs that never do. */
function Turns() {
  const { wavelengths, incomplete } = side.value!.facts;
  const rows = positions.value.length;
  const until = Array.from(wavelengths, (wavelength) => {
    const row = positions.value.findIndex((position) => position >= wavelength);
    return row < 0 ? rows : row;
  });
  const never = [...incomplete].map((j) => {
    const edges = [incomplete.has(j - 1) ? "" : `M${j} 0V${rows}`, incomplete.has(j + 1) ? "" : `M${j + 1} 0V${rows}`];
    return `M${j} 0h1M${j} ${rows}h1${edges.join("")}`;
  });
  return (
    <svg viewBox={`0 0 ${wavelengths.length} ${rows}`} preserveAspectRatio="none" aria-hidden="true">
      {["halo", undefined].map((tone) => (
        <g key={tone} class={tone}>
          <path d={until.map((row, j) => `${j ? "L" : "M"}${j} ${row}h1`).join("")} />
          <path stroke-dasharray="5 4" d={never.join("")} />
        </g>
      ))}
    </svg>
  );
}

/** The angle of every pair at every position, as its cosine. */
export function Matrix() {
  if (!side.value) return null;
  const { name, facts } = side.value;
  const columns = Array.from(facts.theta, (_, j) => String(j));
  const rows = positions.value.map(whole);
  const context = state.context.value;
  // The first row at or behind the position in the state.
  const at = positions.value.findIndex((position) => position >= Math.min(state.at.value, context));
  const locked = { row: at, column: shownPair.value };
  const shown = preview.value && preview.value.row < rows.length ? preview.value : locked;
  const position = positions.value[shown.row]!;
  const angle = position * facts.theta[shown.column]!;
  const wavelength = facts.wavelengths[shown.column]!;
  return (
    <Figure
      name="frequencies-matrix"
      title="Cosines of all pairs by position"
      data={() => ({
        columns: [
          { name: "position \\ pair" },
          ...columns.map((each) => ({ name: each, write: (v: number) => fixed(v, 3) })),
        ],
        rows: positions.value.map((each, row) => [
          each,
          ...(cosines.value?.subarray(row * columns.length, (row + 1) * columns.length) ?? []),
        ]),
      })}
      coarse={[4, 8]}
      legend={
        <>
          <span class="key">first full turn</span>
          <span class="key ghost">no full turn in the context</span>
        </>
      }
      below={
        <>
          <p class="reading" aria-live="polite">
            <span>
              {name}, pair {shown.column} at position {whole(position)}: {significant(angle, 4)} radians,{" "}
              {significant(angle / (2 * Math.PI))} turns, cosine{" "}
              <strong id="frequencies-cosine">{fixed(Math.cos(angle), 4)}</strong>
            </span>
            <small>
              {facts.incomplete.has(shown.column)
                ? `No full turn within ${whole(context)} positions.`
                : `First full turn after ${significant(wavelength, 4)} positions.`}
            </small>
          </p>
          {sides.value.length > 1 && (
            <div class="controls">
              <Segmented
                legend="rule"
                name="frequencies-matrix"
                value={state.matrix}
                options={[
                  ["a", "A"],
                  ["b", "B"],
                ]}
              />
            </div>
          )}
        </>
      }
    >
      <div class="wide-map">
        <HeatMap
          values={cosines.value}
          rows={rows.map((each, row) => (row % 8 === 0 || row === shown.row ? each : ""))}
          columns={columns.map((each, j) => (j % 8 === 0 || j === shown.column ? each : ""))}
          colours="signed"
          share={share}
          names={["position", "pair"]}
          label={`Cosine of the angle of ${columns.length} pairs at positions 0 to ${whole(context)} under rule ${name}; ${facts.incomplete.size} pairs complete no turn.`}
          shown={shown}
          locked={locked}
          onPreview={(cell) => {
            preview.value = cell;
          }}
          onLock={(cell) => {
            if (!cell) return;
            state.at.value = positions.value[cell.row]!;
            state.pair.value = cell.column;
          }}
        >
          <Turns />
        </HeatMap>
        <Legend colours="signed" least={fixed(-1, 0)} most="1" ticks={[[0.5, "0"]]} />
      </div>
    </Figure>
  );
}
