import type { Frame } from "./plot.js";

/** A dashed line across a plot, named at its right, or beside the plot where names stand: other lines would cover it. */
export function Level({ frame, at, name }: { frame: Frame; at: number; name: string }) {
  const { left, right, named } = frame;
  const y = frame.y(at);
  return (
    <>
      <line class="limit" x1={left} x2={right} y1={y} y2={y} />
      <text
        class="limit-name"
        x={right + (named ? 6 : -4)}
        y={y + (named ? 4 : -5)}
        text-anchor={named ? "start" : "end"}
      >
        {name}
      </text>
    </>
  );
}
