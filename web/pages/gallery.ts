import type { Room } from "./index.js";

interface Shown {
  readonly room: Room;
  /** Without `#room?`. */
  readonly fields: Readonly<Record<string, string>>;
  readonly title: string;
  /** What to see there, in one sentence. */
  readonly sentence: string;
}

const qwen = {
  hidden_size: 3584,
  num_attention_heads: 28,
  rope_theta: 1e6,
  rope_scaling: { type: "yarn", factor: 4, original_max_position_embeddings: 32768 },
};

/** Links to what is worth seeing first, room by room; a test opens each. */
const gallery: readonly Shown[] = [
  {
    room: "roformer",
    fields: { layer: "2", from: "12", to: "8" },
    title: "Who has the rope now?",
    sentence: "One head of the third layer looks from the hidden word straight back to the receiver.",
  },
  {
    room: "roformer",
    fields: { rotation: "off", layer: "2" },
    title: "The same model without rotation",
    sentence: "A bag of words: whoever gave and whoever got, the answer is the same.",
  },
  {
    room: "rotate",
    fields: { m: "20", n: "4", shift: "41" },
    title: "Every arrow turned, the score unmoved",
    sentence: "Query and key are shifted by 41 positions, and their product stays where it was.",
  },
  {
    room: "rotate",
    fields: { d: "8", base: "100", vectors: "ones", span: "256", m: "182", n: "0" },
    title: "Far away looks near",
    sentence: "With four fast pairs, all nearly complete whole turns at distance 182: 0.79 of the score comes back.",
  },
  {
    room: "frequencies",
    fields: { context: "131072", pair: "35" },
    title: "What Llama 3.1 changed",
    sentence: "The slow pairs are divided by 8, the fast ones are kept, and a few are blended between.",
  },
  {
    room: "frequencies",
    fields: { config: JSON.stringify(qwen, null, 2) },
    title: "YaRN, read from a config.json",
    sentence: "A context of 32 768 stretched four times, explained pair by pair.",
  },
  {
    room: "distance",
    fields: { at: "116.5" },
    title: "A bound that rises",
    sentence: "RoFormer’s decay bound goes up on 115 of its first 256 steps.",
  },
  {
    room: "distance",
    fields: { vectors: "random", seed: "7" },
    title: "No distance is special",
    sentence: "A query and a key that have nothing in common keep none of the decay.",
  },
  {
    room: "receptive-field",
    fields: { alpha: "0.95", rho: "1", at: "64" },
    title: "One number makes a head look far",
    sentence: "At distance 64 equal vectors score 0.43 under plain RoPE, and 0.78 here.",
  },
  {
    room: "encodings",
    fields: { encoding: "alibi", view: "mirrored" },
    title: "It cannot tell left from right",
    sentence: "Mirror the words: the map of symmetric ALiBi stays, that of RoPE does not.",
  },
  {
    room: "encodings",
    fields: { words: new Array(16).fill("rope").join(" ") },
    title: "One word, sixteen times",
    sentence: "With nothing to tell words apart, what is left in each map is the position encoding alone.",
  },
  {
    room: "train",
    fields: { encodings: "rope,alibi", seeds: "1", steps: "400" },
    title: "What cannot be learned",
    sentence:
      "Start the race: RoPE learns which letter comes first; a symmetric ALiBi stays at a guess, by construction.",
  },
  {
    room: "train",
    fields: { encodings: "rope-receptive-field", seeds: "1", task: "copy" },
    title: "Where alpha and rho go",
    sentence: "Every head learns how far it looks: both of its numbers are drawn while it trains.",
  },
  {
    room: "long-context",
    fields: { rule: "ntk" },
    title: "The right rule, for one length",
    sentence: "Trained on 24 letters, NTK also reads 96, where every other rule fails; at 48 and 192 it fails, too.",
  },
  {
    room: "long-context",
    fields: { task: "copy", rule: "linear" },
    title: "A cure worse than the disease",
    sentence: "Near neighbours are found at twice the length, until position interpolation moves them closer together.",
  },
];

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

/** A link and a sentence each, in the page before any script. */
export function galleryItems(): string[] {
  return gallery.map(({ room, fields, title, sentence }) => {
    const address = `#${room}?${new URLSearchParams(fields)}`;
    return `<li><a href="${escaped(address)}">${escaped(title)}</a> <span>${escaped(sentence)}</span></li>`;
  });
}
