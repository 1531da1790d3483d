// Files that are made of the facts about families: `facts.jsonl`, which ropewalk_families writes, `models.json`, whose shapes are
// those of published models, and `measured.json`, which `npm run families` writes.
import { readFileSync } from "node:fs";
import { table } from "../markdown.mjs";

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const readJson = (name) => JSON.parse(read(name));

/** Facts that C++ has about each family. */
export const familyFacts = () =>
  read("facts.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
/** Published models of each family, by its name. */
export const familyModels = () => readJson("models.json").models;
/** { machine, date, families }: what was measured of each. */
export const measuredFamilies = () => readJson("measured.json");

/** Decoders that embed texts are read from GGUF files where tensors stand as a checkpoint has them: llama.cpp reorders Llama's. */
const isRead = ({ runs, gguf }) => gguf !== null && (runs === "encoder" || gguf.architecture === "qwen3");

/** In the order of the alphabet: what families have in common stands alike in all of them, which packs better. */
const sorted = (of) => Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1)));

/** bindings/ts/model/gguf/forms.ts: how llama.cpp's converter writes encoders. */
export function ggufForms() {
  const forms = familyFacts()
    .filter(isRead)
    .map(({ type, runs, gguf: { architecture, names, keys, switches, texts, groups } }) => [
      architecture,
      {
        modelType: type,
        names: sorted(names),
        keys,
        ...(Object.keys(switches).length > 0 && { switches }),
        ...(Object.keys(texts).length > 0 && { texts }),
        // Every decoder may have fewer heads of keys.
        ...((groups || runs === "both") && { groups: true }),
      },
    ]);
  return `// Made by \`npm run generate\` from the families in cpp/src/model/families. Do not edit.

import type { GgufForm } from "./form.js";

/** By \`general.architecture\`. */
export const FORMS: Readonly<Record<string, GgufForm>> = ${JSON.stringify(Object.fromEntries(forms))};
`;
}

const GIVES = {
  masked_lm: "words",
  sequence_classification: "classes or relevance",
  token_classification: "token classes",
  span: "answers",
  contact: "contacts",
};

function givesOf({ runs, heads }) {
  const own = heads.flatMap((head) => GIVES[head] ?? []);
  return [
    ...(runs === "encoder" ? ["vectors"] : ["text"]),
    ...(runs === "both" ? ["vectors", "relevance"] : []),
    ...own,
  ].join(", ");
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(0);
const milliseconds = (time) => (time === null ? "not measured" : time.toFixed(time < 10 ? 1 : 0));

function rowOf(row, models, measured) {
  const { family, type, gguf, trains } = row;
  if (models[family] === undefined) throw new Error(`tools/families/models.json lacks ${family}`);
  if (measured[family] === undefined) throw new Error(`${family} is not measured: npm run families -- ${family}`);
  const { models: more, smallest, gguf: other, refused = "" } = models[family];
  const { parameters, float32, int8, milliseconds: time } = measured[family];
  return [
    `\`${type}\``,
    [smallest, ...more].join(", "),
    `${givesOf(row)}${trains ? "; can be trained" : ""}`,
    gguf === null ? (other ?? "no") : `\`${gguf.architecture}\``,
    (parameters / 1e6).toFixed(parameters < 1e8 ? 1 : 0),
    `${megabytes(float32)}, ${megabytes(int8)}`,
    milliseconds(time),
    refused,
  ];
}

const HEAD = [
  ...["`model_type`", "published models, the smallest first", "gives", "GGUF", "million parameters"],
  ...["MB of memory, float32 and 8 bits", "ms in 8 bits", "refused"],
];

/** Families of which `ropewalk verify` knows no checkpoint. */
function unverified(models) {
  const cases = readFileSync(new URL("../../bindings/ts/cli/verify/cases.ts", import.meta.url), "utf8");
  const known = [...cases.matchAll(/checkpoint: "([^"]+)"/g)].map(([, name]) => name);
  const named = Object.values(models).flatMap(({ smallest, models: more }) => [smallest, ...more]);
  const stray = known.find((name) => !named.includes(name));
  if (stray !== undefined) throw new Error(`tools/families/models.json names no ${stray}`);
  return Object.entries(models)
    .filter(([, { smallest, models: more }]) => ![smallest, ...more].some((name) => known.includes(name)))
    .map(([family]) => `\`${family}\``)
    .join(", ");
}

/** The part of docs/model-types.md about the families that are read. */
export function familiesSection() {
  const facts = familyFacts();
  const models = familyModels();
  const { machine, date, families: measured } = measuredFamilies();
  const tableOf = (kind) => {
    const own = facts.filter(({ runs }) => runs === kind);
    return table(
      HEAD,
      own.map((row) => rowOf(row, models, measured)),
      "llllrrrl",
    );
  };
  return `## ${facts.length} families of models that are read

A family is a \`model_type\` of config.json and a way to read it; where two rows have the same, the file tells which one it is.
All of them are read from safetensors. The column *gives* lists the answers that models of the family may give, and \`gives\` of a
model those of its own files. The column *GGUF* names the \`general.architecture\` that is read from such files as well.

Memory and time are those of the first model's shape with random weights and without a head for classes or words. Memory is
what the weights take after loading a file in bfloat16. From a file in float32 the word vectors of an encoder take twice as much:
MiniLM then takes 90 MB in float32. Time is that of the processor, in native code on one thread and in 8 bits, the least of
some runs: for 128 tokens of an encoder, and for one token of a decoder whose cache holds 64. It is not measured where the
weights take more than 4 GiB. \`npm run families\` measures all of them again. These figures are from ${date} and this machine:
${machine}.

### Encoders

${tableOf("encoder")}

### Decoders that embed and rank as well

Last-token pooling makes the vectors, where the model's files ask for it ([causal models](encoders.md#causal-models)).

${tableOf("both")}

### Decoders

${tableOf("decoder")}

Types that are not in these tables are refused by name. So are mixtures of experts (other than Nomic Embed v2's), and models with
an encoder and a decoder, such as T5. Of models that read images or sounds the text model alone is read, where a row says so.

### Published numbers

[\`ropewalk verify\`](encoders.md#check-a-published-checkpoint) compares a checkpoint with published numbers of float32. For
some families none are known: nobody publishes any, or they were computed in bfloat16, or the only checkpoint with numbers is
too large for WebAssembly. Tests compare these with values in float64 on small checkpoints, which their classes in Transformers
computed, or a reference that shares no code with the library. By their names in \`cpp/src/model/families\` they are
${unverified(models)}.
`;
}
