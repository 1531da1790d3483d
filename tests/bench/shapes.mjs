// The shapes of the contract, [batch, sequence, heads, head dimension], and the products and models.

/** `resident` says what holds x: a cache of a few megabytes (A, C, D on this table's machines), or memory. */
export const ROTATIONS = {
  A: { shape: [1, 128, 12, 64], resident: "cache" },
  B: { shape: [1, 2048, 32, 128], resident: "memory" },
  C: { shape: [1, 1, 32, 128], resident: "cache" },
  D: { shape: [8, 512, 12, 64], resident: "cache" },
};

export const PAIRINGS = ["half", "interleaved"];

/** [m, k, n] of C (m,n) = A (m,k) B (k,n). */
export const PRODUCTS = {
  "128x256x256": [128, 256, 256],
  "128x256x1024": [128, 256, 1024],
  "512x512x512": [512, 512, 512],
  "1x256x1024": [1, 256, 1024],
};

export const ENCODER = { hidden: 256, heads: 4, layers: 4, intermediate: 1024, vocabulary: 512 };
export const LENGTHS = [32, 128, 512];

export const elementsOf = (shape) => shape.reduce((product, each) => product * each, 1);
export const shapeText = (shape) => `[${shape.join(",")}]`;
