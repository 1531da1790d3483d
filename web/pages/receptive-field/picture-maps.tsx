import { signal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import { type Cell, HeatMap } from "../../components/heat-map.js";
import { Legend } from "../../components/legend.js";
import { fixed, percent, scoreText } from "../../text/format.js";
import { type GridName, gridNames, grids, highest, type Place, side, target } from "./axes.js";
import { learned, made, maps, perSide, placed, queryIn } from "./picture-model.js";
import { state } from "./state.js";
import { ViewChoice } from "./view-choice.js";

const labels: Readonly<Record<GridName, string>> = {
  trained: "8 × 8, as in training",
  extrapolated: "16 × 16, extrapolated",
  rescaled: "16 × 16, rescaled",
};
const preview = signal<{ readonly grid: GridName; readonly cell: Cell } | undefined>(undefined);

const share = (value: number) => (learned.value ? Math.sqrt(value) : 0.5 + value / 2);
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
          most: {placed(looks)}, {scoreText(map[looks[0] * size + looks[1]]!)}
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
        <strong id="picture-value">{value === undefined ? "…" : scoreText(value)}</strong>
      </span>
    </p>
  );
}

/** Share of the patches from which the learned query finds its target, in each grid. */
function Hits() {
  return (
    <table class="pair-values picture-hits">
      <caption>How often the head looks most</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">at the same place in the picture</th>
          <th scope="col">as many patches away as before</th>
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
          write: (value: number) => (name.length > 6 ? scoreText(value) : String(value)),
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

/** The card of the maps, and of what the head learned. */
export function PictureMaps() {
  return (
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
          ? "The head learned its query here, by 300 steps of gradient descent in the 8 × 8 grid: look four rows up and two columns to the right, as from the door to the chimney. It sees positions only, not the drawing. In the finer grid extrapolated positions go on counting, and rescaled ones are halved."
          : "Query and key are alike in every pair: the score is the mean of the cosines below."}
      </p>
    </section>
  );
}
