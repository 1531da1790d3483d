import type { Frame } from "./plot.js";

/** The line through (xs[i], ys[i]), in the drawing. */
export function curvePath(frame: Frame, xs: ArrayLike<number>, ys: ArrayLike<number>): string {
  const points = Array.from(xs, (x, i) => `${frame.x(x).toFixed(1)} ${frame.y(ys[i]!).toFixed(1)}`);
  return points.length ? `M${points.join("L")}` : "";
}
