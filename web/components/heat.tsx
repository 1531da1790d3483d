import { useLayoutEffect, useRef } from "preact/hooks";
import { appearance } from "../state/theme.js";
import { type RampName, ramp } from "./ramp.js";

interface Props {
  /** [rows, columns] */
  readonly values: ArrayLike<number> | undefined;
  readonly rows: number;
  readonly columns: number;
  readonly colours?: RampName;
  /** Place of a value on the ramp, 0 to 1; beyond either end, it has that end's colour. */
  readonly share: (value: number) => number;
}

/** A pixel for every value, up to 512 x 512 and beyond; the browser scales them without smoothing. */
export function Heat({ values, rows, columns, colours = "heat", share }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  // Counts theme changes, which change the colours.
  const seen = appearance.value;
  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !values || values.length !== rows * columns || values.length === 0) return;
    const palette = ramp(colours);
    const image = context.createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; i++) {
      pixels[i] = palette[Math.round(Math.max(0, Math.min(1, share(values[i]!))) * 255)]!;
    }
    context.putImageData(image, 0, 0);
  }, [values, rows, columns, colours, share, seen]);
  return <canvas class="heat" data-ramp={colours} ref={canvas} width={columns} height={rows} />;
}
