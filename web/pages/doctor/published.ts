import configurations from "./published.json?url";
import recorded from "./recorded.json?url";
import type { Sign } from "./sign.js";

/** The findings of record.ts about one configuration. */
export interface Recorded extends Sign {
  readonly name: string;
  readonly line: string;
}

interface Configuration {
  readonly name: string;
  readonly title: string;
  readonly config: object;
}
const read = async (address: string) => (await fetch(address)).json();

// The page is drawn with them, so that nothing moves when they come.
const [all, found] = (await Promise.all([configurations, recorded].map(read))) as [Configuration[], Recorded[]];

/** The rope's keys in config.json of twenty published models (tests/golden/readers-2), with their verdicts. */
export const published = all.map((each, i) => ({
  ...each,
  found: found[i]!,
  text: JSON.stringify(each.config, null, 2),
}));
