/** ropewalk index */
import { writeFile } from "node:fs/promises";
import { type Encoder, load, type ParallelEncoder } from "../entries/node.js";
import { type Arguments, UsageError } from "./arguments.js";
import type { Command } from "./command.js";
import { about } from "./files.js";
import { MODEL_HELP, MODEL_OPTIONS, openModel } from "./model.js";
import { writeWhole } from "./output.js";
import { ProgressLine } from "./progress.js";
import { type Passage, readSite } from "./site/read-site.js";

const LONGEST = 128;

/** Parts of passages that the model takes whole, with their titles before them. */
function piecesOf(model: Encoder | ParallelEncoder, passages: readonly Passage[], longest: number): Passage[] {
  return passages.flatMap(({ address, title, text }) => {
    const most = Math.max(Math.ceil(longest / 2), longest - model.countTokens(title));
    return model.splitText(text, { maxTokens: most }).map((piece) => ({ address, title, text: piece.text }));
  });
}

const embedded = ({ title, text }: Passage): string => (title === "" ? text : `${title}\n${text}`);

async function indexOf(model: Encoder | ParallelEncoder, pieces: readonly Passage[]): Promise<Uint8Array> {
  const ropewalk = await load();
  using index = await ropewalk.index({ dimensions: model.dimensions, precision: "int8" });
  const line = new ProgressLine();
  // Models that tell queries from documents name both.
  const prompt = "document" in model.prompts ? { prompt: { name: "document" } } : {};
  for await (const vector of model.embedEach(pieces.map(embedded), prompt)) {
    index.add({ id: String(index.size), vector, fields: pieces[index.size]! });
    line.write(`${index.size} of ${pieces.length} pieces`, index.size, pieces.length);
  }
  line.clear();
  return index.save();
}

const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? "" : "s"}`;

function modelOf(args: Arguments): string {
  const model = args.text("model");
  if (model === undefined) throw new UsageError("--model is missing");
  return model;
}

export const siteIndex: Command = {
  words: ["DIR"],
  summary: "a file to search in, from the texts of a folder",
  help: `\
  DIR                 a folder with .html, .md, .txt or .jsonl files; a line of .jsonl has text, address and perhaps title
  --model MODEL       what embeds the texts, and later the queries:
${MODEL_HELP.replace(/^ {2}MODEL {15}/, " ".repeat(22))}
  --out FILE          search.index unless given; await ropewalk.index({ saved }) opens it
  --base URL          before each address, such as /docs/
  --extension EXT     of pages that are made from Markdown; .html unless given, / for a folder each
  --max-tokens N      of a piece, ${LONGEST} unless given, or what the model takes`,
  options: {
    ...MODEL_OPTIONS,
    model: { type: "string" },
    out: { type: "string" },
    base: { type: "string" },
    extension: { type: "string" },
    "max-tokens": { type: "string" },
  },
  async run(args) {
    const [model, file] = [modelOf(args), args.text("out") ?? "search.index"];
    const most = args.count("max-tokens") ?? LONGEST;
    const options = { base: args.text("base") ?? "", extension: args.text("extension") ?? ".html" };
    const { files, passages } = await readSite(args.word(0), options);
    using encoder = await openModel(args, model);
    const pieces = piecesOf(encoder, passages, Math.min(most, encoder.maxTokens));
    const saved = await indexOf(encoder, pieces);
    await writeWhole(file, (path) => about(file, writeFile(path, saved)));
    const { dimensions } = encoder;
    return {
      text: `${file}: ${counted(pieces.length, "piece")} of ${counted(files, "file")}, ${saved.length} bytes\n`,
      json: { file, files, pieces: pieces.length, dimensions, bytes: saved.length },
    };
  },
};
