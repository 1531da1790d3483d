import { appearance } from "../state/theme.js";

/** `heat`: from nothing to all; `signed`: from the lowest through nothing to the highest (styles/tokens.css). */
export type RampName = "heat" | "signed";

const made = new Map<RampName, { of: number; colours: Uint32Array }>();

/** 256 colours as canvases hold them (ABGR), between the five stops that the theme of now has. */
export function ramp(name: RampName): Uint32Array {
  const known = made.get(name);
  if (known?.of === appearance.value) return known.colours;
  const style = getComputedStyle(document.documentElement);
  const stops = Array.from({ length: 5 }, (_, i) =>
    (style.getPropertyValue(`--${name}-${i}`).match(/[\d.]+/g) ?? ["0", "0", "0"]).map(Number),
  );
  const colours = Uint32Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    const mix = (channel: number) =>
      Math.round(stops[low]![channel]! + (stops[low + 1]![channel]! - stops[low]![channel]!) * (at - low));
    return (255 << 24) | (mix(2) << 16) | (mix(1) << 8) | mix(0);
  });
  made.set(name, { of: appearance.value, colours });
  return colours;
}
