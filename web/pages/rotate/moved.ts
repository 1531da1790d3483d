/** Arrows that the visitor has moved by hand: they stand in place of what was drawn. */
import type { Field } from "../../state/fields.js";

export interface Moved {
  readonly of: "q" | "k";
  readonly pair: number;
  readonly to: readonly [number, number];
}

const one = /^([qk])(\d{1,2})\*(-?\d(?:\.\d{1,4})?)\*(-?\d(?:\.\d{1,4})?)$/;

function parse(raw: string): readonly Moved[] | undefined {
  const all = raw ? raw.split("_").map((item) => one.exec(item)) : [];
  if (all.length > 64 || all.includes(null)) return undefined;
  return all.map((match) => ({
    of: match![1] as "q" | "k",
    pair: Number(match![2]),
    to: [Number(match![3]), Number(match![4])],
  }));
}

const digits = (value: number) => String(Number(value.toFixed(4)));

/** `q3*0.1*-0.25`: pair 3 of the query is 0.1 - 0.25i. */
export const movedField: Field<readonly Moved[]> = {
  fallback: [],
  allowed: "moved arrows, such as q3*0.1*-0.25_k0*0.5*0",
  parse,
  format: (all) => all.map(({ of, pair, to }) => `${of}${pair}*${to.map(digits).join("*")}`).join("_"),
};

/** With one arrow moved, in place of where it was moved before. */
export function withMoved(all: readonly Moved[], next: Moved): readonly Moved[] {
  return [...all.filter(({ of, pair }) => of !== next.of || pair !== next.pair), next];
}
