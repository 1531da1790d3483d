/** Values that the cards of a picture share: the ropes' keys, the learned query, and the maps they make. */

import { computed } from "@preact/signals";
import { ask } from "../../library/ask.js";
import {
  type GridName,
  gridNames,
  grids,
  hits,
  keysOf,
  learn,
  mapFrom,
  optionsOf,
  type Place,
  side,
  target,
  turnsOf,
} from "./axes.js";
import { state } from "./state.js";

/** How many patches of a grid lie along one side of a patch of the trained grid. */
export const perSide = (grid: GridName) => grids[grid].size / side;

/** Everything that depends on the way alone: keys, the learned query, its hits, and the directions of the pairs. */
export const made = computed(
  () =>
    ask(optionsOf[state.way.value], (rope) => {
      const way = state.way.value;
      const [trained, extrapolated, rescaled] = gridNames.map((grid) => keysOf(rope, way, grid));
      const keys = { trained: trained!, extrapolated: extrapolated!, rescaled: rescaled! };
      const query = learn(keys.trained);
      const found = gridNames.map((grid) =>
        [perSide(grid), 1].map((by) => hits(keys[grid], query, [target[0] * by, target[1] * by])),
      );
      return { keys, query, found, turns: turnsOf(way, rope) };
    })?.found,
);

/** The patch of the query in a grid. The state holds it as a patch of the finer grid. */
export const queryIn = (grid: GridName): Place => {
  const by = 2 / perSide(grid);
  return [Math.floor(state.row.value / by), Math.floor(state.column.value / by)];
};

/** True while the query is the learned one. */
export const learned = computed(() => state.head.value === "trained");

/** From the query's patch to every patch of each grid. */
export const maps = computed(() => {
  if (!made.value) return undefined;
  const { keys, query } = made.value;
  return gridNames.map((grid) =>
    mapFrom(keys[grid], queryIn(grid), state.head.value === "trained" ? query : undefined),
  );
});

/** A patch in words. */
export const placed = ([row, column]: Place) => `row ${row}, column ${column}`;
