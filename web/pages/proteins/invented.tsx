import { useSignal } from "@preact/signals";
import { Figure } from "../../components/figure.js";
import type { Cell } from "../../components/heat-map.js";
import { HeatMap } from "../../components/heat-map.js";

/** Residues of the invented chain, counted from 1 as on the map. */
const SIZE = 30;
const names = Array.from({ length: SIZE }, (_, i) => String(i + 1));
/** Every fifth is named, so that a phone has room for them. */
const ticks = names.map((name, i) => (i % 5 === 4 ? name : ""));
const inside = (i: number, from: number, to: number) => i >= from && i <= to;

/** The kinds of folds, each with the residues i < j that touch in it. */
const folds: ReadonlyArray<readonly [name: string, touches: (i: number, j: number) => boolean]> = [
  ["neighbours along the chain", (i, j) => j - i < 3],
  ["the helix, 2 to 11", (i, j) => inside(i, 2, 11) && inside(j, 2, 11) && (j - i === 3 || j - i === 4)],
  ["two strands that run in opposite directions", (i, j) => inside(i, 14, 18) && i + j === 38],
  ["two strands that run in the same direction", (i, j) => inside(i, 14, 18) && j - i === 12],
];
const foldOf = (i: number, j: number) => folds.find(([, touches]) => touches(Math.min(i, j), Math.max(i, j)))?.[0];
const map = Float32Array.from({ length: SIZE * SIZE }, (_, at) =>
  Number(foldOf(Math.floor(at / SIZE) + 1, (at % SIZE) + 1) !== undefined),
);

/** A map that shows what to look for, drawn by rule: no model and no protein is in it. */
export function InventedMap() {
  const cell = useSignal<Cell | undefined>(undefined);
  const { row, column } = cell.value ?? { row: 13, column: 23 };
  return (
    <Figure
      name="contacts-invented"
      title="Contacts of an invented chain"
      data={() => ({
        columns: [{ name: "residue" }, ...names.map((name) => ({ name }))],
        rows: names.map((name, i) => [name, ...map.subarray(i * SIZE, (i + 1) * SIZE)]),
      })}
      below={
        <output class="reading">
          <b>{names[row]}</b> and <b>{names[column]}</b>: {foldOf(row + 1, column + 1) ?? "they do not touch"}
        </output>
      }
    >
      <HeatMap
        values={map}
        rows={ticks}
        columns={ticks}
        share={(value) => 0.75 * value}
        names={["residue", "residue"]}
        label="Which residues of an invented chain touch: a helix beside the diagonal, two sheets as lines across and along it."
        shown={{ row, column }}
        locked={undefined}
        onPreview={(next) => {
          cell.value = next ?? cell.value;
        }}
        onLock={(next) => {
          cell.value = next;
        }}
      />
    </Figure>
  );
}
