import { computed, effect, signal } from "@preact/signals";
import type { RotationPart } from "ropewalk";
import { Figure } from "../../components/figure.js";
import { type Cell, HeatMap } from "../../components/heat-map.js";
import { Legend } from "../../components/legend.js";
import { ScrollTable } from "../../components/scroll-table.js";
import { Segmented } from "../../components/segmented.js";
import { Term } from "../../components/term.js";
import { fixed, percent } from "../../text/format.js";
import { messageOf } from "../../text/message.js";
import type { Look } from "./calls.js";
import { ask, busy, failure, model, session } from "./model.js";
import { state } from "./state.js";
import { shownText } from "./strip.js";
import { ViewChoice } from "./view-choice.js";

const names = { pair: "pair", keyHead: "key head" } as const;
const loss = (value: number) => fixed(value, 3);

/** Rows and columns of the grid. The first of each is all of them: layers, and pairs or key heads. */
const size = computed(() => {
  const { layers, rope } = model.value ?? { layers: 0, rope: { pairs: 0, keyHeads: 0 } };
  return { rows: layers + 1, columns: 1 + (state.parts.value === "pair" ? rope.pairs : rope.keyHeads) };
});
const numbered = (count: number) => Array.from({ length: count }, (_, i) => (i === 0 ? "all" : String(i - 1)));

/** The text and the model are those of the page. */
const ids = computed(() => session.value?.tokens.map(({ id }) => id) ?? []);
/** Results by the place in the grid; -1 is the whole rotation. */
const looks = signal<ReadonlyMap<number, Look | undefined>>(new Map());
const whole = -1;

const placeOf = ({ row, column }: Cell) => row * size.value.columns + column;
const cellOf = (place: number): Cell => ({
  row: Math.floor(place / size.value.columns),
  column: place % size.value.columns,
});
/** The part that is left out. A link may name more than the model has. */
const chosen = computed(() => ({
  row: Math.min(state.layer.value + 1, size.value.rows - 1),
  column: Math.min(state.part.value + 1, size.value.columns - 1),
}));
const preview = signal<Cell | undefined>(undefined);

/** Layers and columns as a whole come before single cells. */
const order = computed(() => {
  const places = Array.from({ length: size.value.rows * size.value.columns }, (_, place) => place);
  const isMargin = (place: number) => Object.values(cellOf(place)).includes(0);
  return [...places.filter(isMargin), ...places.filter((place) => !isMargin(place))];
});

function partAt(place: number): RotationPart {
  const { row, column } = cellOf(place);
  return { ...(row && { layer: row - 1 }), ...(column && { [state.parts.peek()]: column - 1 }) };
}

const sweeping = signal(false);
let running: AbortController | undefined;

/** Looks at the chosen part, or at every one. */
async function sweep(all: boolean): Promise<void> {
  running?.abort();
  const controller = new AbortController();
  running = controller;
  const { signal } = controller;
  sweeping.value = all;
  try {
    for (;;) {
      const place = [whole, placeOf(chosen.peek()), ...(all ? order.peek() : [])].find((at) => !looks.peek().has(at));
      if (place === undefined) break;
      const part = place === whole ? {} : { part: partAt(place) };
      const found = await ask("look", { ids: ids.peek(), ...part }, signal);
      if (signal.aborted) return;
      looks.value = new Map(looks.peek()).set(place, found);
    }
  } catch (error) {
    if (!signal.aborted) failure.value = messageOf(error);
  } finally {
    if (running === controller) sweeping.value = false;
  }
}

let subject = "";
effect(() => {
  const found = model.value;
  const { row, column } = chosen.value;
  if (state.view.value !== "microscope" || !found || ids.value.length < 2 || busy.value === "writing") {
    running?.abort();
    return;
  }
  const now = JSON.stringify([found, state.parts.value, ids.value]);
  if (now !== subject) {
    subject = now;
    looks.value = new Map();
    // The model of this site is so small that all of it takes a moment.
    void sweep(found.shipped);
  } else if (!sweeping.peek() && !looks.peek().has(placeOf({ row, column }))) void sweep(false);
});

/** Nats that the loss rises by; NaN where nobody has looked, and where nothing rotates. */
const changeAt = (place: number) => (looks.value.get(place)?.loss ?? NaN) - (looks.value.get(whole)?.loss ?? NaN);

