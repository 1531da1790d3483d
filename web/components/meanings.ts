/** Words of the field that a newcomer need not know, each explained where a page first uses it. */
export const meanings = {
  KL: "Kullback-Leibler divergence: how far this distribution of the next token is from the other one, in nats. 0 means that both are the same.",
  nats: "The natural unit of information: 1 nat is 1.44 bits. Guessing one of 400 words blindly costs 6 nats.",
  logit: "The model’s raw score of a word. The softmax of all logits gives the probabilities.",
  pair: "Two channels of a head that rotate together, as the coordinates of a point in a plane.",
  ulp: "Unit in the last place: the gap between a float32 number and the next one, here that of the pair’s length. Rounding once costs up to half of it.",
  "attention scaling":
    "A factor on queries and keys, attention_factor in config.json, which YaRN and LongRoPE use. Scores grow by its square.",
} as const;

export type TermName = keyof typeof meanings;
