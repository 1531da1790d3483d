import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { Scale } from "./scale.js";
import { useMeasuredWidth } from "./width.js";

export interface Axis {
  readonly scale: Scale;
  readonly name: string;
  tick(value: number): string;
}

/** In pixels of the drawing. */
export interface Frame {
  x(value: number): number;
  y(value: number): number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** True if the names of lines stand at the right of the plot. */
  readonly named: boolean;
}

interface Props {
  /** Description for readers who do not see the drawing; the table beside it holds the numbers. */
  readonly label: string;
  readonly x: Axis;
  readonly y: Axis;
  /** The same heights in another quantity, read at the right. */
  readonly right?: Axis;
  /** Reserves the width of a right axis, so that the plot lines up with one that has it. */
  readonly inLine?: boolean;
  /** Reserves this width at the right for the names of lines, unless more than a quarter of the drawing would go. */
  readonly names?: number;
  /** At least; the main figure of a page grows with its window. */
  readonly height: number;
  readonly main?: boolean;
  onPoint(x: number | undefined): void;
  /** Without it a click does nothing. */
  onPick?(x: number): void;
  readonly children: (frame: Frame) => ComponentChildren;
}

/** Pixels of a letter of an axis' name, at most. */
const NAME_WIDTH = 7;
const margin = { left: 52, right: 14, top: 26, bottom: 40 };

/** Axes, grid and pointer of a curve; the curves themselves are its children. */
export function Plot({ label, x, y, right, inLine, names = 0, height: least, main, onPoint, onPick, children }: Props) {
  const [drawing, width] = useMeasuredWidth();
  const height = main && width > 600 ? Math.max(least, Math.round(innerHeight * 0.42)) : least;
  const named = names > 0 && names < width / 4;
  const box = {
    named,
    left: margin.left,
    right: width - (named ? names : right || inLine ? margin.left : margin.right),
    top: margin.top,
    bottom: height - margin.bottom,
  };
  const frame: Frame = {
    ...box,
    x: (value) => box.left + x.scale.of(value) * (box.right - box.left),
    y: (value) => box.bottom - y.scale.of(value) * (box.bottom - box.top),
  };
  // The handle of its slider (cursor.tsx) stands under the upright line.
  useLayoutEffect(() => {
    const style = drawing.current!.closest("figure")?.style;
    const air = (x.scale.air ?? 0) * (box.right - box.left);
    style?.setProperty("--plot-left", `${box.left + air}px`);
    style?.setProperty("--plot-right", `${width - box.right + air}px`);
  });
  const valueAt = (event: PointerEvent | MouseEvent) => {
    const rect = drawing.current!.getBoundingClientRect();
    const share = (event.clientX - rect.left - box.left) / (box.right - box.left);
    return share < -0.02 || share > 1.02 ? undefined : x.scale.at(Math.max(0, Math.min(1, share)));
  };
  // Where a name would run into another or out of the drawing, its first words must do.
  const tight = (y.name.length + (right?.name.length ?? 0)) * NAME_WIDTH > width;
  const [yName, rightName] = [y, right].map((axis) => (tight ? axis?.name.split(",")[0] : axis?.name));
  const xName = x.name.length * NAME_WIDTH > box.right ? x.name.split(":")[0] : x.name;
  // Neighbouring ticks keep 44 pixels between them.
  const every = Math.max(1, Math.ceil((x.scale.ticks.length * 44) / (box.right - box.left)));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has the slider beside the drawing (cursor.tsx).
    <svg
      class="plot"
      ref={drawing}
      viewBox={`0 0 ${width} ${height}`}
      height={height}
      role="img"
      aria-label={label}
      onPointerMove={(event) => onPoint(valueAt(event))}
      onPointerLeave={() => onPoint(undefined)}
      onClick={(event) => {
        const picked = valueAt(event);
        if (picked !== undefined) onPick?.(picked);
      }}
    >
      <text class="axis-name" x={0} y={12}>
        {yName}
      </text>
      {right && (
        <text class="axis-name" x={width} y={12} text-anchor="end">
          {rightName}
        </text>
      )}
      <text class="axis-name" x={box.right} y={height - 4} text-anchor="end">
        {xName}
      </text>
      {y.scale.ticks.map((value) => (
        <g key={`y${value}`}>
          <line class="grid" x1={box.left} x2={box.right} y1={frame.y(value)} y2={frame.y(value)} />
          <text class="tick" x={box.left - 8} y={frame.y(value) + 4} text-anchor="end">
            {y.tick(value)}
          </text>
        </g>
      ))}
      {right?.scale.ticks.map((value) => (
        <text
          key={`r${value}`}
          class="tick"
          x={box.right + 8}
          y={box.bottom - right.scale.of(value) * (box.bottom - box.top) + 4}
        >
          {right.tick(value)}
        </text>
      ))}
      {x.scale.ticks.map((value, i) => (
        <g key={`x${value}`}>
          <line class="notch" x1={frame.x(value)} x2={frame.x(value)} y1={box.bottom} y2={box.bottom + 4} />
          {i % every === 0 && (
            <text
              class="tick"
              // The last one may be wider than the margin.
              x={Math.min(frame.x(value), width - (x.tick(value).length * NAME_WIDTH) / 2)}
              y={box.bottom + 17}
              text-anchor="middle"
            >
              {x.tick(value)}
            </text>
          )}
        </g>
      ))}
      <rect class="frame" x={box.left} y={box.top} width={box.right - box.left} height={box.bottom - box.top} />
      {children(frame)}
    </svg>
  );
}
