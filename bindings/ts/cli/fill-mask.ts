/** ropewalk fill-mask */
import { textOptions } from "./arguments.js";
import { type Command, table } from "./command.js";
import { MODEL_HELP, MODEL_OPTIONS, openModel } from "./model.js";

export const fillMask: Command = {
  words: ["MODEL", "TEXT"],
  summary: "the likeliest words for each [MASK], by a masked language model",
  help: `\
${MODEL_HELP}
  TEXT                a text that holds [MASK]
  --top-k N           how many words for each [MASK], 5 unless given`,
  options: { ...MODEL_OPTIONS, ...textOptions("top-k") },
  async run(args) {
    const text = args.word(1);
    const topK = args.count("top-k") ?? 5;
    using model = await openModel(args, args.word(0));
    const masks = await model.fillMask(text, { topK });
    const rows = masks.flatMap((fillings, mask) =>
      fillings.map(({ score, tokenStr, sequence }) => [mask + 1, score.toFixed(4), tokenStr, sequence]),
    );
    return { text: table([["mask", "score", "word", "text"], ...rows]), json: masks };
  },
};
