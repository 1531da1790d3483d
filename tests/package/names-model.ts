/**
 * A BERT for token classification, made by hand, that knows five words: each has a class, and layers change nothing. It
 * stands for a published model of names, which is too large for a test.
 */
import type { FileSource } from "ropewalk";
import { checkpointFile, type TensorValues } from "../ts/safetensors-file.js";

const LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"];

/** The class of each token, by its index in `LABELS`. */
const CLASSES: Readonly<Record<string, number>> = { Anna: 1, Be: 2, "##rg": 2, Tom: 1, Riga: 3 };
const OTHERS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "wrote", "to", "from", ".", ",", "'", "s"];
const TOKENS = [...OTHERS, ...Object.keys(CLASSES)];

const [HIDDEN, INNER, POSITIONS] = [8, 8, 64];

const tensor = (name: string, shape: number[], valueAt: (index: number) => number = () => 0): TensorValues => ({
  name,
  shape,
  values: Float32Array.from({ length: shape.reduce((all, each) => all * each, 1) }, (_, i) => valueAt(i)),
});

const linear = (name: string, to: number, from: number) => [
  tensor(`${name}.weight`, [to, from]),
  tensor(`${name}.bias`, [to]),
];
const norm = (name: string) => [tensor(`${name}.weight`, [HIDDEN], () => 1), tensor(`${name}.bias`, [HIDDEN])];

const layer = (name: string): TensorValues[] => [
  ...["query", "key", "value"].flatMap((part) => linear(`${name}.attention.self.${part}`, HIDDEN, HIDDEN)),
  ...linear(`${name}.attention.output.dense`, HIDDEN, HIDDEN),
  ...norm(`${name}.attention.output.LayerNorm`),
  ...linear(`${name}.intermediate.dense`, INNER, HIDDEN),
  ...linear(`${name}.output.dense`, HIDDEN, INNER),
  ...norm(`${name}.output.LayerNorm`),
];

/** Row i of a matrix of `columns` has a 1 where `columnOf(i)` says. */
const oneIn = (columns: number, columnOf: (row: number) => number) => (index: number) =>
  index % columns === columnOf(Math.floor(index / columns)) ? 1 : 0;

export function namesFiles(): [string, FileSource][] {
  const config = {
    architectures: ["BertForTokenClassification"],
    model_type: "bert",
    hidden_act: "gelu",
    hidden_size: HIDDEN,
    id2label: { ...LABELS },
    intermediate_size: INNER,
    layer_norm_eps: 1e-12,
    max_position_embeddings: POSITIONS,
    num_attention_heads: 2,
    num_hidden_layers: 1,
    type_vocab_size: 2,
    vocab_size: TOKENS.length,
  };
  const tensors = [
    tensor(
      "bert.embeddings.word_embeddings.weight",
      [TOKENS.length, HIDDEN],
      oneIn(HIDDEN, (row) => CLASSES[TOKENS[row]!] ?? 0),
    ),
    tensor("bert.embeddings.position_embeddings.weight", [POSITIONS, HIDDEN]),
    tensor("bert.embeddings.token_type_embeddings.weight", [2, HIDDEN]),
    ...norm("bert.embeddings.LayerNorm"),
    ...layer("bert.encoder.layer.0"),
    tensor(
      "classifier.weight",
      [LABELS.length, HIDDEN],
      oneIn(HIDDEN, (row) => row),
    ),
    tensor("classifier.bias", [LABELS.length]),
  ];
  return [
    ["config.json", config],
    ["model.safetensors", checkpointFile(tensors)],
    ["vocab.txt", new TextEncoder().encode(`${TOKENS.join("\n")}\n`)],
    ["tokenizer_config.json", { do_lower_case: false }],
  ];
}
