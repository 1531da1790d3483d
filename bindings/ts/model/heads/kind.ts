/** Models of causal families: embedders and rerankers, or language models. */
import type { Json } from "../files/read.js";
import type { NamedBytes } from "../files/sentence-files.js";
import { refuse } from "../refuse.js";
import type { Form } from "./surface.js";

/** True if modules.json takes the vector of the last token. */
function takesLast(sentence: readonly NamedBytes[]): boolean {
  const file = sentence.find(({ name }) => name.endsWith("/config.json"));
  const pooling = file === undefined ? {} : (JSON.parse(new TextDecoder().decode(file.bytes)) as Json);
  return pooling.pooling_mode_lasttoken === true || pooling.pooling_mode === "lasttoken";
}

/**
 * Refuses a model of a causal family that is no embedder: it is one if its class is a base model's, or if modules.json says what
 * becomes of the hidden states of a class that predicts words, as Qwen3-Embedding's does.
 */
export function checkKind(fn: string, config: Json, sentence: readonly NamedBytes[], form: Form | undefined): void {
  const { model_type: type, architectures, use_bidirectional_attention: seesAll } = config;
  if (seesAll === true) return;
  // Classes of the family alone: "Gemma3TextModel" of "gemma3_text", but not "BertModel".
  const [begin] = String(type).split("_");
  const isOwn = (name: unknown): name is string => typeof name === "string" && name.toLowerCase().startsWith(begin!);
  const classes = Array.isArray(architectures) ? architectures.filter(isOwn) : [];
  const hasModules = sentence.length > 0;
  if (type === "gemma3_text" && hasModules && form === undefined && !takesLast(sentence)) {
    // EmbeddingGemma whose switch is lost gives vectors all the same, of another model.
    const allowed = "true, as in EmbeddingGemma: the vector of a causal model is that of its last token";
    throw refuse.range(fn, "use_bidirectional_attention", seesAll, allowed);
  }
  if (classes.length > 0 && (hasModules || classes.every((name) => name.endsWith("Model")))) return;
  const allowed =
    'a model of vectors: `architectures` of its family with modules.json, or a base class such as "Qwen3Model"';
  throw refuse.unsupported(fn, "model_type", type, allowed);
}
