import { Legend } from "../../components/legend.js";

/** Weak attention should be seen, too: colours stand at the square root of their weight. */
export const weightShare = Math.sqrt;

const ticks = [0.05, 0.25, 0.5].map((weight) => [weightShare(weight), String(weight).slice(1)] as const);

export function WeightLegend() {
  return <Legend least="0" most="1" ticks={ticks} />;
}
