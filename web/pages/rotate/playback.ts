import { effect, signal } from "@preact/signals";
import { shownPage } from "../../state/address.js";
import { reducedMotion } from "../../state/theme.js";
import { span } from "./model.js";
import { state } from "./state.js";

export type Playable = "m" | "n" | "shift";
/** The slider that moves by itself. */
export const playing = signal<Playable | undefined>(undefined);

/** Seconds from one end of the range to the other. */
const seconds = 16;

effect(() => {
  const name = playing.value;
  if (!name || reducedMotion.value || shownPage.value !== "rotate") return;
  const position = state[name];
  let last: number | undefined;
  let exact = position.peek();
  let frame = requestAnimationFrame(function advance(now) {
    const elapsed = Math.min(0.1, (now - (last ?? now)) / 1000);
    last = now;
    // A slider moved by hand while playing goes on from there.
    if (Math.abs(position.peek() - exact) > 0.02) exact = position.peek();
    exact += (elapsed * span.peek()) / seconds;
    if (exact > span.peek()) exact = 0;
    position.value = Math.round(exact * 100) / 100;
    frame = requestAnimationFrame(advance);
  });
  return () => cancelAnimationFrame(frame);
});

/** The button's effect for visitors who want no motion: one whole position on. */
export function stepOn(name: Playable): void {
  const position = state[name];
  const next = Math.floor(position.value) + 1;
  position.value = next > span.value ? 0 : next;
}
