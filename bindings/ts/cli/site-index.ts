/** ropewalk index */
import { copyFile, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Encoder, load, type ParallelEncoder } from "../entries/node.js";
import { type Arguments, refusal, textOptions, UsageError } from "./arguments.js";
import type { Command } from "./command.js";
import { about, FileError } from "./files.js";
import { MODEL_HELP, MODEL_OPTIONS, openModel } from "./model.js";
import { checkFile, writeWhole } from "./output.js";
import { ProgressLine } from "./progress.js";
import { encoded, type Passage, readSite } from "./site/read-site.js";

const LONGEST = 128;

/** Parts of passages that the model takes whole, with their titles before them. */
function piecesOf(model: Encoder | ParallelEncoder, passages: readonly Passage[], longest: number): Passage[] {
  return passages.flatMap(({ address, title, text }) => {
    const most = Math.max(Math.ceil(longest / 2), longest - model.countTokens(title));
    return model.splitText(text, { maxTokens: most }).map((piece) => ({ address, title, text: piece.text }));
  });
}

const embedded = ({ title, text }: Passage): string => (title === "" ? text : `${title}\n${text}`);

async function indexOf(
  model: Encoder | ParallelEncoder,
  name: string | undefined,
  pieces: readonly Passage[],
): Promise<Uint8Array<ArrayBuffer>> {
  const ropewalk = await load();
  using index = ropewalk.index({ dimensions: model.dimensions, precision: "int8", model: name });
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

/** The passages themselves, whose words the page indexes when it opens them. */
const wordsOf = (passages: readonly Passage[]): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify({ passages }));

/** Files of the package that a page with the element may ask for: with a model all but those of Node and of other parts. */
const ELEMENT = {
  words: /^(search\.|THIRD-PARTY)/,
  model: /^(?!.*(node|cli|workerd|external|train|decoder|analysis|templates)).*\.(js|txt)$/,
};

async function copyElement(folder: string, files: RegExp): Promise<void> {
  const own = fileURLToPath(new URL(".", import.meta.url));
  const names = (await readdir(own)).filter((name) => files.test(name) && !name.endsWith(".d.ts"));
  await about(folder, mkdir(folder, { recursive: true }));
  for (const name of names) await about(folder, copyFile(join(own, name), join(folder, name)));
}

function modelOf(args: Arguments): string | undefined {
  const model = args.text("model");
  if (!args.flag("words")) {
    if (model === undefined) throw new UsageError("--model is missing; or --words, for an index without one");
    return model;
  }
  for (const name of ["model", "max-tokens", ...Object.keys(MODEL_OPTIONS)])
    if (args.text(name) !== undefined) throw new UsageError(`--${name} is for an index with a model, not for --words`);
  return undefined;
}

/** From the folder of the index to that of the pages, as a part of an address. */
function wayTo(folder: string, file: string): string {
  const way = relative(dirname(file), folder);
  return way === "" ? "" : `${encoded(way.split(sep).join("/"))}/`;
}

export const siteIndex: Command = {
  words: ["DIR"],
  summary: "a file to search in, from the texts of a folder",
  help: `\
  DIR                 a folder with .html, .md, .txt or .jsonl files; a line of .jsonl has text, address and perhaps title
  --model MODEL       what embeds the texts, and later the queries:
${MODEL_HELP.replace(/^ {2}MODEL {15}/, " ".repeat(22))}
  --words             without a model: <ropewalk-search> then finds words alone
  --out FILE          search.index in DIR unless given, or search.json of words alone; <ropewalk-search> opens it, and one
                      with vectors also ropewalk.index({ saved })
  --element FOLDER    where to put search.js, which defines <ropewalk-search>, and what it loads
  --base URL          before each address, such as /docs/; unless given, the way from the folder of FILE to DIR, since
                      addresses count from FILE
  --extension EXT     of pages that are made from Markdown: .html, or / for a folder each; unless given, addresses lead to
                      the .md files themselves, and those that have a page beside them are left out
  --max-tokens N      of a piece, ${LONGEST} unless given, or what the model takes`,
  options: {
    ...MODEL_OPTIONS,
    words: { type: "boolean" },
    ...textOptions("model out element base extension max-tokens"),
  },
  async run(args) {
    const [folder, model, element] = [args.word(0), modelOf(args), args.text("element")];
    const file = args.text("out") ?? join(folder, model === undefined ? "search.json" : "search.index");
    const most = args.count("max-tokens") ?? LONGEST;
    const options = { base: args.text("base") ?? wayTo(folder, file), extension: args.text("extension") };
    const { base, extension = "." } = options;
    if (args.text("base") !== undefined && /\w$/.test(base))
      throw refusal("--base", base, "what ends in a sign, such as /docs/");
    if (/^[^./]/.test(extension)) throw refusal("--extension", extension, "/ or what begins with a dot");
    const { files, passages } = await readSite(folder, options);
    await checkFile(file);
    if (element !== undefined && (await stat(element).catch(() => undefined))?.isDirectory() === false)
      throw new FileError(element, "is a file; allowed: a folder");
    let [pieces, saved, dimensions] = [passages, new Uint8Array(), 0];
    if (model === undefined) saved = wordsOf(passages);
    else {
      using encoder = await openModel(args, model);
      pieces = piecesOf(encoder, passages, Math.min(most, encoder.maxTokens));
      // A folder or an address names no model, and has another name in the page.
      saved = await indexOf(encoder, model.startsWith("hub:") ? model : undefined, pieces);
      dimensions = encoder.dimensions;
    }
    await writeWhole(file, (path) => about(file, writeFile(path, saved)));
    if (element !== undefined) await copyElement(element, model === undefined ? ELEMENT.words : ELEMENT.model);
    const address = pieces[0]?.address;
    const first = address === undefined ? "" : `; the first address is ${address}`;
    return {
      text: `${file}: ${counted(pieces.length, "piece")} of ${counted(files, "file")}, ${saved.length} bytes${first}\n`,
      json: { file, files, pieces: pieces.length, dimensions, bytes: saved.length, address },
    };
  },
};
