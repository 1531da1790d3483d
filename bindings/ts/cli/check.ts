/** ropewalk check */
import {
  type CheckOptions,
  checkRope,
  load,
  parsePrintedNumbers,
  type Reader,
  type RopeReport,
} from "../entries/node.js";
import { type Arguments, textOptions, UsageError } from "./arguments.js";
import { type Command, type Outcome, table } from "./command.js";
import { readConfig } from "./config-file.js";
import { TYPES } from "./explain.js";
import { decodedText, FileError, readText, standardInput } from "./files.js";
import { readNpy } from "./npy.js";
import { ofFile } from "./ropes.js";

const rounded = (value: number): string => String(Number(value.toPrecision(7)));

async function readNumbers(file: string): Promise<number[]> {
  if (file.endsWith(".npy")) return Array.from((await readNpy(file)).data);
  const name = file === "-" ? "standard input" : file;
  const text = file === "-" ? decodedText(name, await standardInput()) : await readText(file);
  try {
    return parsePrintedNumbers(text);
  } catch (error) {
    throw new FileError(name, (error as Error).message.replace(/^.*: `text` /, "its text "), error);
  }
}

function readingsTable({ readings }: RopeReport): string {
  const rows = readings.map((each) => [
    each.reader,
    each.layerType ?? "all",
    each.rule,
    rounded(each.base),
    each.frequencies.length,
    each.pairing,
    rounded(each.magnitude),
  ]);
  return table([["reader", "layers", "rule", "base", "pairs", "pairing", "attention scaling"], ...rows]);
}

function differencesTable({ differences }: RopeReport): string {
  const rows = differences.map((each) => [
    each.a,
    each.b,
    each.layerType ?? "all",
    each.firstPair < 0 ? "none" : each.firstPair,
    rounded(each.turnsAtContext),
    Number.isFinite(each.tokensUntilTenthRadian) ? each.tokensUntilTenthRadian : "never",
  ]);
  return table([["reader", "reader", "layers", "first pair", "turns at context", "0.1 radian from"], ...rows]);
}

