import { placeOf } from "../state/place.js";

/**
 * The pages by name, with the titles of their tabs, in the groups and the order of the tabs. Everything else about a page
 * lies in its folder: prose.html, state.ts (what its address restores), panel.tsx (the page itself, by default
 * export), and where it has them examples.json (links of the gallery) and tested.json (what the browser tests look for).
 */
export const groups = {
  "": { story: "The Rope" },
  See: { roformer: "RoFormer", rotate: "Rotate", encodings: "Encodings" },
  Understand: { frequencies: "Frequencies", distance: "Distance", "receptive-field": "Receptive field" },
  Try: { train: "Train", "long-context": "Long context", generate: "Generate", search: "Search", proteins: "Proteins" },
  Use: { doctor: "Doctor", speed: "Speed" },
} as const;

type Groups = typeof groups;
export type PageName = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups];

export const pages = Object.assign({}, ...Object.values(groups)) as Readonly<Record<PageName, string>>;
export const pageNames = Object.keys(pages) as PageName[];

/** Where a page stands, seen from the root of the site. */
export const pathOf = (name: string): string => placeOf(name, pageNames);

/** Pages of old, and where their addresses lead now: to the page, with these fields besides. */
export const former: Readonly<Record<string, (given: URLSearchParams) => string>> = {
  home: (given) => `#story?${given.get("rotation") === "off" ? "scene=2&" : ""}${given}`.replace(/[?&]$/, ""),
};
