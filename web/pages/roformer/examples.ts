/** Sentences whose missing word only the order of the others tells: most come in pairs of the same words, swapped. */
export interface Example {
  readonly why: string;
  readonly texts: readonly string[];
}

export const examples: readonly Example[] = [
  {
    why: "Who has it now? Swap giver and receiver",
    texts: [
      "the captain gave the rope to the sailor . now the [MASK] has the rope .",
      "the sailor gave the rope to the captain . now the [MASK] has the rope .",
    ],
  },
  {
    why: "One or many? The verb agrees with its subject, not with the nearest noun",
    texts: ["the kings who the girl saw [MASK] tired .", "the king who the girls saw [MASK] tired ."],
  },
  {
    why: "Who did it? With “asked”, the person asked; with “promised”, the one who promised",
    texts: [
      "the captain asked the sailor to wash the cup . who washed it ? the [MASK] .",
      "the captain promised the sailor to wash the cup . who washed it ? the [MASK] .",
    ],
  },
  { why: "The object follows the verb", texts: ["the captain gave the [MASK] to the sailor"] },
];
