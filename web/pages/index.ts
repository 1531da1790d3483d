/**
 * The rooms in the order of their tabs, and the tabs' names. A room is its name here, its prose in
 * web/pages/<room>/prose.html, its fields in state.ts and its panel in panels.ts.
 */
export const rooms = {
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

export type Room = keyof typeof rooms;
export const roomNames = Object.keys(rooms) as Room[];
/** The room of an address without one. */
export const firstRoom: Room = "roformer";
