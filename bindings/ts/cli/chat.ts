/** ropewalk chat */
import { createInterface, type Interface } from "node:readline";
import type { ChatMessage, ChatOptions, Decoder, FinishReason } from "../entries/node.js";
import { type Arguments, textOptions } from "./arguments.js";
import { type Command, harmless } from "./command.js";
import { GENERATE_HELP, GENERATE_OPTIONS, generateOptions, openDecoder } from "./generate.js";

const HELP = `\
/new begins again, /exit or Ctrl-D ends, Ctrl-C ends an answer, the arrow keys bring back what you wrote.
`;

interface Turn {
  text: string;
  tokens: number;
  seconds: number;
  /** Undefined where it was interrupted. */
  finishReason: FinishReason | undefined;
}

/** Lines as they are written, and undefined at the end. */
class Lines {
  readonly #reader: Interface;
  readonly #waiting: string[] = [];
  #take: ((line: string | undefined) => void) | undefined;
  #ended = false;

  constructor(onInterrupt: () => void) {
    this.#reader = createInterface({ input: process.stdin, output: process.stderr, terminal: process.stdin.isTTY });
    this.#reader.on("line", (line) => this.#give(line));
    this.#reader.on("close", () => {
      this.#ended = true;
      this.#give(undefined);
    });
    this.#reader.on("SIGINT", onInterrupt);
  }

  #give(line: string | undefined): void {
    const take = this.#take;
    this.#take = undefined;
    if (take !== undefined) take(line);
    else if (line !== undefined) this.#waiting.push(line);
  }

  next(): Promise<string | undefined> {
    const line = this.#waiting.shift();
    if (line !== undefined || this.#ended) return Promise.resolve(line);
    this.#reader.setPrompt("> ");
    if (process.stdin.isTTY) this.#reader.prompt();
    return new Promise((resolve) => {
      this.#take = resolve;
    });
  }

  close(): void {
    this.#reader.close();
  }
}

/** Writes an answer to `out` as it comes. An interrupt ends it, and what was written counts. */
async function answer(
  model: Decoder,
  messages: readonly ChatMessage[],
  options: ChatOptions & { signal: AbortSignal },
  out: NodeJS.WriteStream,
): Promise<Turn> {
  const turn: Turn = { text: "", tokens: 0, seconds: 0, finishReason: undefined };
  const start = performance.now();
  const generation = model.chat(messages, options);
  try {
    for await (const { text } of generation) {
      turn.text += text;
      turn.tokens++;
      out.write(harmless(text));
    }
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
  turn.seconds = (performance.now() - start) / 1000;
  turn.finishReason = generation.finishReason;
  out.write("\n");
  return turn;
}

async function converse(model: Decoder, options: ChatOptions, args: Arguments): Promise<Turn[]> {
  const system = args.text("system");
  const first: ChatMessage[] = system === undefined ? [] : [{ role: "system", content: system }];
  let messages = [...first];
  let running: AbortController | undefined;
  // Standard output is for the JSON alone.
  const out = args.flag("json") ? process.stderr : process.stdout;
  const turns: Turn[] = [];
  const lines = new Lines(() => (running === undefined ? lines.close() : running.abort()));
  if (process.stdin.isTTY) process.stderr.write(HELP);
  try {
    for (;;) {
      const line = await lines.next();
      if (line === undefined || line.trim() === "/exit") return turns;
      if (line.trim() === "") continue;
      if (line.trim() === "/new") {
        messages = [...first];
        continue;
      }
      messages.push({ role: "user", content: line });
      running = new AbortController();
      const turn = await answer(model, messages, { ...options, signal: running.signal }, out);
      running = undefined;
      messages.push({ role: "assistant", content: turn.text });
      turns.push(turn);
      const rate = turn.seconds > 0 ? turn.tokens / turn.seconds : 0;
      process.stderr.write(`(${turn.tokens} tokens, ${rate.toFixed(1)} a second)\n`);
    }
  } finally {
    lines.close();
  }
}

export const chat: Command = {
  words: ["MODEL"],
  summary: "a conversation with a decoder that has a chat template",
  help: `\
  MODEL               a folder, the URL of one, a .gguf file, or hub:owner/name
  --system TEXT       the message that the conversation begins with
${GENERATE_HELP}`,
  options: { ...GENERATE_OPTIONS, ...textOptions("system") },
  async run(args) {
    const options = await generateOptions(args, 500);
    using model = await openDecoder(args, args.word(0));
    if (!model.chats)
      throw new Error("chat: the files of this model hold no chat template; `ropewalk generate` continues a text");
    using cache = model.cache();
    return { text: "", json: { turns: await converse(model, { ...options, cache }, args) } };
  },
};
