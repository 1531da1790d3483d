import { computed, signal } from "@preact/signals";
import { CodeDrawer } from "../../code/code-drawer.js";
import { Figure } from "../../components/figure.js";
import { Heat } from "../../components/heat.js";
import { type Cell, HeatMap } from "../../components/heat-map.js";
import { Legend } from "../../components/legend.js";
import { Segmented } from "../../components/segmented.js";
import { ask } from "../../library/ask.js";
import { fixed, percent, significant } from "../../text/format.js";
import {
  type GridName,
  gridNames,
  grids,
  highest,
  hits,
  keysOf,
  learn,
  mapFrom,
  optionsOf,
  type Place,
  pairFrom,
  side,
  target,
  turnsOf,
} from "./axes.js";
import { pictureSnippets } from "./picture-code.js";
import { state } from "./state.js";
import { ViewChoice } from "./view-choice.js";

const labels: Readonly<Record<GridName, string>> = {
  trained: "8 × 8, as in training",
  extrapolated: "16 × 16, extrapolated",
  rescaled: "16 × 16, rescaled",
};
const ways = {
  axial: "Half of the pairs turn by row, half by column, and each half has the whole range of frequencies (Flux, Wan).",
  interleaved: "Pairs turn by row and by column alternately, and share one range of frequencies (ERNIE 4.5 VL).",
  chunked:
    "One range of frequencies: its fast half turns by row, its slow half by column (Qwen2-VL). The slow half hardly tells eight columns apart.",
  golden:
    "Every pair turns along a direction of its own, the golden section of half a turn after the one before: at 0° by row, at 90° by column.",
  line: "Patches are numbered row by row, like words. One row down is as many positions as a row is long, so distances change with the grid.",
} as const;

/** How many patches of a grid lie along one side of a patch of the trained grid. */
const perSide = (grid: GridName) => grids[grid].size / side;

/** Everything that depends on the way alone: keys, the learned query, its hits, and the directions of the pairs. */
const made = computed(
  () =>
    ask(optionsOf[state.way.value], (rope) => {
      const way = state.way.value;
      const [trained, extrapolated, rescaled] = gridNames.map((grid) => keysOf(rope, way, grid));
      const keys = { trained: trained!, extrapolated: extrapolated!, rescaled: rescaled! };
      const query = learn(keys.trained);
      const found = gridNames.map((grid) =>
        [perSide(grid), 1].map((by) => hits(keys[grid], query, [target[0] * by, target[1] * by])),
      );
      return { keys, query, found, turns: turnsOf(way, rope) };
    })?.found,
);
/** From the query's patch to every patch of each grid. */
const maps = computed(() => {
  if (!made.value) return undefined;
  const { keys, query } = made.value;
  return gridNames.map((grid) =>
    mapFrom(keys[grid], queryIn(grid), state.head.value === "trained" ? query : undefined),
  );
});
const learned = computed(() => state.head.value === "trained");
/** The patch of the query in a grid. The state holds it as a patch of the finer grid. */
const queryIn = (grid: GridName): Place => {
  const by = 2 / perSide(grid);
  return [Math.floor(state.row.value / by), Math.floor(state.column.value / by)];
};
const preview = signal<{ readonly grid: GridName; readonly cell: Cell } | undefined>(undefined);

const share = (value: number) => (learned.value ? Math.sqrt(value) : 0.5 + value / 2);
const placed = ([row, column]: Place) => `row ${row}, column ${column}`;
/** Labels of rows or columns. The finer grid labels every second one: more would overlap. */
const numbers = (size: number) => Array.from({ length: size }, (_, i) => (i % (size / side) ? "" : String(i)));

/** A house in 8 × 8 patches; its door and chimney are where the head learns to look from and to. */
const house = "M.5 4.4 3.5 2.4 6.5 4.4M1 4.1V7h5V4.1M2.1 7V6.1h.8V7M3.9 5h1.3v.9H3.9zM4.2 2.9V2.1h.6v1.2M0 7h8";

