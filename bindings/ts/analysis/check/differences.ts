/** Differences between two readers, and the distance from which on they show. */
import type { RopeDifference, RopeReading } from "./report.js";

/** Frequencies computed in another order of operations differ by less. */
const SAME = 1e-9;

const differ = (a: number, b: number) => Math.abs(a - b) > SAME * Math.max(Math.abs(a), Math.abs(b));
const sameLayers = (a: readonly number[] = [], b: readonly number[] = []) => a.join() === b.join();

/** The smallest whole m >= 1 with m * delta >= 0.1. */
function tokensUntil(delta: number): number {
  if (delta === 0) return Number.POSITIVE_INFINITY;
  let m = Math.max(Math.ceil(0.1 / delta), 1);
  // Beyond 2^53 a float64 has no neighbour that is 1 away.
  if (!Number.isSafeInteger(m)) return m;
  // The quotient is rounded; the product decides.
  while (m > 1 && (m - 1) * delta >= 0.1) m--;
  while (m * delta < 0.1) m++;
  return m;
}

/** undefined where the two are alike. A pair that one of them does not rotate counts as theta = 0. */
export function differenceOf(a: RopeReading, b: RopeReading, context: number): RopeDifference | undefined {
  const count = Math.max(a.frequencies.length, b.frequencies.length);
  let firstPair = -1;
  let largest = 0;
  for (let j = 0; j < count; j++) {
    const [x, y] = [a.frequencies[j] ?? 0, b.frequencies[j] ?? 0];
    if (!differ(x, y)) continue;
    if (firstPair === -1) firstPair = j;
    largest = Math.max(largest, Math.abs(x - y));
  }
  const alike =
    firstPair === -1 &&
    a.frequencies.length === b.frequencies.length &&
    !differ(a.magnitude, b.magnitude) &&
    !differ(a.softmaxScale ?? 1, b.softmaxScale ?? 1) &&
    a.pairing === b.pairing &&
    sameLayers(a.layersWithoutRotation, b.layersWithoutRotation);
  if (alike) return undefined;
  return {
    a: a.reader,
    b: b.reader,
    ...(a.layerType === undefined ? {} : { layerType: a.layerType }),
    firstPair,
    turnsAtContext: (largest * context) / (2 * Math.PI),
    tokensUntilTenthRadian: tokensUntil(largest),
  };
}

export function differencesOf(readings: readonly RopeReading[], context: number): RopeDifference[] {
  return readings.flatMap((a, i) =>
    readings.slice(i + 1).flatMap((b) => {
      const found = a.layerType === b.layerType ? differenceOf(a, b, context) : undefined;
      return found === undefined ? [] : [found];
    }),
  );
}
