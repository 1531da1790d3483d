import { Heat } from "./heat.js";
import type { RampName } from "./ramp.js";

interface Props {
  readonly colours?: RampName;
  readonly least: string;
  readonly most: string;
  /** Places on the ramp, 0 to 1, and their labels. */
  readonly ticks?: ReadonlyArray<readonly [at: number, name: string]>;
}

const all = Float32Array.from({ length: 256 }, (_, i) => i / 255);
const itself = (share: number) => share;

/** Explains the colours of a heat map. */
export function Legend({ colours = "heat", least, most, ticks = [] }: Props) {
  return (
    <div class="legend" aria-hidden="true">
      <span>{least}</span>
      <span class="legend-ramp">
        <Heat values={all} rows={1} columns={256} colours={colours} share={itself} />
        {ticks.map(([at, name]) => (
          <i key={at} style={{ "--left": `${at * 100}%` }}>
            {name}
          </i>
        ))}
      </span>
      <span>{most}</span>
    </div>
  );
}
