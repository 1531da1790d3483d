import type { Light as Colour } from "./sign.js";

const drawn = { green: "M4.5 8.2 7 10.7l4.6-5", amber: "M8 4v5M8 11v1.2", red: "M5 5l6 6M11 5l-6 6" } as const;

/** A traffic light that does not need its colour: a tick, an exclamation mark or a cross. */
export function Light({ of }: { of: Colour }) {
  return (
    <svg class={`light ${of}`} viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="8" />
      <path d={drawn[of]} />
    </svg>
  );
}
