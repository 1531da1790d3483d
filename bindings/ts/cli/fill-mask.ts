/** ropewalk fill-mask */
import { load } from "../entries/node.js";
import { CHECKPOINT_HELP, readCheckpoint } from "./checkpoint.js";
import { type Command, table } from "./command.js";

export const fillMask: Command = {
  words: ["DIR", "TEXT"],
  summary: "the likeliest words for each [MASK], by a RoFormer checkpoint",
  help: `\
${CHECKPOINT_HELP}
  TEXT                a text that holds [MASK]
  --top-k N           how many words for each [MASK], 5 unless given`,
  options: { "top-k": { type: "string" } },
  async run(args) {
    const [folder, text] = [args.word(0), args.word(1)];
    const topK = args.count("top-k") ?? 5;
    const checkpoint = await readCheckpoint(folder);
    const ropewalk = await load();
    using model = await ropewalk.roformer(checkpoint);
    const masks = await model.fillMask(text, { topK });
    const rows = masks.flatMap((fillings, mask) =>
      fillings.map(({ score, tokenStr, sequence }) => [mask + 1, score.toFixed(4), tokenStr, sequence]),
    );
    return { text: table([["mask", "score", "word", "text"], ...rows]), json: masks };
  },
};
