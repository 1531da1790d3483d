/** The ropes of pictures of the page Receptive field, and the head that learns there, against plain float64. */
import { load } from "ropewalk";
import { expect, it } from "vitest";
import {
  type GridName,
  gridNames,
  grids,
  headDim,
  highest,
  hits,
  keysOf,
  learn,
  mapFrom,
  optionsOf,
  type Place,
  pairCount,
  pairFrom,
  side,
  target,
  turnsOf,
  type Way,
} from "../../web/pages/receptive-field/axes.js";

const ropewalk = await load();
const ways = Object.keys(optionsOf) as Way[];
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Radians by which pair j turns over a step, by the definition of each way. */
function angle(way: Way, j: number, [row, column]: Place, { size, scale }: (typeof grids)[GridName]): number {
  const shared = 100 ** (-j / pairCount);
  switch (way) {
    case "axial":
      return scale * (j < 8 ? row : column) * 100 ** (-(j % 8) / 8);
    case "interleaved":
      return scale * (j % 2 === 0 ? row : column) * shared;
    case "chunked":
      return scale * (j < 8 ? row : column) * shared;
    case "golden":
      return scale * (Math.cos(j * Math.PI * GOLDEN) * row + Math.sin(j * Math.PI * GOLDEN) * column) * shared;
    case "line":
      return scale * scale * (row * size + column) * shared;
  }
}

const places = (size: number) => Array.from({ length: size * size }, (_, i): Place => [Math.floor(i / size), i % size]);

for (const way of ways)
  for (const grid of gridNames)
    it(`${way}, ${grid}: scores and cosines of pairs are those of the angles between patches`, () => {
      using rope = ropewalk.rope(optionsOf[way]);
      const keys = keysOf(rope, way, grid);
      const { size } = grids[grid];
      for (const from of [
        [0, 0],
        [3, 5],
        [size - 1, 1],
      ] satisfies Place[]) {
        const score = mapFrom(keys, from);
        const pairs = Array.from({ length: pairCount }, (_, j) => pairFrom(keys, j, from));
        places(size).forEach(([row, column], i) => {
          const cosines = pairs.map((_, j) => Math.cos(angle(way, j, [row - from[0], column - from[1]], grids[grid])));
          cosines.forEach((cosine, j) => {
            expect(Math.abs(pairs[j]![i]! - cosine)).toBeLessThan(1e-6);
          });
          const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / pairCount;
          expect(Math.abs(score[i]! - mean)).toBeLessThan(1e-6);
        });
      }
    });

it.each(ways)("%s: what each pair turns by is what the rope rotates by", (way) => {
  using rope = ropewalk.rope(optionsOf[way]);
  for (const [j, [row, column]] of turnsOf(way, rope).entries()) {
    expect(row).toBeCloseTo(angle(way, j, [1, 0], grids.trained), 12);
    expect(column).toBeCloseTo(angle(way, j, [0, 1], grids.trained), 12);
  }
});

/** The cross-entropy of all patches of the trained grid from which the target is one, straight from the scores. */
function lossOf(keys: Float32Array, query: Float64Array): number {
  const losses = places(side)
    .map((from) => ({ from, to: [from[0] + target[0], from[1] + target[1]] as const }))
    .filter(({ to }) => to.every((at) => at >= 0 && at < side))
    .map(({ from, to }) => -Math.log(mapFrom(keys, from, query)[to[0] * side + to[1]]!));
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

it("the head goes down its loss, and along its gradient", () => {
  using rope = ropewalk.rope(optionsOf.axial);
  const keys = keysOf(rope, "axial", "trained");
  const start = new Float64Array(headDim);
  expect(lossOf(keys, start)).toBeCloseTo(Math.log(side * side), 6);
  expect(lossOf(keys, learn(keys))).toBeLessThan(0.05);
  // One step is the gradient, by finite differences, times the rate.
  const query = learn(keys, 1);
  for (const i of [0, 1, 7, 18, 31]) {
    const at = (by: number) =>
      lossOf(
        keys,
        start.map((value, c) => value + (c === i ? by : 0)),
      );
    const slope = (at(1e-4) - at(-1e-4)) / 2e-4;
    expect(Math.abs(query[i]! + 4 * slope)).toBeLessThan(1e-6);
  }
});

it("attention is a share of all patches, and its highest is the one that is named", () => {
  using rope = ropewalk.rope(optionsOf.golden);
  const query = learn(keysOf(rope, "golden", "trained"));
  const keys = keysOf(rope, "golden", "rescaled");
  const map = mapFrom(keys, [12, 4], query);
  expect(map).toHaveLength(256);
  expect(map.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  expect(highest(map)).toEqual([4, 8]);
  expect(hits(keys, query, [-8, 4])).toBe(1);
  expect(hits(keys, query, [-4, 2])).toBe(0);
});
