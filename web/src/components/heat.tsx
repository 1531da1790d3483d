import { useLayoutEffect, useRef } from "preact/hooks";
import { appearance } from "../theme.js";

/** Stops of the colour ramp, from no attention to all of it; each theme has its own (styles/tokens.css). */
const stops = ["--heat-0", "--heat-1", "--heat-2", "--heat-3", "--heat-4"];
let ramp: { of: number; colours: Uint32Array } | undefined;

/** 256 colours for the square roots 0 to 1 of the weights: weak attention should be seen, too. */
function coloursNow(): Uint32Array {
  if (ramp?.of === appearance.value) return ramp.colours;
  const style = getComputedStyle(document.documentElement);
  const rgb = stops.map((name) => (style.getPropertyValue(name).match(/[\d.]+/g) ?? ["0", "0", "0"]).map(Number));
  const colours = Uint32Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    const mix = (channel: number) =>
      Math.round(rgb[low]![channel]! + (rgb[low + 1]![channel]! - rgb[low]![channel]!) * (at - low));
    return (255 << 24) | (mix(2) << 16) | (mix(1) << 8) | mix(0);
  });
  ramp = { of: appearance.value, colours };
  return colours;
}

/** A square of weights [size, size], one pixel each; the browser scales it without smoothing. */
export function Heat({ weights, size }: { weights: Float32Array | undefined; size: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  // Counts theme changes, which change the colours.
  const seen = appearance.value;
  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context || !weights || weights.length !== size * size) return;
    const colours = coloursNow();
    const image = context.createImageData(size, size);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; i++) pixels[i] = colours[Math.round(Math.sqrt(Math.min(1, weights[i]!)) * 255)]!;
    context.putImageData(image, 0, 0);
  }, [weights, size, seen]);
  return <canvas class="heat" ref={canvas} width={size} height={size} />;
}
