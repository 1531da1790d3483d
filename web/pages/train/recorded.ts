import type { Evaluation, PositionEncoding } from "ropewalk";
import type { RaceSettings } from "../../training/recipe.js";
import type { Point } from "../../training/train-calls.js";
import address from "./recorded.json?url";
import type { Race, Run } from "./runs.js";

/** The results of one evaluation at each check, in the order of the checks. */
interface Course {
  readonly accuracy: readonly number[];
  readonly loss: readonly number[];
}

/** recorded.json: a race as it ended, by record.ts. */
export interface Recorded {
  readonly settings: RaceSettings;
  readonly task: string;
  readonly distance: number;
  /** Steps between two checks. */
  readonly every: number;
  readonly description: string;
  readonly chance: number;
  readonly best: Evaluation;
  readonly runs: ReadonlyArray<{
    readonly encoding: PositionEncoding;
    readonly seed: number;
    readonly parameters: number;
    /** Mean loss since the check before; null at the first. */
    readonly training: readonly (number | null)[];
    readonly once: Course;
    readonly twice: Course;
  }>;
}

function pointsOf({ training, once, twice }: Recorded["runs"][number], every: number): Point[] {
  const at = ({ accuracy, loss }: Course, i: number) => ({ accuracy: accuracy[i]!, loss: loss[i]! });
  return training.map((mean, i) => ({
    step: i * every,
    training: mean ?? Number.NaN,
    once: at(once, i),
    twice: at(twice, i),
    fields: undefined,
  }));
}

export interface RecordedRace {
  readonly race: Race;
  readonly runs: readonly Run[];
  readonly best: Evaluation;
}

/** The recorded race as the page holds its own, but for what only a trainer has: the weights. */
export async function recordedRace(): Promise<RecordedRace> {
  const recorded = (await (await fetch(address)).json()) as Recorded;
  const { settings, task, distance, every, description, chance, best } = recorded;
  const runs = recorded.runs.map((run): Run => {
    const { encoding, seed, parameters } = run;
    const begun = { parameters, symbols: [], chance, description };
    return { name: `${encoding} ${seed}`, encoding, seed, spec: undefined, begun, points: pointsOf(run, every) };
  });
  const encodings = [...new Set(runs.map(({ encoding }) => encoding))];
  return { race: { settings, task, distance, encodings, every }, runs, best };
}
