/** ropewalk classify */
import { type Command, table } from "./command.js";
import { MODEL_HELP, MODEL_OPTIONS, openModel } from "./model.js";

export const classify: Command = {
  words: ["MODEL", "TEXT", "[PAIR]"],
  summary: "the classes of a text or of two, by a checkpoint that was fine-tuned",
  help: `\
${MODEL_HELP}
  TEXT                what to classify
  PAIR                a second text, where the classes are of pairs`,
  options: MODEL_OPTIONS,
  async run(args) {
    const [text, pair] = [args.word(1), args.optionalWord(2)];
    using model = await openModel(args, args.word(0));
    const classes = await model.classify(text, pair);
    const rows = classes.map(({ label, score }) => [score.toFixed(4), label]);
    return { text: table([["score", "label"], ...rows]), json: classes };
  },
};
