interface Props {
  readonly to: readonly [number, number];
  /** Units of the drawing for length 1. */
  readonly scale: number;
  readonly tone: "q" | "k";
  readonly ghost?: boolean;
  /** Size of the head and width of the shaft, in units of the drawing. */
  readonly weight: number;
}

/** From the middle of a dial; y points up, as in the plane of complex numbers. The key's head is hollow, so that the
    two are told apart without colour. */
export function Arrow({ to, scale, tone, ghost = false, weight }: Props) {
  const x = to[0] * scale;
  const y = -to[1] * scale;
  const length = Math.hypot(x, y);
  if (length < weight) return <circle class={`arrow-head ${tone}`} r={weight * 0.7} />;
  const [ux, uy] = [x / length, y / length];
  const head = Math.min(weight * 3.6, length * 0.6);
  const [bx, by] = [x - ux * head, y - uy * head];
  const wide = head * 0.42;
  return (
    <g class={`arrow ${tone}${ghost ? " ghost" : ""}`}>
      <line x1={0} y1={0} x2={bx} y2={by} stroke-width={weight} />
      <polygon
        stroke-width={weight * 0.6}
        points={`${x},${y} ${bx - uy * wide},${by + ux * wide} ${bx + uy * wide},${by - ux * wide}`}
      />
    </g>
  );
}
