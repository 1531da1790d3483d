import { state } from "../state.js";
import { headDim, previewPair, scene, shownPair } from "./model.js";
import { channelsOf } from "./turns.js";

/** The head as it lies in memory, a cell per channel: which two the chosen pair turns, under either pairing. */
export function Channels() {
  const d = headDim.value;
  const pairing = state.rotate.pairing.value;
  const [first, second] = channelsOf(shownPair.value, d, pairing);
  const pairOf = (channel: number) => (pairing === "half" ? channel % (d / 2) : channel >> 1);
  return (
    <div class="channels">
      <svg viewBox={`0 0 ${d * 10} 30`} preserveAspectRatio="none" aria-hidden="true">
        {Array.from({ length: d }, (_, channel) => (
          <rect
            key={channel}
            x={channel * 10 + 1}
            y={14}
            width={8}
            height={14}
            class={channel === first || channel === second ? "chosen" : "channel"}
            onPointerEnter={() => {
              previewPair.value = pairOf(channel);
            }}
            onPointerLeave={() => {
              previewPair.value = undefined;
            }}
          />
        ))}
        <path class="link" d={`M${first * 10 + 5} 13V5H${second * 10 + 5}V13`} />
      </svg>
      <p class="hint">
        {d} channels in memory: pair {scene.value ? shownPair.value : 0} is channels {first} and {second}
      </p>
    </div>
  );
}
