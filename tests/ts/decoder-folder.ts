/** The golden Llama with a tokenizer of made-up words, since it comes without one. */
import { type Decoder, type FileSource, load } from "ropewalk";
import { goldenBytes } from "./golden.js";
import { special } from "./model-folder.js";

export const VOCABULARY = 61;

const madeUp = ["<unk>", "<s>", "</s>", ...Array.from({ length: VOCABULARY - 3 }, (_, i) => `w${i}`)];
const tokenizerOf = (words: readonly string[]) => ({
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: [special("<unk>", 0), special("<s>", 1), special("</s>", 2)],
  normalizer: null,
  pre_tokenizer: { type: "WhitespaceSplit" },
  post_processor: {
    type: "TemplateProcessing",
    single: [{ SpecialToken: { id: "<s>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
    pair: [
      { SpecialToken: { id: "<s>", type_id: 0 } },
      { Sequence: { id: "A", type_id: 0 } },
      { Sequence: { id: "B", type_id: 1 } },
    ],
    special_tokens: { "<s>": { id: "<s>", ids: [1], tokens: ["<s>"] } },
  },
  decoder: null,
  model: { type: "WordLevel", vocab: Object.fromEntries(words.map((word, id) => [word, id])), unk_token: "<unk>" },
});

/** Its files by name, and others beside them. `words` stand in the places of the last made-up ones. */
export function decoderFiles(
  more: Record<string, FileSource> = {},
  words: readonly string[] = [],
): Record<string, FileSource> {
  return {
    "config.json": goldenBytes("decoders/llama/config.json"),
    "model.safetensors": goldenBytes("decoders/llama/model.safetensors"),
    "tokenizer.json": tokenizerOf([...madeUp.slice(0, VOCABULARY - words.length), ...words]),
    ...more,
  };
}

export const openDecoder = async (more?: Record<string, FileSource>, context = 64): Promise<Decoder> =>
  (await load()).decoder(decoderFiles(more), { context });
