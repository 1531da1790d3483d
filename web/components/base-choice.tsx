import type { Signal } from "@preact/signals";
import { Segmented } from "./segmented.js";

export type Base = "100" | "1000" | "10000" | "500000";

/** From pairs that all turn soon to those of a long context. */
export function BaseChoice({ name, value }: { name: string; value: Signal<Base> }) {
  return (
    <Segmented
      legend="base of the frequencies"
      name={name}
      value={value}
      options={[
        ["100", "100"],
        ["1000", "1 000"],
        ["10000", "10 000"],
        ["500000", "500 000"],
      ]}
    />
  );
}
