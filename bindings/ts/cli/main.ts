#!/usr/bin/env node
/** The command line tool. Exit codes: 0 success, 1 the command failed, 2 usage error, 130 interrupted. */
import { load } from "../entries/node.js";
import { hint } from "../module/errors.js";
import { Arguments, UsageError } from "./arguments.js";
import { chat } from "./chat.js";
import { check } from "./check.js";
import { classify } from "./classify.js";
import { COMMON_OPTIONS, type Command, harmless, Interrupted } from "./command.js";
import { convert } from "./convert.js";
import { decay } from "./decay.js";
import { embed } from "./embed.js";
import { explain } from "./explain.js";
import { reasonOf } from "./files.js";
import { fillMask } from "./fill-mask.js";
import { fineTune } from "./fine-tune.js";
import { generate } from "./generate.js";
import { quantize } from "./quantize.js";
import { rank } from "./rank.js";
import { rotate } from "./rotate.js";
import { siteIndex } from "./site-index.js";
import { table } from "./table.js";
import { verify } from "./verify/verify.js";

const COMMANDS: Record<string, Command> = {
  check,
  explain,
  decay,
  table,
  rotate,
  convert,
  quantize,
  "fill-mask": fillMask,
  "fine-tune": fineTune,
  classify,
  embed,
  rank,
  index: siteIndex,
  generate,
  chat,
  verify,
};

const usageOf = (name: string): string => {
  const { words, summary, help } = COMMANDS[name]!;
  return `ropewalk ${name} ${words.join(" ")} [options]: ${summary}\n\n${help}\n  --json              print JSON\n`;
};

const overview = (): string => {
  const lines = Object.entries(COMMANDS).map(([name, { words, summary }]) => {
    return `  ${`ropewalk ${name} ${words.join(" ")}`.padEnd(52)}${summary}`;
  });
  return `Small transformers and rotary position embeddings (RoPE).\n\n${lines.join("\n")}\n\nEach has --help and --json; ropewalk --version.\n`;
};

function commandOf(name: string): string {
  if (Object.hasOwn(COMMANDS, name)) return name;
  throw new UsageError(`${JSON.stringify(name)} is no command${hint(name, Object.keys(COMMANDS))}`);
}

async function answer(argv: readonly string[]): Promise<string> {
  const [name, ...rest] = argv;
  if (name === "--help" || name === "-h" || name === "help")
    return rest[0] === undefined ? overview() : usageOf(commandOf(rest[0]));
  if (name === "--version" || name === "-v") return `${(await load()).version}\n`;
  if (name === undefined) throw new UsageError(`a command is missing\n\n${overview()}`);
  if (name.startsWith("-")) throw new UsageError(`a command comes before ${name}\n\n${overview()}`);
  const command = COMMANDS[commandOf(name)]!;
  const args = new Arguments(rest, { ...COMMON_OPTIONS, ...command.options }, command.words);
  if (args.flag("help")) return usageOf(name);
  const { text, json, code, warning } = await command.run(args).catch((error: unknown) => {
    throw args.inOptions(error);
  });
  if (code !== undefined) process.exitCode = code;
  if (warning !== undefined) process.stderr.write(`${harmless(warning)}\n`);
  return args.flag("json") ? `${JSON.stringify(json)}\n` : harmless(text);
}

// The reader of a pipe may stop reading: `ropewalk table ... | head` is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`ropewalk: standard output: ${reasonOf(error)}\n`, () => process.exit(1));
});
// Nobody reads messages any more.
process.stderr.on("error", () => {});

/**
 * A compiler of V8 that asks for memory at the end of a process waits for the main thread, and Node 20 waits for the
 * compiler (nodejs/node#54918): a few turns of the event loop let it finish before the process ends.
 */
function end(): void {
  let turns = 0;
  setInterval(() => {
    if (++turns > 20) process.exit();
  }, 2);
}

try {
  process.stdout.write(await answer(process.argv.slice(2)), end);
} catch (error) {
  const command = process.argv[2];
  const isCommand = command !== undefined && Object.hasOwn(COMMANDS, command);
  const message = harmless(error instanceof Error ? error.message : String(error));
  if (error instanceof UsageError) {
    const name = isCommand ? `ropewalk ${command}` : "ropewalk";
    process.stderr.write(`${name}: ${message.trimEnd()}\n`);
    if (command !== undefined) process.stderr.write(`\`${name} --help\` says what is allowed.\n`);
    process.exitCode = 2;
  } else {
    process.stderr.write(`ropewalk: ${message}\n`);
    process.exitCode = error instanceof Interrupted ? 130 : 1;
  }
  process.stderr.write("", end);
}
