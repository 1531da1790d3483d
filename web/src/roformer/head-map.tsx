import { Heat } from "../components/heat.js";
import { LazyDetails } from "../components/lazy-details.js";
import { ScrollTable } from "../components/scroll-table.js";
import { fixed, percent } from "../format.js";
import { run } from "./session.js";
import {
  type Cell,
  lockCell,
  lockedCell,
  previewCell,
  previewHead,
  shownCell,
  shownHead,
  shownWeights,
} from "./view.js";

/** Beyond this many tokens labels and tables would be too dense: they thin out. */
const roomFor = 40;

/** The chosen head, large: rows attend to columns. Pointer and arrow keys read the exact weights. */
export function HeadMap() {
  const tokens = run.value?.tokens ?? [];
  const size = tokens.length;
  const { layer, head } = shownHead.value;
  const cell = shownCell.value;
  const weights = shownWeights.value;
  const cellAt = (event: PointerEvent & { currentTarget: HTMLElement }): Cell | undefined => {
    const rect = event.currentTarget.getBoundingClientRect();
    const to = Math.floor(((event.clientX - rect.left) / rect.width) * size);
    const from = Math.floor(((event.clientY - rect.top) / rect.height) * size);
    return from >= 0 && to >= 0 && from < size && to < size ? { from, to } : undefined;
  };
  const walk = (event: KeyboardEvent) => {
    const at = lockedCell.value ?? { from: 0, to: 0 };
    const moves: Record<string, Cell | undefined> = {
      ArrowRight: { from: at.from, to: at.to + 1 },
      ArrowLeft: { from: at.from, to: at.to - 1 },
      ArrowDown: { from: at.from + 1, to: at.to },
      ArrowUp: { from: at.from - 1, to: at.to },
      Home: { from: at.from, to: 0 },
      End: { from: at.from, to: size - 1 },
      Enter: at,
      Escape: undefined,
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const target = moves[event.key];
    if (target && (target.from < 0 || target.to < 0 || target.from >= size || target.to >= size)) return;
    previewCell.value = undefined;
    lockCell(target);
  };
  const every = Math.ceil(size / roomFor);
  const labels = (chosen: number | undefined) =>
    tokens.map(
      (token, index) =>
        (index % every === 0 || index === chosen) && (
          <span key={index} style={{ "--at": index }} data-on={index === chosen || undefined}>
            {token}
          </span>
        ),
    );
  return (
    <section class="card head-map" aria-label="One head, large">
      <header class="card-head">
        <h3>
          Layer {layer}, head {head}
        </h3>
        <span class="hint">{previewHead.value ? "preview; click to lock" : "each row sums to 1"}</span>
      </header>
      <div class="map" style={{ "--tokens": Math.max(1, size) }} data-dense={size > 24 || undefined}>
        <span class="map-corner" aria-hidden="true">
          to →
          <br />
          from ↓
        </span>
        <div class="map-columns" aria-hidden="true">
          {labels(cell?.to)}
        </div>
        <div class="map-rows" aria-hidden="true">
          {labels(cell?.from)}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a drawing that arrow keys walk through has no native element. */}
        <div
          class="map-field"
          role="group"
          aria-roledescription="heat map"
          aria-label={`Attention of layer ${layer}, head ${head}: ${size} tokens by ${size}. Arrow keys read single weights.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes arrow keys.
          tabIndex={0}
          onKeyDown={walk}
          onPointerMove={(event) => {
            previewCell.value = cellAt(event);
          }}
          onPointerLeave={() => {
            previewCell.value = undefined;
          }}
          onClick={(event) => {
            const clicked = cellAt(event as unknown as PointerEvent & { currentTarget: HTMLElement });
            const now = lockedCell.value;
            lockCell(clicked && now && clicked.from === now.from && clicked.to === now.to ? undefined : clicked);
          }}
        >
          <Heat weights={weights} size={size} />
          {cell && (
            <>
              <span class="map-row" style={{ "--at": cell.from }} />
              <span class="map-cell" style={{ "--from": cell.from, "--to": cell.to }} />
            </>
          )}
        </div>
      </div>
      <Reading />
      <LazyDetails summary="These weights as a table">{() => <WeightsTable />}</LazyDetails>
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
  const row = Array.from(weights.subarray(cell.from * tokens.length, (cell.from + 1) * tokens.length));
  const strongest = row
    .map((weight, index) => ({ weight, index }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, 3);
  return (
    <output class="reading">
      <span>
        <b class="q">{tokens[cell.from]}</b> <small>({cell.from})</small> attends to <b class="k">{tokens[cell.to]}</b>{" "}
        <small>({cell.to})</small>: <strong>{fixed(row[cell.to] ?? 0, 4)}</strong>
      </span>
      <span class="hint">
        most: {strongest.map(({ weight, index }) => `${tokens[index]} ${percent(weight)}`).join(" · ")}
      </span>
    </output>
  );
}

function WeightsTable() {
  const tokens = run.value?.tokens ?? [];
  const weights = shownWeights.value;
  if (!weights) return null;
  const whole = tokens.length <= roomFor;
  const from = shownCell.value?.from ?? 0;
  const rows = whole ? tokens.map((_, index) => index) : [from];
  return (
    <ScrollTable label="Attention weights">
      <caption>
        {whole ? "Rows attend to columns." : `What token ${from} attends to; choose another row in the map.`}
      </caption>
      <thead>
        <tr>
          <th scope="col">from \ to</th>
          {tokens.map((token, index) => (
            <th scope="col" key={index}>
              {token}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((index) => (
          <tr key={index}>
            <th scope="row">{tokens[index]}</th>
            {tokens.map((_, to) => (
              <td key={to}>{fixed(weights[index * tokens.length + to]!, 4)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
