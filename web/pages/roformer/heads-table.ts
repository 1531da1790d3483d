import type { Cell, Table } from "../../export/table.js";
import { run } from "../../model/session.js";
import { fixed } from "../../text/format.js";

/** Every weight of every head: a row for each layer, head, and pair of tokens. */
export function headsTable(): Table {
  const { tokens = [], attentions = [], heads = 0 } = run.value ?? {};
  const rows: Cell[][] = [];
  for (const [layer, weights] of attentions.entries()) {
    for (let i = 0; i < heads * tokens.length ** 2; i++) {
      const row = Math.floor(i / tokens.length);
      const [head, from, to] = [Math.floor(row / tokens.length), row % tokens.length, i % tokens.length];
      rows.push([layer, head, from, tokens[from], to, tokens[to], weights[i]]);
    }
  }
  return {
    columns: [
      { name: "layer" },
      { name: "head" },
      { name: "from" },
      { name: "from token" },
      { name: "to" },
      { name: "to token" },
      { name: "weight", write: (value) => fixed(value, 4) },
    ],
    rows,
  };
}

/** A summary of each head's attention: the mean over its rows. */
export function headsSummary(): Table {
  const { tokens = [], attentions = [], heads = 0 } = run.value ?? {};
  const size = tokens.length;
  const share = (value: number) => fixed(value, 3);
  const rows = attentions.flatMap((weights, layer) =>
    Array.from({ length: heads }, (_, head) => {
      let [before, itself, after, distance] = [0, 0, 0, 0];
      for (let from = 0; from < size; from++) {
        const row = weights.subarray((head * size + from) * size, (head * size + from + 1) * size);
        before += row[from - 1] ?? 0;
        itself += row[from] ?? 0;
        after += row[from + 1] ?? 0;
        for (let to = 0; to < size; to++) distance += row[to]! * Math.abs(from - to);
      }
      return [layer, head, before / size, itself / size, after / size, distance / size];
    }),
  );
  return {
    columns: [
      { name: "layer" },
      { name: "head" },
      { name: "to the token before", write: share },
      { name: "to itself", write: share },
      { name: "to the next", write: share },
      { name: "mean distance", write: (value) => fixed(value, 2) },
    ],
    rows,
  };
}