function textOfReport(report: RopeReport): string {
  const { verdict, readings, differences, refusals, limits = [] } = report;
  const notes = readings.flatMap(({ reader, layerType, notes }) =>
    notes.map((note) => `${reader}${layerType === undefined ? "" : ` (${layerType})`}: ${note}\n`),
  );
  const parts = [
    `${verdict}\n`,
    readings.length > 0 ? readingsTable(report) : "",
    differences.length > 0 ? differencesTable(report) : "",
    refusals.map(({ reader, message }) => `${reader} refuses: ${message}\n`).join(""),
    limits.map(({ layerType, text }) => (layerType === undefined ? "" : `${layerType}:\n`) + text).join(""),
    notes.join(""),
    [...new Set(readings.map(({ reader, source }) => `${reader} follows ${source}\n`))].join(""),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** Typed arrays as lists; JSON has no Infinity, so that a distance never reached is null. */
const forJson = (report: RopeReport): unknown => ({
  ...report,
  readings: report.readings.map((each) => ({ ...each, frequencies: Array.from(each.frequencies) })),
});

async function rowOf(args: Arguments) {
  const [cos, sin, position] = [args.text("cos"), args.text("sin"), args.number("position")];
  if (cos === undefined && sin === undefined && position === undefined) return {};
  if (cos === undefined || sin === undefined || position === undefined) {
    throw new UsageError("--cos, --sin and --position go together");
  }
  return { row: { cos: await readNumbers(cos), sin: await readNumbers(sin), position } };
}

const READERS_DISAGREE = 3;

function outcomeOf(report: RopeReport, onlyFix: boolean): Outcome {
  const { code, fix } = report;
  if (!onlyFix) return { text: textOfReport(report), json: forJson(report), code };
  if (fix !== undefined) return { text: `${JSON.stringify(fix, null, 2)}\n`, json: fix, code };
  return {
    text: "",
    json: null,
    // A reader that refuses is no reason for the report to fail where the others agree; here nothing was printed.
    code: code || READERS_DISAGREE,
    warning: "No configuration is read alike by all these readers; choose --readers.",
  };
}

/** Several configurations, as pre-commit hands them over: the worst finding is the exit code. */
async function checkEach(args: Arguments, asked: CheckOptions, warn: (text: string) => void): Promise<Outcome> {
  const found: { file: string; report: RopeReport }[] = [];
  for (const file of args.words()) {
    const config = await readConfig(file, warn);
    found.push({ file, report: ofFile(args, file, () => checkRope({ config }, asked)) });
  }
  return {
    text: found.map(({ file, report }) => `${file}\n${textOfReport(report)}`).join("\n"),
    json: found.map(({ file, report }) => ({ file, ...(forJson(report) as object) })),
    code: Math.max(...found.map(({ report }) => report.code)),
  };
}

export const check: Command = {
  words: ["[config.json]..."],
  summary: "how libraries read a configuration's rope, and whether a table follows it",
  help: `\
  config.json         of Hugging Face, the folder that holds it, a GGUF file, or its metadata as JSON; - is standard
                      input. Several files are checked one after the other
  --inv-freq FILE     frequencies of the program under test: a printed inv_freq, a list, or a .npy file
  --cos FILE --sin FILE --position M   a row of its tables at position M
  --readers a,b       the libraries that you deploy to, of: ropewalk, transformers-4, transformers-5, vllm, sglang,
                      mlx-lm, onnxruntime-genai, llama.cpp, remote-gte, remote-nomic, and getattr-legacy, a common
                      mistake; all but the last unless given
  --context N         tokens of the sequence that is compared; max_position_embeddings unless given
  --layer-type T      full_attention, sliding_attention, ...; every type unless given
  --type T            also say what the frequencies allow within the context, and where angles collapse that are
                      computed in T: float32, float16 or bfloat16
  --fix               print a configuration that all these readers read alike, and nothing else

  Exit codes: 0 the readers agree; 3 they do not; 4 the table is not what the configuration says; 5 the table looks
  uninitialised; 6 most readers that have the family refuse the file; 1 a file cannot be read; 2 a usage error.`,
  options: {
    ...textOptions("inv-freq cos sin position readers context layer-type type"),
    fix: { type: "boolean" },
  },
  async run(args) {
    const [files, numbers] = [args.words(), args.text("inv-freq")];
    const [file] = files;
    const readers = args
      .text("readers")
      ?.split(",")
      .map((each) => each.trim()) as Reader[] | undefined;
    const asked: CheckOptions = {
      readers,
      context: args.count("context"),
      layerType: args.text("layer-type"),
      type: args.choice("type", TYPES),
    };
    const warnings: string[] = [];
    const warn = (text: string) => warnings.push(text);
    const warned = (outcome: Outcome): Outcome =>
      warnings.length === 0 ? outcome : { ...outcome, warning: [...warnings, outcome.warning ?? []].flat().join("\n") };
    await load({ analysis: true });
    const row = await rowOf(args);
    const beside = numbers !== undefined || row.row !== undefined;
    if (file === undefined && !beside) throw new UsageError("config.json is missing, or --inv-freq FILE");
    if (files.length > 1) {
      if (beside || args.flag("fix")) throw new UsageError("a table and --fix are for one configuration");
      return warned(await checkEach(args, asked, warn));
    }
    const subject = {
      ...(file === undefined ? {} : { config: await readConfig(file, warn) }),
      ...(numbers === undefined ? {} : { inverseFrequencies: await readNumbers(numbers) }),
      ...row,
    };
    return warned(
      outcomeOf(
        ofFile(args, file, () => checkRope(subject, asked)),
        args.flag("fix"),
      ),
    );
  },
};
