import type { PositionEncoding } from "ropewalk";
import type { RaceSettings } from "../../training/recipe.js";
import type { Begun, Point, RunSpec } from "../../training/train-calls.js";

/** Training of one encoding from one seed. */
export interface Run {
  readonly name: string;
  readonly encoding: PositionEncoding;
  readonly seed: number;
  /** None in a recorded run, whose weights nobody kept. */
  readonly spec: RunSpec | undefined;
  readonly begun: Begun;
  readonly points: readonly Point[];
}

/** The settings that the shown race was started with; later changes wait for the next one. */
export interface Race {
  readonly settings: RaceSettings;
  readonly task: string;
  readonly distance: number;
  readonly encodings: readonly PositionEncoding[];
  readonly every: number;
}
