/** ropewalk classify */
import { load } from "../entries/node.js";
import { CHECKPOINT_HELP, readCheckpoint } from "./checkpoint.js";
import { type Command, table } from "./command.js";

export const classify: Command = {
  words: ["DIR", "TEXT", "[PAIR]"],
  summary: "the classes of a text or of two, by a checkpoint that was fine-tuned",
  help: `\
${CHECKPOINT_HELP}
  TEXT                what to classify
  PAIR                a second text, where the classes are of pairs`,
  options: {},
  async run(args) {
    const checkpoint = await readCheckpoint(args.word(0));
    const ropewalk = await load();
    using model = await ropewalk.roformer(checkpoint);
    const classes = await model.classify(args.word(1), args.optionalWord(2));
    const rows = classes.map(({ label, score }) => [score.toFixed(4), label]);
    return { text: table([["score", "label"], ...rows]), json: classes };
  },
};
