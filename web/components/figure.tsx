import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Format } from "../export/save.js";
import type { Cell, Table } from "../export/table.js";
import { shownPage, writeAddress } from "../state/address.js";
import { saveInLight } from "../state/theme.js";
import { Failure } from "./failure.js";
import { LazyDetails } from "./lazy-details.js";
import { ScrollTable } from "./scroll-table.js";

interface Props {
  /** Part of the names of its files: `ropewalk-<name>.svg`. */
  readonly name: string;
  /** A few words on what it shows: its accessible name, and that of its table and its files. */
  readonly title: string;
  /** The numbers it shows, all of them. */
  readonly data: () => Table;
  /** The table on the page shows one row of so many and one column of so many. */
  readonly coarse?: readonly [rows: number, columns: number];
  /** A table of its own making, where all the numbers would be too many to read. */
  readonly table?: () => ComponentChildren;
  /** Names of what is drawn, where colours or dashes tell it apart: they are saved with it. */
  readonly legend?: ComponentChildren;
  /** The drawing: all of it, and nothing else, is saved. Its text alternative is the `aria-label` inside. */
  readonly children: ComponentChildren;
  /** Between drawing and table: a cursor, a reading, a caption. */
  readonly below?: ComponentChildren;
}

/** A drawing and, in one menu, its numbers as a table and three ways to take it along. */
export function Figure({ name, title, data, coarse, table, legend, children, below }: Props) {
  const drawing = useRef<HTMLDivElement>(null);
  const failed = useSignal("");
  const take = async (format: Format) => {
    try {
      failed.value = "";
      const { save } = await import("../export/save.js");
      const link = new URL(writeAddress(shownPage.value), document.baseURI).href;
      await save(format, drawing.current!, { name, title, link, table: data() });
    } catch (error) {
      failed.value = `${format} could not be made: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  return (
    <figure class="figure" aria-label={title}>
      <div class="drawing" ref={drawing}>
        {legend && <div class="drawing-legend">{legend}</div>}
        {children}
      </div>
      {below}
      <div class="figure-foot">
        <LazyDetails summary="Table and files" label={`Table and files of ${title}`}>
          {() => (
            <>
              <p class="saves">
                {(["PNG", "SVG", "CSV"] as const).map((format) => (
                  <button
                    type="button"
                    key={format}
                    aria-label={`Save ${title} as ${format}`}
                    onClick={() => void take(format)}
                  >
                    {format}
                  </button>
                ))}
                <label class="save-light">
                  <input
                    type="checkbox"
                    aria-label={`Save ${title} in light colours`}
                    checked={saveInLight.value}
                    onChange={(event) => {
                      saveInLight.value = event.currentTarget.checked;
                    }}
                  />{" "}
                  light
                </label>
              </p>
              {table?.() ?? <Numbers label={title} data={data()} coarse={coarse} />}
            </>
          )}
        </LazyDetails>
      </div>
      <Failure says={failed.value} />
    </figure>
  );
}

/** More rows than anyone would scroll through are thinned out; the CSV holds them all. */
const mostRows = 260;

export function Numbers({ label, data, coarse }: { label: string; data: Table; coarse?: Props["coarse"] }) {
  const [everyRow, everyColumn] = coarse ?? [Math.ceil(data.rows.length / mostRows), 1];
  // The first column names the rows.
  const some = <T,>([head, ...all]: readonly T[]) => [head!, ...all.filter((_, index) => index % everyColumn === 0)];
  const columns = some(data.columns);
  const written = (cell: Cell, column: number) =>
    typeof cell === "number" ? (columns[column]?.write?.(cell) ?? String(cell)) : cell;
  return (
    <ScrollTable label={label}>
      {everyRow > 1 && (
        <caption>
          One row of {everyRow}
          {coarse && `, one column of ${everyColumn}`}; the CSV holds all {data.rows.length}
          {coarse && ` by ${data.columns.length - 1}`}.
        </caption>
      )}
      <thead>
        <tr>
          {columns.map(({ name }) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.rows
          .filter((_, index) => index % everyRow === 0)
          .map(some)
          .map(([head, ...cells], index) => (
            <tr key={index}>
              <th scope="row">{written(head, 0)}</th>
              {cells.map((cell, column) => (
                <td key={columns[column + 1]?.name}>{written(cell, column + 1)}</td>
              ))}
            </tr>
          ))}
      </tbody>
    </ScrollTable>
  );
}
