/** The curve that the visitor draws: straight lines between nine points, closer together near distance 0. */

export const pointCount = 9;

/** The distance of a point. It is a whole number, because spans are multiples of 64. */
export function pointDistance(index: number, span: number): number {
  return (span * index * index) / (pointCount - 1) ** 2;
}

export type Preset = "local" | "global" | "middle" | "wave";
/** Wanted scores at points 1 to 8. Point 0 is distance 0, where every score of equal vectors is 1. */
export const presets: Readonly<Record<Preset, readonly number[]>> = {
  local: [0.6, 0.25, 0.1, 0.05, 0, 0, 0, 0],
  global: [0.98, 0.95, 0.92, 0.9, 0.88, 0.86, 0.84, 0.82],
  middle: [0.9, 0.8, 0.7, 0.55, 0.4, 0.3, 0.2, 0.1],
  wave: [0.98, 0.75, 0.1, -0.6, -0.7, 0.2, 0.7, -0.5],
};

/** The curve at 0, 1, ..., span. */
export function wantedCurve(points: readonly number[], span: number): Float64Array {
  const all = [1, ...points];
  const curve = new Float64Array(span + 1);
  for (let i = 1; i < pointCount; i++) {
    const [from, to] = [pointDistance(i - 1, span), pointDistance(i, span)];
    for (let n = from; n <= to; n++) curve[n] = all[i - 1]! + ((all[i]! - all[i - 1]!) * (n - from)) / (to - from);
  }
  return curve;
}

/** Points after a stroke of the pointer. Those that it passes, and the one nearest to its end, move onto it. */
export function drawn(
  points: readonly number[],
  span: number,
  from: readonly [number, number],
  to: readonly [number, number],
) {
  const near = Math.max(1, Math.min(pointCount - 1, Math.round(Math.sqrt(to[0] / span) * (pointCount - 1))));
  return points.map((value, i) => {
    const x = pointDistance(i + 1, span);
    if (i + 1 === near) return to[1];
    const share = (x - from[0]) / (to[0] - from[0]);
    return share > 0 && share < 1 ? from[1] + share * (to[1] - from[1]) : value;
  });
}
