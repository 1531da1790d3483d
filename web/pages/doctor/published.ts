import configurations from "./published.json" with { type: "json" };
import recorded from "./recorded.json" with { type: "json" };
import type { Sign } from "./sign.js";

/** What record.ts found of one configuration. */
export interface Recorded extends Sign {
  readonly name: string;
  readonly line: string;
}

/** The rope's keys in config.json of twenty published models (tests/golden/readers-2), with their verdicts. */
export const published = configurations.map((each, i) => ({
  ...each,
  found: (recorded as readonly Recorded[])[i]!,
  text: JSON.stringify(each.config, null, 2),
}));