function Grid({ grid, at }: { grid: GridName; at: number }) {
  const { size } = grids[grid];
  const by = perSide(grid);
  const query = queryIn(grid);
  const map = maps.value?.[at];
  const looks = map && highest(map);
  const frame = (tone: string, [row, column]: Place) => (
    <rect class={tone} x={column / by} y={row / by} width={1 / by} height={1 / by} />
  );
  const wanted = target.map((step, axis) => query[axis]! + step * by) as unknown as Place;
  return (
    <div>
      <h4>{labels[grid]}</h4>
      <HeatMap
        values={map}
        rows={numbers(size)}
        columns={numbers(size)}
        colours={learned.value ? "heat" : "signed"}
        share={share}
        names={["row", "column"]}
        label={`${labels[grid]}: ${learned.value ? "attention" : "score"} from the patch in ${placed(query)} to every patch.`}
        keys="Arrow keys move the query’s patch."
        shown={preview.value?.grid === grid ? preview.value.cell : undefined}
        locked={{ row: query[0], column: query[1] }}
        onPreview={(cell) => {
          preview.value = cell && { grid, cell };
        }}
        onLock={(cell) => {
          if (!cell) return;
          state.row.value = (cell.row * 2) / by;
          state.column.value = (cell.column * 2) / by;
        }}
      >
        <svg viewBox="0 0 8 8" aria-hidden="true">
          <path d={house} />
          <circle cx="6.7" cy="1" r=".45" />
          {learned.value && wanted.every((place) => place >= 0 && place < size) && frame("k", wanted)}
          {frame("q", query)}
        </svg>
      </HeatMap>
      {looks && (
        <p class="hint">
          most: {placed(looks)}, {fixed(map[looks[0] * size + looks[1]]!, 3)}
        </p>
      )}
    </div>
  );
}

function Reading() {
  const { grid, cell } = preview.value ?? { grid: "trained" as const, cell: undefined };
  const from = queryIn(grid);
  const to: Place = cell ? [cell.row, cell.column] : (highest(maps.value?.[0] ?? new Float64Array(1)) as Place);
  const value = maps.value?.[gridNames.indexOf(grid)]?.[to[0] * grids[grid].size + to[1]];
  return (
    <p class="reading" aria-live="polite">
      <span>
        {labels[grid]}: <b class="q">query</b> in {placed(from)}, key in {placed(to)}:{" "}
        {learned.value ? "attention" : "score"}{" "}
        <strong id="picture-value">{value === undefined ? "…" : fixed(value, 4)}</strong>
      </span>
    </p>
  );
}

