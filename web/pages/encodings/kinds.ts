/** The encodings that are compared, and what their maps show. */
export const encodingNames = [
  "none",
  "sinusoidal",
  "learned",
  "transformer-xl",
  "t5",
  "alibi",
  "alibi-asymmetric",
  "rope",
] as const;
export type EncodingName = (typeof encodingNames)[number];

interface Kind {
  readonly label: string;
  readonly says: string;
}

export const kinds: Readonly<Record<EncodingName, Kind>> = {
  none: {
    label: "none",
    says: "A bag of words. Equal words score alike wherever they stand: the map is made of copies.",
  },
  sinusoidal: {
    label: "sinusoidal",
    says: "A wave for each place is added to the word. A score depends on both places, not on their distance alone: move everything and it changes.",
  },
  learned: {
    label: "learned rows",
    says: "A row of a table is added to the word. Rows are random until training has met them, each by itself; past the trained length there is none.",
  },
  "transformer-xl": {
    label: "Transformer-XL",
    says: "Waves of the distance meet the query, and a bias, through a matrix of their own. Relative: only the distance counts.",
  },
  t5: {
    label: "T5 bias",
    says: "A learned number for each range of distances is added, whatever the words are. It tells left from right, but no word can say how far to look.",
  },
  alibi: {
    label: "ALiBi",
    says: "Every step of distance costs the same, to the left as to the right. It cannot tell before from after, and does not look at the words.",
  },
  "alibi-asymmetric": {
    label: "ALiBi, asymmetric",
    says: "A step to the right costs half as much as one to the left. Now before and after differ; the words still do not matter.",
  },
  rope: {
    label: "RoPE",
    says: "Query and key are turned by their places. The distance decides how their contents meet: relative, and different for every pair of words.",
  },
};
