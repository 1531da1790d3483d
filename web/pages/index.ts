import { placeOf } from "../state/place.js";

/**
 * The five tabs, and the pages of each by name, with their titles, in the order of the header. A tab with one page is that
 * page; Docs also has the documentation, which is no page of the playground. Everything else about a page lies in its folder: prose.html, state.ts (what its address restores), panel.tsx (the page itself, by default
 * export), and where it has them examples.json (links of the gallery) and tested.json (what the browser tests look for).
 */
export const groups = {
  Story: { story: "The Rope" },
  Lab: {
    rotate: "Rotate",
    encodings: "Encodings",
    frequencies: "Frequencies",
    distance: "Distance",
    "receptive-field": "Receptive field",
    train: "Train",
    "long-context": "Long context",
  },
  Models: { roformer: "RoFormer", generate: "Generate", search: "Search", proteins: "Proteins" },
  Doctor: { doctor: "Doctor" },
  Docs: { speed: "Speed" },
} as const;

/** Where the documentation begins, seen from the root of the site. */
export const documentation = "./docs/index.html";

type Groups = typeof groups;
export type PageName = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups];

export const pages = Object.assign({}, ...Object.values(groups)) as Readonly<Record<PageName, string>>;
export const pageNames = Object.keys(pages) as PageName[];

/** The tab that a page belongs to. */
export const groupOf = (name: string): string => Object.entries(groups).find(([, names]) => name in names)![0];

/** Where a page stands, seen from the root of the site. */
export const pathOf = (name: string): string => placeOf(name, pageNames);

/** Pages of old, and where their addresses lead now: to the page, with these fields besides. */
export const former: Readonly<Record<string, (given: URLSearchParams) => string>> = {
  home: (given) => `#story?${given.get("rotation") === "off" ? "scene=2&" : ""}${given}`.replace(/[?&]$/, ""),
};
