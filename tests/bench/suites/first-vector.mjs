// From import to the first vector, each time in a fresh process or page.
import { measureGroup } from "../harness/group.mjs";
import { ALIKE, cosineOf } from "../models/engines.mjs";
import { MODELS } from "../models/shapes.mjs";

const WEIGHTS = "model.safetensors";
const ENGINES = [
  {
    key: "ropewalk-float32",
    label: "ropewalk, float32",
    request: { engine: "ropewalk", file: `minilm/${WEIGHTS}`, precision: "float32" },
  },
  {
    key: "ropewalk-int8",
    label: "ropewalk, int8 from the float32 file",
    request: { engine: "ropewalk", file: `minilm/${WEIGHTS}`, precision: "int8" },
  },
  {
    key: "ropewalk-int8-file",
    label: "ropewalk, int8 from a file in int8",
    request: { engine: "ropewalk", file: `minilm-int8/${WEIGHTS}`, precision: "int8" },
  },
  {
    key: "ort-q8",
    label: "onnxruntime-web, q8 as transformers.js has it",
    request: { engine: "onnxruntime", file: "minilm/int8-exported.onnx" },
  },
];

/** `ask(request)` resolves to { took, vector, code, weights }, bytes of code and weights. */
export function firstVectorGroup(host, ask, { quick, timing }) {
  const first = {};
  const rounds = quick ? 3 : 7;
  const where = host.name === "node" ? "processes of Node" : "pages";
  return measureGroup({
    suite: "models",
    host: host.name,
    key: "first-vector",
    title: `${MODELS.minilm.title}, from import to the first vector of 16 tokens, fresh ${where}`,
    makers: ENGINES.map(({ key, label, request }) => ({
      key,
      label,
      make: async () => {
        const { vector, code, weights } = await ask(request);
        first.vector ??= vector;
        const cosine = cosineOf(first.vector, vector);
        if (!(cosine >= ALIKE.int8)) throw new Error(`its vector is wrong: its cosine to the first is ${cosine}`);
        return {
          // However often it is asked, a process can start only once.
          sample: async (iterations) => (await ask(request)).took * iterations,
          took: Number.POSITIVE_INFINITY,
          cosine,
          code,
          weights,
        };
      },
    })),
    timing: { ...timing, rounds, atLeast: rounds },
  });
}
