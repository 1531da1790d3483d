import { signal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import { type Cell, HeatMap } from "../../components/heat-map.js";
import { Legend } from "../../components/legend.js";
import { Segmented } from "../../components/segmented.js";
import { fixed, scoreText } from "../../text/format.js";
import { columnCount, columnDistance, columnOf, field, fieldSize, rowCount, rowOf, rowValue } from "./model.js";
import { state } from "./state.js";

const preview = signal<Cell | undefined>(undefined);
const columns = () => Array.from({ length: columnCount }, (_, column) => String(columnDistance(column)));
const rows = () =>
  Array.from({ length: rowCount }, (_, row) => fixed(rowValue(row), state.rows.value === "alpha" ? 3 : 2));

/** Local to global: the score over distance, for every alpha (or rho). A click keeps the row's value and the distance. */
export function FieldMap() {
  const [name, other] =
    state.rows.value === "alpha" ? ["α", `ρ = ${state.rho.value}`] : ["ρ", `α = ${state.alpha.value}`];
  const locked = { row: rowOf.value, column: columnOf(state.at.value) };
  const shown = preview.value ?? locked;
  const value = field.value?.[shown.row * columnCount + shown.column];
  const size = fieldSize.value;
  return (
    <Figure
      name="receptive-field-map"
      title={`Score over distance and ${name}`}
      data={() => ({
        columns: [
          { name: `${name} \\ distance`, write: String },
          ...columns().map((each) => ({ name: each, write: scoreText })),
        ],
        rows: rows().map((each, row) => [
          each,
          ...(field.value?.subarray(row * columnCount, (row + 1) * columnCount) ?? []),
        ]),
      })}
      coarse={[4, 16]}
      below={
        <>
          <p class="reading" aria-live="polite">
            <span>
              {name} = {fixed(rowValue(shown.row), 3)}, {other}, distance {columnDistance(shown.column)}: a*{" "}
              <strong id="field-value">{value === undefined ? "…" : scoreText(value)}</strong>
            </span>
          </p>
          <div class="controls">
            <Segmented
              legend="rows"
              name="field-rows"
              value={state.rows}
              options={[
                ["alpha", "α from 0 to 1"],
                ["rho", "ρ from 0 to 2"],
              ]}
            />
          </div>
        </>
      }
    >
      <div class="wide-map">
        <HeatMap
          values={field.value}
          rows={rows().map((each, row) => (row % 4 === 0 || row === shown.row ? each : ""))}
          columns={columns().map((each, column) => (column % 16 === 0 || column === shown.column ? each : ""))}
          colours="signed"
          share={(each) => 0.5 + each / size / 2}
          names={[name, "distance"]}
          label={`Score over distance, 0 to ${columnDistance(columnCount - 1)}, and ${name}, with ${other}.`}
          shown={shown}
          locked={locked}
          onPreview={(cell) => {
            preview.value = cell;
          }}
          onLock={(cell) => {
            if (!cell) return;
            state.at.value = Math.round(columnDistance(cell.column));
            state[state.rows.value].value = Number(rowValue(cell.row).toFixed(4));
          }}
        />
        <Legend colours="signed" least={fixed(-size, 1)} most={fixed(size, 1)} ticks={[[0.5, "0"]]} />
      </div>
    </Figure>
  );
}
