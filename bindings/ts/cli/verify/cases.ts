/**
 * Numbers of published checkpoints, as the tests of huggingface/transformers (tests/models/*) assert them for float32.
 */

/** One comparison of a part of one output with what is published. */
export interface VerifyCase {
  /** A repository of the hub. */
  checkpoint: string;
  revision?: string;
  /** One of these: ids of a text, texts, or a text with a mask. */
  ids?: number[];
  /** 1 for each id that counts; all unless given. */
  mask?: number[];
  texts?: string[];
  masked?: string;
  output: "logits" | "lastHiddenState" | "fillMask";
  /** First row and column of the part. Default [0, 0]. */
  from?: [row: number, column: number];
  /** Rows and columns for each text. */
  values?: number[][][];
  /** The largest difference. */
  tolerance?: number;
  /** The likeliest words of `fillMask`, in order. */
  words?: string[];
}

export const PUBLISHED: readonly VerifyCase[] = [
  {
    checkpoint: "facebook/esm2_t6_8M_UR50D",
    // They hold <pad> and <eos> within the text, and no mask: every position counts.
    ids: [0, 1, 2, 3, 4, 5],
    output: "logits",
    values: [
      [
        [8.9215, -10.5898, -6.4671],
        [-6.3967, -13.9114, -1.1212],
        [-7.7812, -13.9516, -3.7406],
      ],
    ],
    tolerance: 1e-4,
  },
  {
    checkpoint: "facebook/esm2_t6_8M_UR50D",
    ids: [0, 6, 4, 13, 5, 4, 16, 12, 11, 7, 2],
    output: "lastHiddenState",
    values: [
      [
        [0.1444, 0.5413, 0.3248],
        [0.3034, 0.0053, 0.3108],
        [0.3228, -0.2499, 0.3415],
      ],
    ],
    tolerance: 1e-4,
  },
  {
    checkpoint: "answerdotai/ModernBERT-base",
    texts: ["Hello World!"],
    output: "logits",
    values: [
      [
        [3.8387, -0.2017, 12.2839],
        [3.63, 0.6869, 14.7123],
        [-5.1137, -3.8122, 11.9874],
      ],
    ],
    tolerance: 1e-4,
  },
  {
    checkpoint: "answerdotai/ModernBERT-base",
    texts: ["Hello World!"],
    output: "lastHiddenState",
    values: [
      [
        [0.3151, -0.6417, -0.7027],
        [-0.7834, -1.581, 0.4576],
        [1.0614, -0.7268, -0.0871],
      ],
    ],
    tolerance: 1e-4,
  },
  {
    checkpoint: "answerdotai/ModernBERT-base",
    masked: "the man worked as a [MASK].",
    output: "fillMask",
    words: ["lawyer", "mechanic", "teacher", "doctor", "waiter"],
  },
  {
    checkpoint: "EuroBERT/EuroBERT-210m",
    texts: ["Hello World!"],
    output: "logits",
    values: [
      [
        [2.2926, 2.4539, 1.891],
        [5.9669, 3.8567, 0.0723],
        [2.4965, 2.7193, 1.9904],
      ],
    ],
    tolerance: 1e-4,
  },
  {
    checkpoint: "EuroBERT/EuroBERT-210m",
    texts: ["Hello World!"],
    output: "lastHiddenState",
    values: [
      [
        [1.2437, 1.8956, 50.9435],
        [-4.556, -0.1686, -1.2776],
        [1.6557, 1.9383, 50.1393],
      ],
    ],
    tolerance: 1e-4,
  },
  {
    checkpoint: "nomic-ai/nomic-embed-text-v1.5",
    texts: ["Plants create oxygen.", "Photosynthesis is a process where plants create oxygen."],
    output: "lastHiddenState",
    from: [1, 1],
    values: [
      [
        [1.7039, -4.561, 1.5236],
        [1.8685, -3.6936, 1.6641],
        [0.53303, -4.2081, 2.3375],
      ],
      [
        [0.0026867, -3.7496, 0.9082],
        [0.018297, -3.3884, 0.353],
        [-0.14282, -3.6776, -0.35079],
      ],
    ],
    tolerance: 1e-3,
  },
  {
    checkpoint: "jinaai/jina-embeddings-v3",
    ids: [0, 345, 232, 328, 740, 140, 1695, 69, 6078, 1588, 2],
    mask: [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    output: "lastHiddenState",
    from: [1, 1],
    values: [
      [
        [-2.1561, 1.8075, -0.1943],
        [-2.0813, 1.9855, -0.276],
        [-2.1181, 2.0043, -0.1322],
      ],
    ],
    tolerance: 1e-4,
  },
];
