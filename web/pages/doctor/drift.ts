/** How far apart readers rotate each pair, as curves. */
import type { RopeReading, RopeReport } from "ropewalk";

/** Readers whose frequencies differ from the reference in the same way. */
export interface Drift {
  readonly readers: readonly string[];
  readonly reading: RopeReading;
  /** Turns by which each pair differs from the reference at the end of the context. */
  readonly turns: readonly number[];
}

export interface Drifts {
  readonly layerType: string | undefined;
  readonly reference: RopeReading;
  /** Readers that rotate as the reference does, and the reference. */
  readonly agree: readonly string[];
  readonly apart: readonly Drift[];
}

/** theta_j of two readings beside each other. A pair that one of them does not rotate has theta 0. */
function distances(a: RopeReading, b: RopeReading): number[] {
  const count = Math.max(a.frequencies.length, b.frequencies.length);
  return Array.from({ length: count }, (_, j) => Math.abs((a.frequencies[j] ?? 0) - (b.frequencies[j] ?? 0)));
}

/** The readings of one type of layers, compared with that of this library, or with the first if it refuses. */
export function driftsOf({ readings, differences }: RopeReport, layerType: string | undefined): Drifts {
  const here = readings.filter((each) => each.layerType === layerType);
  const reference = here.find(({ reader }) => reader === "ropewalk") ?? here[0]!;
  const agree = [reference.reader as string];
  const apart: (Drift & { readers: string[] })[] = [];
  for (const reading of here) {
    if (reading === reference) continue;
    const names = [reading.reader, reference.reader];
    const difference = differences.find(
      (each) => each.layerType === layerType && names.includes(each.a) && names.includes(each.b),
    );
    if (difference === undefined || difference.firstPair < 0) {
      agree.push(reading.reader);
      continue;
    }
    const delta = distances(reference, reading);
    const perRadian = difference.turnsAtContext / Math.max(...delta);
    const turns = delta.map((each) => each * perRadian);
    const alike = apart.find((each) => each.turns.every((value, j) => Math.abs(value - turns[j]!) <= 1e-9 * value));
    if (alike) alike.readers.push(reading.reader);
    else apart.push({ readers: [reading.reader], reading, turns });
  }
  return { layerType, reference, agree, apart };
}

/** One entry for each type of layers whose frequencies some reader reads otherwise. */
export function drifts(report: RopeReport): Drifts[] {
  const types = new Set(report.readings.map(({ layerType }) => layerType));
  return Array.from(types, (layerType) => driftsOf(report, layerType)).filter(({ apart }) => apart.length > 0);
}
