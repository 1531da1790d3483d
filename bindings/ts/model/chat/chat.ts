/** Conversations of one model: its templates, rendered and encoded. */
import { failure, optionsObject } from "../../module/errors.js";
import { jsonOf } from "../options.js";
import { refuse } from "../refuse.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { Hider } from "./hidden.js";
import type { TemplateRaised } from "./jinja/refused.js";
import { compile, type Template } from "./jinja/template.js";
import type { ChatMessage, ChatTemplateOptions } from "./surface.js";
import type { Templates } from "./templates.js";

/** Loads this code, which only models with a template need. */
export type LoadTemplates = () => Promise<typeof Chat>;

export interface ChatParts {
  templates: Templates;
  /** bos_token, eos_token and others by their names. */
  named: Readonly<Record<string, string>>;
}

/** As Transformers marks the end of the message that the model continues; templates may trim the space. */
const MARK = "CONTINUE_FINAL_MESSAGE_TAG ";

interface Plan {
  messages: readonly ChatMessage[];
  tools: readonly object[] | null;
  documents: readonly object[] | null;
  variables: Readonly<Record<string, unknown>>;
  template: string;
  addGenerationPrompt: boolean;
  continueFinalMessage: boolean;
}

function listOf<T extends object>(fn: string, name: string, value: unknown): readonly T[] {
  if (!Array.isArray(value)) throw refuse.type(fn, name, value, "an array of objects");
  for (const [i, each] of value.entries())
    if (typeof each !== "object" || each === null || Array.isArray(each))
      throw refuse.type(fn, `${name}[${i}]`, each, "an object");
  return value as T[];
}

function messagesOf(fn: string, value: unknown): ChatMessage[] {
  return listOf<ChatMessage>(fn, "messages", value).map((message, i) => {
    if (typeof message.role !== "string") throw refuse.type(fn, `messages[${i}].role`, message.role, "a text");
    return message.content === null ? { ...message, content: "" } : message;
  });
}

const flag = (fn: string, name: string, value: unknown): boolean => {
  if (typeof value === "boolean") return value;
  throw refuse.type(fn, name, value, "true or false");
};

/** The last message with the mark behind its text, and that text. */
function marked(fn: string, messages: readonly ChatMessage[]): { messages: ChatMessage[]; text: string } {
  const last = messages.at(-1);
  const no = () => refuse.range(fn, "continueFinalMessage", true, "messages of which the last has a text");
  if (last === undefined) throw no();
  if (typeof last.content === "string")
    return { messages: [...messages.slice(0, -1), { ...last, content: last.content + MARK }], text: last.content };
  if (!Array.isArray(last.content)) throw no();
  const parts = [...(last.content as { type: string; text?: unknown }[])];
  // A part may be null, whatever its type says.
  const at = parts.map((part) => typeof (part as { text?: unknown } | null)?.text === "string").lastIndexOf(true);
  if (at < 0) throw no();
  const text = parts[at]!.text as string;
  parts[at] = { ...parts[at]!, text: text + MARK };
  return { messages: [...messages.slice(0, -1), { ...last, content: parts }], text };
}

/** The text as far as the mark, less the space that a template trimmed. */
function untilMark(fn: string, rendered: string, text: string): string {
  const at = rendered.lastIndexOf(MARK.trim());
  if (at < 0 || !rendered.includes(text.trim()))
    throw refuse.range(fn, "continueFinalMessage", true, "a last message that the template writes as it is");
  const before = rendered.slice(0, at);
  return rendered.startsWith(MARK, at) ? before : before.trimEnd();
}

export class Chat {
  readonly #parts: ChatParts;
  readonly #compiled = new Map<string, Template>();

  constructor(parts: ChatParts) {
    this.#parts = parts;
  }

  /** The text of eos_token, if it has one. */
  get eos(): string | undefined {
    return this.#parts.named.eos_token;
  }

  #plan(fn: string, messages: unknown, options: ChatTemplateOptions): Plan {
    const { continueFinalMessage: continues = false, tools, documents, variables = {} } = options;
    const continueFinalMessage = flag(fn, "continueFinalMessage", continues);
    const { addGenerationPrompt: adds = !continueFinalMessage } = options;
    const addGenerationPrompt = flag(fn, "addGenerationPrompt", adds);
    if (continueFinalMessage && addGenerationPrompt)
      throw refuse.range(fn, "addGenerationPrompt", true, "false with `continueFinalMessage`");
    const plan = {
      messages: messagesOf(fn, messages),
      tools: tools === undefined ? null : listOf(fn, "tools", tools),
      documents: documents === undefined ? null : listOf(fn, "documents", documents),
      variables: optionsObject(fn, "variables", variables),
      addGenerationPrompt,
      continueFinalMessage,
    };
    return { ...plan, template: this.#nameOf(fn, options.template, plan.tools !== null) };
  }

