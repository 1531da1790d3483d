/** Ropes of a model in words. */
import { optionsFromJson } from "../module/options.js";
import type { RopeOptions } from "../rope/rope.js";
import type { LayerRope } from "./text/encoder-base.js";

/** As cpp/src/model/facts.hpp writes it. */
export interface RopeFacts {
  options: object;
  layers: number[];
  window: number | null;
}

/** "base 10000, factor 4": numbers and words of a rule; a list by its length. */
function parametersOf(rule: object): string {
  const parts = Object.entries(rule).flatMap(([name, value]) => {
    if (name === "type" || value === undefined) return [];
    const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return [Array.isArray(value) ? `${value.length} ${words}` : `${words} ${value}`];
  });
  return parts.join(", ");
}

function sentence({ headDim, rotaryDim = headDim, pairing = "half", frequencies }: RopeOptions): string {
  const { type = "default", ...rule } = (frequencies ?? {}) as { type?: string };
  const channels =
    pairing === "interleaved" ? "pair j is channels 2j and 2j + 1" : `pair j is channels j and j + ${rotaryDim / 2}`;
  const formula = type === "default" ? `theta_j = base^(-2j/${rotaryDim})` : `the rule "${type}"`;
  const parameters = parametersOf(rule);
  return (
    `${rotaryDim} of ${headDim} channels of each head rotate, and ${channels}. ` +
    `Frequencies follow ${formula}${parameters === "" ? "" : ` with ${parameters}`}.`
  );
}

/** How far a token sees. */
function reachOf(window: number | null, causal: boolean): string {
  if (causal) return window === null ? "A token sees those before it." : `A token sees the last ${window} positions.`;
  return window === null ? "Every token sees every token." : `A token sees those at most ${window} positions away.`;
}

export function layerRopes(ropes: readonly RopeFacts[], causal: boolean): LayerRope[] {
  return ropes.map(({ options, layers, window }) => {
    const reach = reachOf(window, causal);
    const rope = optionsFromJson<RopeOptions>(JSON.stringify(options));
    return { layers, window, explain: `${sentence(rope)} ${reach}` };
  });
}
