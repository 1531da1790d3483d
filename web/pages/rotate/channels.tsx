import { channelsOf } from "../../rope/pairs.js";
import { headDim, previewPair, shownPair } from "./model.js";
import { state } from "./state.js";

const said = { interleaved: "interleaved: channels 2j and 2j + 1", half: "half: channels j and j + d/2" };

/** The head as it lies in memory, a cell per channel: which two the chosen pair turns, under either pairing. */
export function Channels() {
  return (
    <div class="channels">
      {(["interleaved", "half"] as const).map((pairing) => (
        <Row key={pairing} pairing={pairing} />
      ))}
    </div>
  );
}

function Row({ pairing }: { pairing: "interleaved" | "half" }) {
  const d = headDim.value;
  const [first, second] = channelsOf(shownPair.value, d, pairing);
  const pairOf = (channel: number) => (pairing === "half" ? channel % (d / 2) : channel >> 1);
  const used = state.pairing.value === pairing;
  return (
    <div data-used={used || undefined}>
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
        {said[pairing]}; pair {shownPair.value} is channels {first} and {second}
        {used ? " (selected)" : ""}
      </p>
    </div>
  );
}