  #nameOf(fn: string, name: unknown, hasTools: boolean): string {
    const { templates } = this.#parts;
    const usual = hasTools && templates.has("tool_use") ? "tool_use" : "default";
    const chosen = name === undefined ? usual : name;
    if (typeof chosen !== "string") throw refuse.type(fn, "template", name, "a text");
    if (templates.has(chosen)) return chosen;
    throw refuse.range(fn, "template", chosen, [...templates.keys()].map((each) => `"${each}"`).join(", "));
  }

  #write(fn: string, plan: Plan): string {
    const { messages, tools, documents, variables, template, addGenerationPrompt } = plan;
    try {
      let compiled = this.#compiled.get(template);
      if (compiled === undefined) {
        compiled = compile(this.#parts.templates.get(template)!);
        this.#compiled.set(template, compiled);
      }
      const own = { messages, tools, documents, add_generation_prompt: addGenerationPrompt };
      return compiled.render({ ...this.#parts.named, ...own, ...variables });
    } catch (error) {
      throw reworded(fn, template, error);
    }
  }

  #render(fn: string, plan: Plan): string {
    if (!plan.continueFinalMessage) return this.#write(fn, plan);
    const { messages, text } = marked(fn, plan.messages);
    return untilMark(fn, this.#write(fn, { ...plan, messages }), text);
  }

  render(fn: string, messages: unknown, options: ChatTemplateOptions): string {
    return this.#render(fn, this.#plan(fn, messages, options));
  }

  /** Ids of the text; text of messages, tools and documents stays text unless it is trusted. */
  encode(
    fn: string,
    tokenizer: Tokenizer,
    messages: unknown,
    options: ChatTemplateOptions,
    trusted: boolean,
  ): number[] {
    const plan = this.#plan(fn, messages, options);
    const whole = () => this.#plain(fn, tokenizer, this.#render(fn, plan));
    if (trusted || tokenizer.special.length === 0) return whole();
    const { messages: said, tools, documents } = plan;
    // Their texts joined say which characters for private use are free.
    const hider = new Hider(tokenizer.special, jsonOf(fn, "messages", [said, tools, documents]));
    const [hiddenMessages, hiddenTools, hiddenDocuments] = hider.within([said, tools, documents] as const);
    if (!hider.hides) return whole();
    const hidden = { ...plan, messages: hiddenMessages, tools: hiddenTools, documents: hiddenDocuments };
    return tokenizer.encodeBetween(fn, this.#render(fn, hidden), (text) => hider.shown(text));
  }

  #plain(fn: string, tokenizer: Tokenizer, text: string): number[] {
    if (text === "") return [];
    const { encoded, first } = tokenizer.encode(fn, text);
    return encoded.inputIds.slice(...first);
  }

  /** The special token with which the template ends an answer, where it does. */
  turnEnd(tokenizer: Tokenizer): number | undefined {
    const said = "ANSWER";
    try {
      const text = this.render(
        "",
        [
          { role: "user", content: "Q" },
          { role: "assistant", content: said },
        ],
        {
          addGenerationPrompt: false,
        },
      );
      const rest = text.slice(text.lastIndexOf(said) + said.length).trimStart();
      const token = [...tokenizer.special].sort((a, b) => b.length - a.length).find((each) => rest.startsWith(each));
      return token === undefined ? undefined : tokenizer.idOf(token);
    } catch {
      // A template that takes no such conversation says nothing.
      return undefined;
    }
  }
}

function reworded(fn: string, template: string, error: unknown): Error {
  const said = error instanceof Error ? error.message : String(error);
  if ((error as Partial<TemplateRaised>).raised === true)
    return failure(
      "range",
      fn,
      `the chat template refuses \`messages\`: ${said}`,
      { argument: "messages" },
      { cause: error },
    );
  const why = `the chat template "${template}" cannot be rendered: ${said}`;
  return failure("unsupported", fn, why, { argument: "chat_template" }, { cause: error });
}
