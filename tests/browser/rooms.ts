import { type Room, roomNames } from "../../web/pages/index.js";

/** What the tests that walk through every room have to know of each. */
interface Walked {
  /** In the room once its figures are drawn; a plain CSS selector, since two drivers use it. */
  readonly drawn: string;
  /** The address of the pictures in docs/screenshots: the room in a state worth looking at. */
  readonly pictured: string;
  /** A button that begins what is to be seen in the picture. */
  readonly pressed?: string;
  /** The same in little: a button, and what is there once it has done its work. */
  readonly tried?: { readonly press: string; readonly until: string };
  /** What is there once all that takes seconds has been computed: a picture waits for it. */
  readonly settled?: string;
}

const yarn = {
  hidden_size: 3584,
  num_attention_heads: 28,
  rope_theta: 1e6,
  rope_scaling: { type: "yarn", factor: 4, original_max_position_embeddings: 32768 },
};

export const walked: Record<Room, Walked> = {
  roformer: { drawn: ".fill li, .fills-empty:not([data-waiting])", pictured: "#roformer?layer=2&from=12&to=8" },
  rotate: { drawn: ".dial", pictured: "#rotate?shift=5" },
  frequencies: {
    drawn: ".frequencies-explained section",
    pictured: `#frequencies?${new URLSearchParams({ config: JSON.stringify(yarn, null, 2) })}`,
  },
  distance: { drawn: ".line", pictured: "#distance?at=116.5" },
  "receptive-field": { drawn: ".line.strong", pictured: "#receptive-field?at=40" },
  encodings: { drawn: ".line.chosen", pictured: "#encodings" },
  train: {
    drawn: ".plot",
    pictured: "#train?encodings=rope,learned,alibi,rope-receptive-field&steps=400",
    pressed: "Start",
    tried: { press: "Step", until: ".race-line .median[d*=L]" },
    settled: ".train[data-finished]",
  },
  "long-context": { drawn: ".plot", pictured: "#long-context", settled: ".long-context[data-finished]" },
  speed: { drawn: ".bar.ropewalk", pictured: "#speed", settled: ".speed[data-finished]" },
};

/** The same for the whole page. */
export const drawnIn = (room: Room) =>
  walked[room].drawn
    .split(", ")
    .map((part) => `#${room}-room ${part}`)
    .join(", ");

export { type Room, roomNames };
