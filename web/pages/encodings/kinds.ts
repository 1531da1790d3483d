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

/** A sentence on the map of each. */
export const explanations: Readonly<Record<EncodingName, string>> = {
  none: "A bag of words. Equal words get equal scores at every position, so the map repeats itself.",
  sinusoidal:
    "A sinusoid of the position is added to the word. A score depends on both positions, not only on their distance: shift all words and it changes.",
  learned:
    "Each position has its own learned vector; untrained ones are random, and beyond the trained length there are none.",
  "transformer-xl":
    "Sinusoids of the signed distance are projected and scored against the query and a learned bias. Only the difference of the positions counts.",
  t5: "A learned number for each range of distances is added to the score. It tells left from right, but the bias is the same for every word.",
  alibi:
    "A penalty grows with the distance, equally to the left and to the right. It cannot tell before from after, and it does not depend on the words; the score still does.",
  "alibi-asymmetric":
    "A step to the right costs half as much as one to the left, so before and after differ. The penalty still does not depend on the words.",
  rope: "Query and key are rotated by their positions. Only the difference of the positions counts, and its effect differs for every pair of words.",
};
