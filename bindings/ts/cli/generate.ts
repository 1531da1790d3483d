/** ropewalk generate */
import { type Decoder, type DecoderOptions, type GenerateOptions, load } from "../entries/node.js";
import { PRECISIONS } from "../module/numbers.js";
import { type Arguments, type OptionKinds, refusal, textOptions, UsageError } from "./arguments.js";
import { type Command, harmless } from "./command.js";
import { parseJson, readText } from "./files.js";
import { filesOfModel, WEIGHTS_HELP, WEIGHTS_OPTIONS } from "./model.js";
import { ProgressLine } from "./progress.js";
import { wholeInput } from "./texts.js";

export async function openDecoder(args: Arguments, model: string): Promise<Decoder> {
  const context = args.count("context");
  const precision = args.choice("precision", PRECISIONS);
  const ropewalk = await load();
  const line = new ProgressLine();
  const options: DecoderOptions = {
    precision,
    ...(context !== undefined && { context }),
    screen: args.flag("screen"),
    onProgress: (loaded, total = loaded) => line.write(`${(loaded / 1e6).toFixed(0)} MB`, loaded, total),
  };
  try {
    const decoder = await ropewalk.decoder(filesOfModel(args, model), options);
    const screenless = decoder.notes.find((note) => options.screen && note.startsWith("`screen`"));
    if (screenless !== undefined) process.stderr.write(`ropewalk: ${screenless}\n`);
    return decoder;
  } finally {
    line.clear();
  }
}

/** As the package has these ranges; checked here as well, before a model is loaded. */
function within(args: Arguments, name: string, most: number, least: "from 0" | "above 0"): number | undefined {
  const value = args.number(name);
  if (value === undefined || (value <= most && (value > 0 || (value === 0 && least === "from 0")))) return value;
  throw refusal(`--${name}`, value, `a number ${least}, up to ${most}`);
}

export async function generateOptions(args: Arguments, maxTokens: number): Promise<GenerateOptions> {
  const schema = args.text("schema");
  const given = {
    maxTokens: args.whole("max-tokens") ?? maxTokens,
    temperature: within(args, "temperature", 1e6, "from 0"),
    topK: args.whole("top-k"),
    topP: within(args, "top-p", 1, "above 0"),
    minP: within(args, "min-p", 1, "from 0"),
    repetitionPenalty: within(args, "repetition-penalty", 1e6, "above 0"),
    repetitionWindow: args.whole("repetition-window"),
    seed: args.whole("seed"),
    stop: args.texts("stop"),
    schema: schema === undefined ? undefined : parseJson(schema, await readText(schema)),
    regex: args.text("regex"),
  };
  if (given.schema !== undefined && given.regex !== undefined)
    throw new UsageError("--schema and --regex exclude each other");
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const MOST_TOKENS = 100;

export const GENERATE_HELP = `\
${WEIGHTS_HELP}
  --context N         most tokens of prompt and text; the smaller of 2048 and the model's own limit unless given
  --screen            faster, for more memory: with --precision int8, and --temperature 0 or --top-k up to 8
  --max-tokens N      100 unless given, in a chat 500
  --temperature X     0, the likeliest token each time, unless given
  --top-k N           keep the N likeliest tokens
  --top-p X           keep the likeliest tokens that add up to X
  --min-p X           keep tokens at least X times as likely as the likeliest
  --repetition-penalty X  above 1 makes tokens less likely that stand among the last ones; 1 unless given
  --repetition-window N   how many of the last ones, 64 unless given
  --seed N            of the random choices, 0 unless given
  --stop TEXT         end before this text; may be repeated
  --schema FILE       a JSON schema; the text is JSON that it allows
  --regex PATTERN     a regular expression that the whole text matches`;

export const GENERATE_OPTIONS: OptionKinds = {
  ...WEIGHTS_OPTIONS,
  ...textOptions("context max-tokens temperature top-k top-p min-p repetition-penalty repetition-window seed"),
  ...textOptions("schema regex"),
  screen: { type: "boolean" },
  stop: { type: "string", multiple: true },
};

export const generate: Command = {
  words: ["MODEL", "[PROMPT]"],
  summary: "continue a text with a causal decoder",
  help: `\
  MODEL               a folder, the URL of one, a .gguf file, or hub:owner/name
  PROMPT              the text to continue; without it, standard input
${GENERATE_HELP}`,
  options: GENERATE_OPTIONS,
  async run(args) {
    const options = await generateOptions(args, MOST_TOKENS);
    const prompt = args.optionalWord(1) ?? (await wholeInput("PROMPT"));
    using model = await openDecoder(args, args.word(0));
    const generation = model.generate(prompt, options);
    const tokens = [];
    for await (const token of generation) {
      tokens.push(token);
      if (!args.flag("json")) process.stdout.write(harmless(token.text));
    }
    const text = tokens.map((token) => token.text).join("");
    const { finishReason, usage } = generation;
    const isCut = (options.schema ?? options.regex) !== undefined && finishReason !== "eos" && finishReason !== "stop";
    return {
      text: "\n",
      json: { text, finishReason, usage, tokens },
      ...(isCut && {
        warning: `ropewalk: the text ended too early (${finishReason}): allow more --max-tokens or --context`,
      }),
    };
  },
};
