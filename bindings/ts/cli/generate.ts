/** ropewalk generate */
import { readFile } from "node:fs/promises";
import { type Decoder, type DecoderOptions, type GenerateOptions, load } from "../entries/node.js";
import { type Arguments, type OptionKinds, UsageError } from "./arguments.js";
import type { Command } from "./command.js";
import { about, parseJson } from "./files.js";
import { filesOfModel, MODEL_OPTIONS } from "./model.js";
import { ProgressLine } from "./progress.js";

export async function openDecoder(args: Arguments, model: string): Promise<Decoder> {
  const context = args.count("context");
  const precision = args.choice("precision", ["float32", "int8"]);
  const ropewalk = await load();
  const line = new ProgressLine();
  const options: DecoderOptions = {
    precision,
    ...(context !== undefined && { context }),
    screen: args.flag("screen"),
    onProgress: (loaded, total = loaded) => line.write(`${(loaded / 1e6).toFixed(0)} MB`, loaded, total),
  };
  try {
    return await ropewalk.decoder(filesOfModel(args, model), options);
  } finally {
    line.clear();
  }
}

/** A whole number, 0 included. */
function whole(args: Arguments, name: string): number | undefined {
  const value = args.number(name);
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return value;
  throw new UsageError(`--${name} is ${value}; allowed: a whole number of at least 0`);
}

export function samplingOf(args: Arguments, maxTokens: number): GenerateOptions {
  const stop = args.text("stop");
  const given = {
    maxTokens: whole(args, "max-tokens") ?? maxTokens,
    temperature: args.number("temperature"),
    topK: whole(args, "top-k"),
    topP: args.number("top-p"),
    minP: args.number("min-p"),
    repetitionPenalty: args.number("repetition-penalty"),
    seed: whole(args, "seed"),
    stop: stop === undefined ? undefined : [stop],
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const MOST_TOKENS = 100;

export const SAMPLING_HELP = `\
  --revision R        of a hub's repository: a branch, a tag or a commit; main unless given
  --file NAME         of it that holds the weights; the smallest of 8 bits or more unless given
  --endpoint URL      of the hub, https://huggingface.co unless given
  --cache DIR         where files of the hub are kept; ropewalk/hub in the user's cache folder unless given
  --precision P       float32, or int8 for weights of 8 bits
  --context N         most tokens of prompt and text; the smaller of 2048 and the model's own limit unless given
  --screen            keep a copy of the output matrix by which most of it stays unread: faster with --precision int8 and
                      --temperature 0 or --top-k up to 8; tokens are the same
  --max-tokens N      100 unless given, in a chat 500
  --temperature X     0, the likeliest token each time, unless given
  --top-k N           keep the N likeliest tokens
  --top-p X           keep the likeliest tokens that add up to X
  --min-p X           keep tokens at least X times as likely as the likeliest
  --repetition-penalty X
  --seed N            of the random choices, 0 unless given
  --stop TEXT         end before this text`;

export const SAMPLING_OPTIONS: OptionKinds = {
  context: { type: "string" },
  screen: { type: "boolean" },
  "max-tokens": { type: "string" },
  temperature: { type: "string" },
  "top-k": { type: "string" },
  "top-p": { type: "string" },
  "min-p": { type: "string" },
  "repetition-penalty": { type: "string" },
  seed: { type: "string" },
  stop: { type: "string" },
};

async function formOf(args: Arguments): Promise<GenerateOptions> {
  const [schema, regex] = [args.text("schema"), args.text("regex")];
  return {
    ...(schema !== undefined && { schema: parseJson(schema, await about(schema, readFile(schema, "utf8"))) as object }),
    ...(regex !== undefined && { regex }),
  };
}

export const generate: Command = {
  words: ["MODEL", "PROMPT"],
  summary: "continue a text with a causal decoder",
  help: `\
  MODEL               a folder, the URL of one, a .gguf file, or hub:owner/name
${SAMPLING_HELP}
  --schema FILE       a JSON schema; the text is JSON that it allows
  --regex PATTERN     a regular expression that the whole text matches`,
  options: {
    ...MODEL_OPTIONS,
    ...SAMPLING_OPTIONS,
    schema: { type: "string" },
    regex: { type: "string" },
  },
  async run(args) {
    if (args.text("workers") !== undefined) throw new UsageError("--workers is not for generate");
    const options = { ...samplingOf(args, MOST_TOKENS), ...(await formOf(args)) };
    using model = await openDecoder(args, args.word(0));
    const generation = model.generate(args.word(1), options);
    const tokens = [];
    for await (const token of generation) tokens.push(token);
    const text = tokens.map((token) => token.text).join("");
    return { text: `${text}\n`, json: { text, finishReason: generation.finishReason, tokens } };
  },
};
