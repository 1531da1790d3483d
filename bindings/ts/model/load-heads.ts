/** Heads, ranking and zero-shot classes, in a file of their own: dist/heads.js. */
export const loadHeads = () => import("./heads.js");
