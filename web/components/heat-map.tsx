import type { ComponentChildren, TargetedPointerEvent } from "preact";
import { Heat } from "./heat.js";
import type { RampName } from "./ramp.js";

export interface Cell {
  readonly row: number;
  readonly column: number;
}

interface Props {
  /** [rows, columns] */
  readonly values: ArrayLike<number> | undefined;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly colours?: RampName;
  readonly share: (value: number) => number;
  /** A word for rows, and one for columns. */
  readonly names: readonly [rows: string, columns: string];
  /** Description for readers who do not see the map. */
  readonly label: string;
  /** A sentence that says what the arrow keys do. */
  readonly keys?: string;
  /** The one that is read: pointed at, or locked. */
  readonly shown: Cell | undefined;
  readonly locked: Cell | undefined;
  onPreview(cell: Cell | undefined): void;
  onLock(cell: Cell | undefined): void;
  /** Drawn over the colours: an `svg` takes the whole field. */
  readonly children?: ComponentChildren;
}

/** Beyond so many rows or columns, not every one is named. */
const roomFor = 32;
/** Cells that an arrow key moves by with Shift. */
const leap = 16;

/** A heat map whose every value can be read: the pointer previews, a click keeps, arrow keys walk. */
export function HeatMap({
  values,
  rows,
  columns,
  colours,
  share,
  names,
  label,
  keys = "Arrow keys read single values.",
  shown,
  locked,
  onPreview,
  onLock,
  children,
}: Props) {
  const [height, width] = [rows.length, columns.length];
  const inside = ({ row, column }: Cell) => row >= 0 && column >= 0 && row < height && column < width;
  const cellAt = (event: TargetedPointerEvent<HTMLElement> | MouseEvent) => {
    const rect = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const cell = {
      row: Math.floor(((event.clientY - rect.top) / rect.height) * height),
      column: Math.floor(((event.clientX - rect.left) / rect.width) * width),
    };
    return inside(cell) ? cell : undefined;
  };
  const walk = (event: KeyboardEvent) => {
    const { row, column } = locked ?? { row: 0, column: 0 };
    const by = event.shiftKey ? leap : 1;
    const moves: Record<string, Cell | undefined> = {
      ArrowRight: { row, column: column + by },
      ArrowLeft: { row, column: column - by },
      ArrowDown: { row: row + by, column },
      ArrowUp: { row: row - by, column },
      Home: { row, column: 0 },
      End: { row, column: width - 1 },
      Enter: { row, column },
      Escape: undefined,
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const target = moves[event.key];
    if (target && !inside(target)) return;
    onPreview(undefined);
    onLock(target);
  };
  return (
    <div
      class="map"
      style={{
        "--rows": Math.max(1, height),
        "--columns": Math.max(1, width),
        "--letters": Math.max(0, ...columns.map(({ length }) => length)),
      }}
      data-attention={names[1] === "key" || undefined}
      data-dense={Math.max(height, width) > 24 || undefined}
    >
      <span class="map-corner" aria-hidden="true">
        {names[1]} →
        <br />
        {names[0]} ↓
      </span>
      <div class="map-columns" aria-hidden="true">
        <Labels of={columns} chosen={shown?.column} />
      </div>
      <div class="map-rows" aria-hidden="true">
        <Labels of={rows} chosen={shown?.row} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing that arrow keys walk through has no native element. */}
      <div
        class="map-field"
        role="group"
        aria-roledescription="heat map"
        aria-label={`${label} ${keys}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes arrow keys.
        tabIndex={0}
        onKeyDown={walk}
        onPointerMove={(event) => onPreview(cellAt(event))}
        onPointerLeave={() => onPreview(undefined)}
        onClick={(event) => {
          const clicked = cellAt(event);
          const again = clicked && locked && clicked.row === locked.row && clicked.column === locked.column;
          onLock(again ? undefined : clicked);
        }}
      >
        <Heat values={values} rows={height} columns={width} colours={colours} share={share} />
        {children}
        {shown && (
          <>
            <span class="map-row" style={{ "--row": shown.row }} />
            <span class="map-cell" style={{ "--row": shown.row, "--column": shown.column }} />
          </>
        )}
      </div>
    </div>
  );
}

function Labels({ of, chosen }: { of: readonly string[]; chosen: number | undefined }) {
  const every = Math.ceil(of.length / roomFor);
  return of.map(
    (name, index) =>
      (index % every === 0 || index === chosen) && (
        <span key={index} style={{ "--at": index }} data-on={index === chosen || undefined}>
          {name}
        </span>
      ),
  );
}
