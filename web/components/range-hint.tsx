import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** How long a refused number stays explained, in ms. */
const SHOWN = 4000;

/** Says for a while which numbers a box takes, after one that it does not: [what is said, say it]. */
export function useRangeHint(min: number | undefined, max: number | undefined): [Signal<string>, () => void] {
  const said = useSignal("");
  useEffect(() => {
    if (!said.value) return;
    const timer = setTimeout(() => {
      said.value = "";
    }, SHOWN);
    return () => clearTimeout(timer);
  }, [said.value]);
  return [
    said,
    () => {
      const from = min === undefined ? "" : `from ${min}`;
      const to = max === undefined ? "" : `to ${max}`;
      said.value = min === undefined && max === undefined ? "a number" : `${from} ${to}`.trim();
    },
  ];
}

/** Stands beside the box, over what is next to it, so that nothing moves. */
export function RangeHint({ said }: { said: Signal<string> }) {
  return (
    <span class="range-hint" role="status">
      {said.value}
    </span>
  );
}
