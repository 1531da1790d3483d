import { Figure } from "../../components/figure.js";
import { HeatMap } from "../../components/heat-map.js";
import { ScrollTable } from "../../components/scroll-table.js";
import type { Table } from "../../export/table.js";
import { run } from "../../model/session.js";
import { fixed, percent } from "../../text/format.js";
import { lockCell, lockedCell, previewCell, previewHead, shownCell, shownHead, shownWeights } from "./view.js";
import { weightShare } from "./weight-colours.js";

/** Beyond this many tokens a table of all weights would be too large to read: it shows one row of them. */
const mostColumns = 40;

/** Weights of the large head; a row attends to the columns. */
function weightsTable(): Table {
  const tokens = run.value?.tokens ?? [];
  const weights = shownWeights.value ?? new Float32Array();
  return {
    columns: [{ name: "from \\ to" }, ...tokens.map((token) => ({ name: token }))],
    rows: tokens.map((token, row) => [
      token,
      ...Array.from(weights.subarray(row * tokens.length, (row + 1) * tokens.length)),
    ]),
  };
}

/** The chosen head, large: rows attend to columns. Pointer and arrow keys read the exact weights. */
export function HeadMap() {
  const tokens = run.value?.tokens ?? [];
  const { layer, head } = shownHead.value;
  return (
    <section class="card head-map" aria-label="One head, large">
      <header class="card-head">
        <h3>
          Layer {layer}, head {head}
        </h3>
        <span class="hint">{previewHead.value ? "preview; click to lock" : "each row sums to 1"}</span>
      </header>
      <Figure
        name={`attention-layer-${layer}-head-${head}`}
        title={`Attention of layer ${layer}, head ${head}`}
        data={weightsTable}
        table={() => <WeightsTable />}
        below={<Reading />}
      >
        <HeatMap
          values={shownWeights.value}
          rows={tokens}
          columns={tokens}
          share={weightShare}
          names={["query", "key"]}
          label={`Attention of layer ${layer}, head ${head}: ${tokens.length} tokens by ${tokens.length}.`}
          shown={shownCell.value}
          locked={lockedCell.value}
          onPreview={(cell) => {
            previewCell.value = cell;
          }}
          onLock={lockCell}
        />
      </Figure>
    </section>
  );
}

/** The cell that is pointed at or locked, and what else its row looks at. */
function Reading() {
  const tokens = run.value?.tokens ?? [];
  const weights = shownWeights.value;
  const cell = shownCell.value;
  if (!cell || !weights) {
    return (
      <output class="reading">
        <span class="hint">Point at a cell, or focus the map and use the arrow keys, to read a weight.</span>
      </output>
    );
  }
  const row = Array.from(weights.subarray(cell.row * tokens.length, (cell.row + 1) * tokens.length));
  const strongest = row
    .map((weight, index) => ({ weight, index }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, 3);
  return (
    <output class="reading">
      <span>
        <b class="q">{tokens[cell.row]}</b> <small>({cell.row})</small> attends to{" "}
        <b class="k">{tokens[cell.column]}</b> <small>({cell.column})</small>:{" "}
        <strong>{fixed(row[cell.column] ?? 0, 4)}</strong>
      </span>
      <span class="hint">
        most: {strongest.map(({ weight, index }) => `${tokens[index]} ${percent(weight)}`).join(" · ")}
      </span>
    </output>
  );
}

function WeightsTable() {
  const { columns, rows } = weightsTable();
  const whole = rows.length <= mostColumns;
  const chosen = shownCell.value?.row ?? 0;
  return (
    <ScrollTable label="Attention weights">
      <caption>
        {whole ? "Rows attend to columns." : `What token ${chosen} attends to; choose another row in the map.`}
      </caption>
      <thead>
        <tr>
          {columns.map(({ name }, index) => (
            <th scope="col" key={index}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(whole ? rows : rows.slice(chosen, chosen + 1)).map(([token, ...weights], index) => (
          <tr key={index}>
            <th scope="row">{token}</th>
            {weights.map((weight, to) => (
              <td key={to}>{fixed(Number(weight), 4)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
