import { Segmented } from "../../components/segmented.js";
import { state } from "./state.js";

const ways = {
  axial: "Half of the pairs turn by row, half by column, and each half has the whole range of frequencies (Flux, Wan).",
  interleaved: "Pairs turn by row and by column alternately, and share one range of frequencies (ERNIE 4.5 VL).",
  chunked:
    "One range of frequencies: its fast half turns by row, its slow half by column (Qwen2-VL). The slow half hardly tells eight columns apart.",
  golden:
    "Every pair turns along a direction of its own, the golden section of half a turn after the one before: at 0° by row, at 90° by column.",
  line: "Patches are numbered row by row, like words. One row down is as many positions as a row is long, so distances change with the grid.",
} as const;

/** The card of the settings. */
export function PictureSettings() {
  return (
    <section class="card field-settings" aria-label="Settings">
      <div class="controls">
        <Segmented
          legend="rows and columns share the pairs"
          name="picture-way"
          value={state.way}
          options={(Object.keys(ways) as (keyof typeof ways)[]).map((way) => [
            way,
            way === "line" ? "in one line" : way,
          ])}
          hint={ways[state.way.value]}
        />
        <Segmented
          legend="query"
          name="picture-head"
          value={state.head}
          options={[
            ["trained", "learned"],
            ["alike", "like its key"],
          ]}
        />
      </div>
    </section>
  );
}