function nameOf({ row, column }: Cell): string {
  const kind = names[state.parts.value];
  if (!row && !column) return "the whole rotation";
  const layer = row ? `layer ${row - 1}` : "all layers";
  return column ? `${kind} ${column - 1} of ${layer}` : layer;
}

function Reading({ cell }: { cell: Cell }) {
  const [before, after] = [looks.value.get(whole), looks.value.get(placeOf(cell))];
  const change = changeAt(placeOf(cell));
  return (
    <p class="reading" role="status">
      <strong>Without {nameOf(cell)}</strong>
      {before && after ? (
        <span>
          loss {loss(before.loss)} → {loss(after.loss)} <Term name="nats" /> a token ({change < 0 ? "" : "+"}
          {loss(change)})
        </span>
      ) : (
        <span>{before && looks.value.has(placeOf(cell)) ? "It does not rotate." : "not computed yet"}</span>
      )}
    </p>
  );
}

/** The likeliest tokens with the whole rotation, and without a part of it. */
function Next({ cell }: { cell: Cell }) {
  const lists = [looks.value.get(whole), looks.value.get(placeOf(cell))].map((look) => look?.next ?? []);
  return (
    <ScrollTable label="Next token, before and after">
      <thead>
        <tr>
          <th scope="col">next token</th>
          <th scope="col">before</th>
          <th scope="col">without it</th>
        </tr>
      </thead>
      <tbody>
        {[0, 1, 2, 3, 4].map((rank) => (
          <tr key={rank}>
            <th scope="row">{rank + 1}</th>
            {lists.map((list, i) => (
              <td
                key={i}
                class="chance"
                data-how={i ? "kept" : "before"}
                style={{ "--share": list[rank]?.probability }}
              >
                {list[rank] && `${shownText(list[rank].text)} ${percent(list[rank].probability)}`}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

/** The loss of the text without each part of the rotation, and the next token without the chosen one. */
export function Microscope() {
  const { rows, columns } = size.value;
  const kind = names[state.parts.value];
  const changes = Float64Array.from({ length: rows * columns }, (_, place) => changeAt(place));
  const most = Math.max(1e-3, ...changes.filter((change) => change > 0));
  const done = order.value.filter((place) => looks.value.has(place)).length;
  const shown = preview.value ?? chosen.value;
  const title = `Change of the loss without each layer and ${kind}`;
  return (
    <section class="card microscope" aria-labelledby="microscope-title">
      <header class="card-head">
        <h3 id="microscope-title">What a part of the rotation is for</h3>
        <ViewChoice />
        <span class="hint">hover to preview, click to switch one off</span>
      </header>
      <Figure
        name="microscope"
        title={title}
        data={() => ({
          columns: [{ name: `layer \\ ${kind}` }, ...numbered(columns).map((name) => ({ name, write: loss }))],
          rows: numbered(rows).map((name, row) => [name, ...changes.slice(row * columns, (row + 1) * columns)]),
        })}
        below={<Reading cell={shown} />}
      >
        <HeatMap
          values={changes}
          rows={numbered(rows)}
          columns={numbered(columns)}
          share={(change) => Math.sqrt(Math.max(0, change) / most)}
          names={["layer", kind]}
          label={`${title}, in nats.`}
          shown={shown}
          locked={chosen.value}
          onPreview={(cell) => {
            preview.value = cell;
          }}
          onLock={(cell) => {
            state.layer.value = (cell?.row ?? 0) - 1;
            state.part.value = (cell?.column ?? 0) - 1;
          }}
        />
        <Legend least="0" most={`${loss(most)} nats`} ticks={[[0.5, loss(most / 4)]]} />
      </Figure>
      <Segmented
        legend="columns"
        name="microscope-parts"
        value={state.parts}
        options={[
          ["pair", "pairs"],
          ["keyHead", "key heads"],
        ]}
      />
      <div class="actions">
        {sweeping.value ? (
          <>
            <button type="button" onClick={() => running?.abort()}>
              Cancel
            </button>
            <progress aria-label="Parts that were looked at" max={order.value.length} value={done} />
          </>
        ) : (
          <button type="button" class="primary" disabled={done === order.value.length} onClick={() => void sweep(true)}>
            Switch off each in turn
          </button>
        )}
      </div>
      <Next cell={shown} />
      <p class="hint">
        The loss is the mean negative log probability of each token of the text behind those before it, over{" "}
        {ids.value.length} tokens. A part that is off has the angle 0 at all positions. A head of keys goes with all
        heads of queries that attend to it. A loss that falls shows as 0.
      </p>
    </section>
  );
}
