/** Words that are shown for a mask, the most probable first. */
export const topK = 8;
