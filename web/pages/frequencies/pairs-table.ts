import type { Table } from "../../export/table.js";
import { significant } from "../../text/format.js";
import { pairCount, sides } from "./model.js";
import { scaled } from "./scaled.js";

const digits = (count: number) => (value: number) => significant(value, count);

/** The numbers of both figures. */
export function pairsTable(): Table {
  return {
    columns: [
      { name: "pair" },
      ...sides.value.flatMap(({ name }) => [
        { name: `${name} θ`, write: digits(6) },
        { name: `${name} wavelength`, write: digits(6) },
        { name: `${name} turns`, write: digits(4) },
        { name: `${name} θ by rule`, write: scaled },
        { name: `${name} band` },
      ]),
    ],
    rows: Array.from({ length: pairCount.value }, (_, pair) => [
      pair,
      ...sides.value.flatMap(({ facts }) => {
        const { scaledBy = 1, band = "" } = facts.explanation.pairs[pair] ?? {};
        return [facts.theta[pair], facts.wavelengths[pair], facts.turns[pair], scaledBy, band];
      }),
    ]),
  };
}

/** The numbers of the second figure alone. */
export function scalingTable(): Table {
  return {
    columns: [
      { name: "pair" },
      ...sides.value.map(({ name }) => ({ name: `${name} θ over θ without its rule`, write: digits(6) })),
    ],
    rows: Array.from({ length: pairCount.value }, (_, pair) => [
      pair,
      ...sides.value.map(({ facts }) => facts.explanation.pairs[pair]?.scaledBy),
    ]),
  };
}
