/** ropewalk verify */
import { load } from "../../entries/node.js";
import { type Arguments, textOptions, UsageError } from "../arguments.js";
import { type Command, table } from "../command.js";
import { FileError, readText } from "../files.js";
import { filesOfModel, hubFilesOf } from "../model.js";
import { PUBLISHED, type VerifyCase } from "./cases.js";
import { type Comparison, compare, compareGreedy } from "./compare.js";

/** Cases of a file: a JSON array of objects as in cases.ts. */
async function casesIn(file: string): Promise<readonly VerifyCase[]> {
  let cases: unknown;
  try {
    cases = JSON.parse(await readText(file));
  } catch (error) {
    throw error instanceof SyntaxError ? new FileError(file, `not JSON: ${error.message}`, error) : error;
  }
  const isCase = (each: Partial<VerifyCase> | null) =>
    typeof each?.checkpoint === "string" &&
    (each.output === "fillMask"
      ? typeof each.masked === "string" && Array.isArray(each.words)
      : each.output === "greedy"
        ? Array.isArray(each.ids) && Array.isArray(each.tokens)
        : Array.isArray(each.values) &&
          (Array.isArray(each.texts) || (each.output !== "vectors" && Array.isArray(each.ids))));
  if (Array.isArray(cases) && cases.length > 0 && cases.every(isCase)) return cases as VerifyCase[];
  throw new FileError(file, "holds no array of cases with `checkpoint`, `output`, and ids or texts with their values");
}

function chosen(args: Arguments, cases: readonly VerifyCase[]): readonly VerifyCase[] {
  const names = args.words();
  const known = [...new Set(cases.map(({ checkpoint }) => checkpoint))];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`no numbers of ${JSON.stringify(unknown)} are known; allowed: ${known.join(", ")}`);
  return names.length === 0 ? cases : cases.filter(({ checkpoint }) => names.includes(checkpoint));
}

/** The cases of one checkpoint, which is loaded once. */
async function verified(args: Arguments, checkpoint: string, cases: readonly VerifyCase[]): Promise<Comparison[]> {
  const ropewalk = await load();
  const from = args.text("from");
  try {
    const files = from === undefined ? hubFilesOf(args, checkpoint) : filesOfModel(args, from);
    if (cases.some(({ output }) => output === "greedy")) {
      using decoder = await ropewalk.decoder(files);
      return cases.map((one) => compareGreedy(decoder, one));
    }
    using model = await ropewalk.encoder(files);
    const found: Comparison[] = [];
    for (const one of cases) found.push(await compare(model, one));
    return found;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    return cases.map(({ output }) => ({ checkpoint, output, agrees: false, failed: true, found: why }));
  }
}

const rowOf = ({ checkpoint, output, agrees, failed, difference, tolerance, found }: Comparison): string[] => [
  agrees ? "agrees" : failed ? "FAILED" : "DIFFERS",
  checkpoint,
  output,
  found ?? `largest difference ${difference!.toExponential(1)}, allowed ${tolerance}`,
];

export const verify: Command = {
  words: ["[CHECKPOINT]..."],
  summary: "download published checkpoints and compare them with published numbers",
  help: `\
  CHECKPOINT          owner/name; all of the list unless given, the smallest has 31 MB:
                      ${[...new Set(PUBLISHED.map(({ checkpoint }) => checkpoint))].join("\n                      ")}
  --from MODEL        files that you have of the one CHECKPOINT: a folder, a GGUF file, or hub:owner/name
  --cases FILE        other numbers: a JSON array of { checkpoint, output, ids or texts, from, values, tolerance }
  --revision R        a branch, a tag or a commit; main unless given
  --endpoint URL      of the hub, https://huggingface.co unless given
  --cache DIR         where files are kept; ropewalk/hub in the user's cache folder unless given

The numbers are those of the tests of huggingface/transformers, and for sentence-transformers and Gemma those of
docs/published.md. The exit code is 1 where one differs or cannot be compared.`,
  options: textOptions("cases from revision endpoint cache"),
  async run(args) {
    const file = args.text("cases");
    const cases = chosen(args, file === undefined ? PUBLISHED : await casesIn(file));
    if (args.text("from") !== undefined && new Set(cases.map(({ checkpoint }) => checkpoint)).size !== 1)
      throw new UsageError("--from is for one CHECKPOINT, whose name stands beside it");
    const found: Comparison[] = [];
    for (const checkpoint of new Set(cases.map((one) => one.checkpoint))) {
      if (process.stderr.isTTY) process.stderr.write(`${checkpoint} ...\n`);
      const own = cases.filter((one) => one.checkpoint === checkpoint);
      found.push(...(await verified(args, checkpoint, own)));
    }
    return {
      text: table([["", "checkpoint", "output", "found"], ...found.map(rowOf)]),
      json: found,
      code: found.every(({ agrees }) => agrees) ? 0 : 1,
    };
  },
};
