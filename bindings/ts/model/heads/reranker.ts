/**
 * Causal rerankers: the module LogitScore of sentence-transformers, whose score is the logit of one word less that of
 * another, behind the last token of a query and a document that a chat template has written.
 */
import type { Chat } from "../chat/chat.js";
import { namedTokens, readTemplates } from "../chat/templates.js";
import type { FileSet } from "../files/model-files.js";
import { type Json, readJson } from "../files/read.js";
import type { NamedBytes } from "../files/sentence-files.js";
import { loadTemplates } from "../load-templates.js";
import { refuse } from "../refuse.js";
import type { Encoded } from "../text/encoded.js";
import type { Tokenizer } from "../text/tokenizer.js";
import type { PairTemplate } from "./host.js";
import type { Form } from "./surface.js";

/** An object among the files of sentence-transformers; empty where there is none. */
function objectIn(sentence: readonly NamedBytes[], name: string): Json {
  const file = sentence.find((each) => each.name.endsWith(name));
  return file === undefined ? {} : (JSON.parse(new TextDecoder().decode(file.bytes)) as Json);
}

/** Members of `sentence_transformers` in config.json, from which C++ reads the score. */
export async function readScore(
  fn: string,
  files: FileSet,
  { modules }: Form,
  sentence: readonly NamedBytes[],
): Promise<object> {
  const { path } = modules[1]!;
  const name = path === "" ? "config.json" : `${path}/config.json`;
  const { true_token_id: yes, false_token_id: no, module_input_name: read } = (await readJson(fn, files, name)) ?? {};
  if (!Number.isInteger(yes)) throw refuse.malformed(fn, name, "has no whole number `true_token_id`");
  if (read !== undefined && read !== "causal_logits")
    throw refuse.unsupported(fn, "module_input_name", read, '"causal_logits"');
  const { activation_fn } = objectIn(sentence, "config_sentence_transformers.json");
  return { true_token_id: yes, false_token_id: no, ...(activation_fn != null && { activation_fn }) };
}

interface TemplateOptions {
  addGenerationPrompt: boolean;
  variables: Json;
  /** Contents are lists of parts, rather than texts. */
  structured: boolean;
}

class ChatPairs implements PairTemplate {
  readonly #chat: Chat;
  readonly #options: TemplateOptions;

  constructor(chat: Chat, options: TemplateOptions) {
    this.#chat = chat;
    this.#options = options;
  }

  #ids(fn: string, tokenizer: Tokenizer, instruction: string, query: string, document: string): number[] {
    const { structured, addGenerationPrompt, variables } = this.#options;
    const said = (role: string, text: string) => ({ role, content: structured ? [{ type: "text", text }] : text });
    const messages = [said("query", query), said("document", document)];
    if (instruction !== "") messages.unshift(said("system", instruction));
    return this.#chat.encode(fn, tokenizer, messages, { addGenerationPrompt, variables }, false);
  }

  /** Tokens at the end that are the template's, whatever the texts are. */
  #tail(fn: string, tokenizer: Tokenizer, instruction: string): number[] {
    const [one, other] = ["0", "1 2 3 4"].map((text) => this.#ids(fn, tokenizer, instruction, text, text));
    let count = 0;
    while (count < one!.length && one!.at(-1 - count) === other!.at(-1 - count)) count++;
    if (count === one!.length)
      throw refuse.lacking(fn, 'the chat template writes no messages of the roles "query" and "document"');
    return one!.slice(one!.length - count);
  }

  framer(fn: string, tokenizer: Tokenizer, instruction: string, most: number) {
    const tail = this.#tail(fn, tokenizer, instruction);
    return (query: string, document: string): { encoded: Encoded; tokens: number } => {
      const ids = this.#ids(fn, tokenizer, instruction, query, document);
      // A text that is cut keeps the end of the template, behind whose last token the model answers.
      const cut = ids.length > most ? [...ids.slice(0, Math.max(0, most - tail.length)), ...tail.slice(-most)] : ids;
      const encoded = {
        inputIds: cut,
        tokenTypeIds: cut.map(() => 0),
        attentionMask: cut.map(() => 1),
        tokens: [],
      };
      return { encoded, tokens: ids.length };
    };
  }
}

/** Undefined where there is no template: pairs are then framed as those of other cross-encoders. */
export async function readPairTemplate(
  fn: string,
  files: FileSet,
  folder: string,
  sentence: readonly NamedBytes[],
  tokenizerConfig: Json,
): Promise<PairTemplate | undefined> {
  const within: FileSet = { ...files, open: (name) => files.open(folder + name) };
  const templates = await readTemplates(fn, within, tokenizerConfig);
  if (templates.size === 0) return undefined;
  const chat = new (await loadTemplates())({ templates, named: namedTokens(tokenizerConfig) });
  const { processing_kwargs: kwargs, modality_config: modes } = objectIn(sentence, "sentence_bert_config.json") as {
    processing_kwargs?: { chat_template?: Json };
    modality_config?: { message?: { format?: unknown } };
  };
  const { add_generation_prompt: adds = false, restore_suffix: _, ...variables } = kwargs?.chat_template ?? {};
  return new ChatPairs(chat, {
    addGenerationPrompt: adds === true,
    variables,
    structured: modes?.message?.format === "structured",
  });
}
