/** ropewalk rank */
import { textOptions } from "./arguments.js";
import { type Command, table } from "./command.js";
import { MODEL_HELP, MODEL_OPTIONS, openModel } from "./model.js";
import { textsOf, truncationWarning } from "./texts.js";

export const rank: Command = {
  words: ["MODEL", "QUERY", "[DOCUMENT]..."],
  summary: "documents by relevance to a query",
  help: `\
${MODEL_HELP}
  QUERY               what is looked for
  DOCUMENT            what is ranked; without any, the lines of standard input
  --top-k N           how many to print, all unless given
  --instruction TEXT  what to look for, in place of that in the model's prompt for queries

A cross-encoder reads query and document together. Other models compare their vectors, of texts, of tokens or of words.`,
  options: { ...MODEL_OPTIONS, ...textOptions("top-k instruction") },
  async run(args) {
    const [topK, instruction] = [args.count("top-k"), args.text("instruction")];
    const documents = await textsOf(args.words().slice(2), "DOCUMENT");
    using model = await openModel(args, args.word(0));
    const cut: number[] = [];
    const ranked = await model.rank(args.word(1), documents, {
      onTruncation: (index) => cut.push(index),
      ...(topK !== undefined && { topK }),
      ...(instruction !== undefined && { instruction }),
    });
    const found = ranked.map(({ index, score }) => ({ index, score, document: documents[index]! }));
    const rows = found.map(({ index, score, document }) => [score.toFixed(4), index + 1, document]);
    return {
      text: table([["score", "number", "document"], ...rows]),
      json: found,
      warning: truncationWarning(cut, model.maxTokens),
    };
  },
};
