/**
 * The pages by name, with the titles of their tabs, in the order of the tabs. Everything else about a page lies in its
 * folder: prose.html, state.ts (what its address restores), panel.tsx (the page itself, by default export), and
 * where it has them examples.json (links of the gallery) and tested.json (what the browser tests look for).
 */
export const pages = {
  roformer: "RoFormer",
  rotate: "Rotate",
  frequencies: "Frequencies",
  distance: "Distance",
  "receptive-field": "Receptive field",
  encodings: "Encodings",
  train: "Train",
  "long-context": "Long context",
  speed: "Speed",
} as const;

export type PageName = keyof typeof pages;
export const pageNames = Object.keys(pages) as PageName[];
