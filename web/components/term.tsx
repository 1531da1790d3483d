const meanings = {
  KL: "Kullback-Leibler divergence: how far this distribution of the next token is from the other one, in nats. 0 means that both are the same.",
  nats: "The natural unit of information: 1 nat is 1.44 bits. Guessing one of 400 words blindly costs 6 nats.",
  logit: "The model’s raw score of a word. The softmax of all logits gives the probabilities.",
  "attention scaling":
    "A factor on queries and keys, attention_factor in config.json, which YaRN and LongRoPE use. Scores grow by its square.",
} as const;

/** A word of the field, which says what it means when it is pointed at. */
export function Term({ name }: { name: keyof typeof meanings }) {
  return (
    <abbr class="term" title={meanings[name]}>
      {name}
    </abbr>
  );
}