/** Share of the patches from which the learned query finds its target, in each grid. */
function Hits() {
  return (
    <table class="pair-values picture-hits">
      <caption>Patches from which the highest attention is on the patch</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">at the same place in the picture</th>
          <th scope="col">as many patches away</th>
        </tr>
      </thead>
      <tbody>
        {gridNames.map((grid, at) => (
          <tr key={grid}>
            <th scope="row">{labels[grid]}</th>
            {[0, 1].map((i) => (
              <td key={i}>{made.value ? percent(made.value.found[at]![i]!) : "…"}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Where a head looks in a picture: in the grid that it was trained on, and in a finer one. */
function Maps() {
  return (
    <Figure
      name="picture"
      title="From one patch to every patch"
      data={() => ({
        columns: ["grid", "row", "column", learned.value ? "attention" : "score"].map((name) => ({
          name,
          write: (value: number) => (name.length > 6 ? fixed(value, 4) : String(value)),
        })),
        rows: gridNames.flatMap((grid, at) =>
          Array.from(maps.value?.[at] ?? [], (value, i) => [
            labels[grid],
            Math.floor(i / grids[grid].size),
            i % grids[grid].size,
            value,
          ]),
        ),
      })}
      below={
        <>
          <Reading />
          {learned.value && <Hits />}
        </>
      }
    >
      <div class="picture-maps">
        {gridNames.map((grid, at) => (
          <Grid key={grid} grid={grid} at={at} />
        ))}
      </div>
      {learned.value ? (
        <Legend least="0" most="1" ticks={[[0.5, "0.25"]]} />
      ) : (
        <Legend colours="signed" least={fixed(-1, 0)} most="1" ticks={[[0.5, "0"]]} />
      )}
    </Figure>
  );
}

const cosine = (value: number) => 0.5 + value / 2;
/** The direction along which a pair turns, in a word or in degrees. */
function directionOf([row, column]: Place): string {
  if (column === 0) return "row";
  if (row === 0) return "column";
  return state.way.value === "line" ? "both" : `${fixed((Math.atan(column / row) * 180) / Math.PI, 0)}°`;
}

/** One small map for each pair: its stripes lie across the direction in which it turns. */
function Pairs() {
  const from = queryIn("trained");
  const turns = made.value?.turns ?? [];
  return (
    <Figure
      name="picture-pairs"
      title="Every pair in the picture"
      data={() => ({
        columns: [
          { name: "pair" },
          { name: "turns by" },
          ...["row", "column"].map((name) => ({
            name: `radians a ${name}`,
            write: (value: number) => significant(value, 4),
          })),
        ],
        rows: turns.map((turn, j) => [j, directionOf(turn), ...turn]),
      })}
    >
      <div
        class="picture-pairs"
        role="img"
        aria-label={`Cosine of the angle of each pair between the patch in ${placed(from)} and every patch of the 8 × 8 grid. ${turns.map((turn, j) => `Pair ${j}: ${directionOf(turn)}`).join(", ")}. The table below holds the numbers.`}
      >
        {turns.map((turn, j) => (
          <div key={j}>
            <Heat
              values={pairFrom(made.value!.keys.trained, j, from)}
              rows={side}
              columns={side}
              colours="signed"
              share={cosine}
            />
            <small>
              {j}: {directionOf(turn)}
            </small>
          </div>
        ))}
      </div>
    </Figure>
  );
}

/** The view of the page for pictures, whose patches have a row and a column. */
export function Picture() {
  return (
    <>
      <section class="card" aria-labelledby="picture-title">
        <header class="card-head">
          <h3 id="picture-title">A picture has two positions</h3>
          <ViewChoice />
        </header>
        <p class="key-line">
          <span class="key q">query’s patch</span>
          {learned.value && <span class="key k">key it should look at</span>}
        </p>
        <Maps />
        <p class="hint">
          {learned.value
            ? "The head learned its query here, by 300 steps of gradient descent in the 8 × 8 grid: look four rows up and two columns to the right, as from the door to the chimney. It sees positions only, not the drawing. In the finer grid extrapolated positions go on counting, and rescaled ones are halved. The table says how often the head then looks at the same place in the picture, and how often it looks as many patches away as before."
            : "Query and key are alike in every pair: the score is the mean of the cosines below."}
        </p>
      </section>
      <section class="card field-settings" aria-label="Settings">
        <div class="controls">
          <Segmented
            legend="rows and columns share the pairs"
            name="picture-way"
            value={state.way}
            options={(Object.keys(ways) as (keyof typeof ways)[]).map((way) => [
              way,
              way === "line" ? "in one line" : way,
            ])}
            hint={ways[state.way.value]}
          />
          <Segmented
            legend="query"
            name="picture-head"
            value={state.head}
            options={[
              ["trained", "learned"],
              ["alike", "like its key"],
            ]}
          />
        </div>
      </section>
      <section class="card" aria-labelledby="picture-pairs-title">
        <h3 id="picture-pairs-title">Which pairs turn by row, and which by column</h3>
        <Pairs />
        <p class="hint">
          Cosine of each pair’s angle from the query’s patch, in the 8 × 8 grid: stripes lie across the direction that
          the pair turns by. 16 pairs, base 100.
        </p>
        <CodeDrawer name="picture" of={() => pictureSnippets(optionsOf[state.way.value], state.way.value === "line")} />
      </section>
    </>
  );
}
