import type { TargetedPointerEvent } from "preact";
import type { Pair } from "../../rope/pairs.js";
import { fixed } from "../../text/format.js";
import { heldScale, unturned } from "./model.js";
import { withMoved } from "./moved.js";
import { state } from "./state.js";

/** Channels of one pair stay within this. */
const most = 2;
const within = (value: number) => Math.max(-most, Math.min(most, value));

function move(of: "q" | "k", pair: Pair, turned: readonly [number, number]): void {
  const [a, b] = unturned(of, pair.index, turned);
  state.moved.value = withMoved(state.moved.value, { of, pair: pair.index, to: [within(a), within(b)] });
}

/** The tips of the two turned arrows, to be dragged, or moved by the arrow keys. */
export function Handles({ pair, scale }: { pair: Pair; scale: number }) {
  const drag = (of: "q" | "k") => (event: TargetedPointerEvent<HTMLButtonElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.parentElement!.getBoundingClientRect();
    const unit = box.width / 200;
    const x = (event.clientX - box.left) / unit - 100;
    const y = 100 - (event.clientY - box.top) / unit;
    // No farther than the rim of the dial.
    const shorten = Math.min(1, 92 / Math.hypot(x, y)) / scale;
    move(of, pair, [x * shorten, y * shorten]);
  };
  const handle = (of: "q" | "k", turned: readonly [number, number]) => {
    const step = 4 / scale;
    const keys: Record<string, readonly [number, number]> = {
      ArrowRight: [step, 0],
      ArrowLeft: [-step, 0],
      ArrowUp: [0, step],
      ArrowDown: [0, -step],
    };
    const name = of === "q" ? "query" : "key";
    return (
      <button
        type="button"
        class={`handle ${of}`}
        aria-label={`Tip of the ${name}: ${fixed(turned[0], 3)}, ${fixed(turned[1], 3)}; arrow keys move it`}
        style={{ left: `${(turned[0] * scale + 100) / 2}%`, top: `${(100 - turned[1] * scale) / 2}%` }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          // The dial keeps its measure while an arrow is drawn out.
          heldScale.value = scale;
        }}
        onPointerMove={drag(of)}
        onLostPointerCapture={() => {
          heldScale.value = undefined;
        }}
        onKeyDown={(event) => {
          const by = keys[event.key];
          if (!by) return;
          event.preventDefault();
          move(of, pair, [turned[0] + by[0], turned[1] + by[1]]);
        }}
      />
    );
  };
  return (
    <>
      {handle("k", pair.kTurned)}
      {handle("q", pair.qTurned)}
    </>
  );
}
