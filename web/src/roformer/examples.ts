/** Sentences whose missing word only the order of the others tells: most come in pairs of the same words, swapped. */
export interface Example {
  readonly why: string;
  readonly texts: readonly string[];
}

export const examples: readonly Example[] = [
  { why: "What is given stands after the verb", texts: ["the captain gave the [MASK] to the sailor"] },
  {
    why: "Who has it now? Swap giver and receiver",
    texts: [
      "the captain gave the rope to the sailor . now the [MASK] has the rope .",
      "the sailor gave the rope to the captain . now the [MASK] has the rope .",
    ],
  },
  {
    why: "One or many? The verb’s own subject tells, not its neighbour",
    texts: ["the kings who the girl saw [MASK] tired .", "the king who the girls saw [MASK] tired ."],
  },
  {
    why: "He or she: whoever received",
    texts: [
      "the queen lent the ring to the king . then [MASK] thanked her .",
      "the king lent the ring to the queen . then [MASK] thanked him .",
    ],
  },
];
