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
  "pope",
  "rope-plus-plus",
  "clipped-rope",
  "distance-bias",
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
  pope: "Words give magnitudes, positions give angles, and neither changes the other: a word counts as much at every distance, and only the cosine of the distance differs from channel to channel.",
  "rope-plus-plus":
    "Half of the heads are RoPE's. In the other half the query is turned back by a quarter, so that a score is the imaginary part of the same products, which falls more slowly with the distance.",
  "clipped-rope":
    "RoPE whose slow pairs fade to a standstill: those that would not complete a turn within the trained length can carry meaning rather than position.",
  "distance-bias":
    "Each word mixes a bias over the distance for itself from a few learned profiles. Only the difference of the positions counts, and equal words expect their keys at equal distances.",
};
