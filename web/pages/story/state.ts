import { integer, number, signalsOf, toggle } from "../../state/fields.js";

export const SCENES = 7;
/** Tokens that scene 7 cuts out: the first of them, and the first one behind them. */
export const CUT = [1, 17] as const;

export const fields = {
  scene: integer(1, 1, SCENES),
  /** Scene 1: "yes" if the two names have changed places. */
  swap: toggle("no", ["no", "yes"]),
  /** Scene 2. */
  rotation: toggle("on", ["on", "off"]),
  /** Scene 3: position of the word. */
  at: number(0, 0, 60, 0.5),
  /** Scene 4: positions that both words have moved by. */
  shift: number(0, 0, 40, 0.5),
  /** Scene 5: how many strands are added up, from the fastest. */
  strands: integer(1, 1, 32),
  /** Scene 6: which strands are slowed down. */
  repair: toggle("none", ["none", "all", "slow", "yarn"]),
  /** Scene 7. */
  cut: toggle("whole", ["whole", "turned", "unturned"]),
};

export const state = signalsOf(fields);
/** `#story/4` is `#story?scene=4`. */
export const short = "scene";

export type Repair = typeof state.repair.value;
export type Cut = typeof state.cut.value;
