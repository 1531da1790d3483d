/**
 * Any chat template with a conversation: a text, or an error that names the function. An input is the template, a zero, and
 * messages with their options as JSON.
 */
import { Chat } from "../../../bindings/ts/model/chat/chat.js";
import type { ChatTemplateOptions } from "../../../bindings/ts/model/chat/surface.js";
import { loadTokenizer } from "../../../bindings/ts/model/text/tokenizer.js";
import { answers } from "../../ts/changed-files.js";
import { decoderFiles } from "../../ts/decoder-folder.js";
import { must } from "./input.js";

const tokenizer = await loadTokenizer({
  fn: "decoder",
  argument: "tokenizer.json",
  source: decoderFiles()["tokenizer.json"],
});
const MESSAGES = [
  { role: "system", content: "w1" },
  { role: "user", content: "w2 <s> é" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ function: { name: "f", arguments: { a: [1, 2.5, true, null] } } }],
  },
];

interface Call {
  messages: unknown;
  options: ChatTemplateOptions;
}

function callOf(text: string): Call {
  try {
    const { messages = MESSAGES, ...options } = Object(JSON.parse(text)) as Record<string, unknown>;
    return { messages, options: options as ChatTemplateOptions };
  } catch {
    return { messages: MESSAGES, options: {} };
  }
}

export async function fuzz(bytes: Uint8Array): Promise<void> {
  const [template = "", ...rest] = new TextDecoder().decode(bytes).split("\0");
  const { messages, options } = callOf(rest.join("\0"));
  const chat = new Chat({
    templates: new Map([["default", template]]),
    named: { bos_token: "<s>", eos_token: "</s>" },
  });
  const text = await answers(["renderChat"], () => chat.render("renderChat", messages, options));
  if (text === undefined) return;
  must(typeof text === "string", "a conversation is a text");
  const again = await answers(["renderChat"], () => chat.render("renderChat", messages, options));
  must(/now/.test(template) || again === text, "the same conversation is the same text");
  await answers(["encodeChat"], () => chat.encode("encodeChat", tokenizer, messages, options, false));
  chat.turnEnd(tokenizer);
}
