/** ropewalk fill-mask */
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { load } from "../entries/node.js";
import { type Command, table } from "./command.js";
import { about, FileError, parseJson, readConfig } from "./files.js";

async function readTokenizer(folder: string): Promise<object | string> {
  for (const [name, parse] of [
    ["tokenizer.json", parseJson],
    ["vocab.txt", (_: string, text: string) => text],
  ] as const) {
    const path = join(folder, name);
    const there = await access(path).then(
      () => true,
      () => false,
    );
    if (there) return parse(path, await about(path, readFile(path, "utf8")));
  }
  throw new FileError(folder, "holds neither tokenizer.json nor vocab.txt");
}

export const fillMask: Command = {
  words: ["DIR", "TEXT"],
  summary: "the likeliest words for each [MASK], by a RoFormer checkpoint",
  help: `\
  DIR                 a folder with config.json, model.safetensors and tokenizer.json or vocab.txt
  TEXT                a text that holds [MASK]
  --top-k N           how many words for each [MASK], 5 unless given`,
  options: { "top-k": { type: "string" } },
  async run(args) {
    const [folder, text] = [args.word(0), args.word(1)];
    const topK = args.count("top-k") ?? 5;
    const config = await readConfig(folder);
    const tokenizer = await readTokenizer(folder);
    const weights = join(folder, "model.safetensors");
    await about(weights, access(weights));
    const ropewalk = await load();
    using model = await ropewalk.roformer({ config, weights, tokenizer });
    const masks = model.fillMask(text, { topK });
    const rows = masks.flatMap((fillings, mask) =>
      fillings.map(({ score, tokenStr, sequence }) => [mask + 1, score.toFixed(4), tokenStr, sequence]),
    );
    return { text: table([["mask", "score", "word", "text"], ...rows]), json: masks };
  },
};
