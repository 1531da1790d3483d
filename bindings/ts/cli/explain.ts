/** ropewalk explain */
import type { Command } from "./command.js";
import { CONFIG_HELP, CONFIG_OPTIONS, ropeOfConfig } from "./ropes.js";

export const explain: Command = {
  words: ["config.json"],
  summary: "what a configuration's rule does to which pairs, and why",
  help: `\
  config.json         of Hugging Face, old or new, the folder that holds it, a GGUF file, or its metadata as JSON; - is
                      standard input
${CONFIG_HELP}
  --context N         also say which pairs never complete a turn within N positions`,
  options: { ...CONFIG_OPTIONS, context: { type: "string" } },
  async run(args) {
    const context = args.number("context");
    const { ropewalk, config: _, options, notes, ...beside } = await ropeOfConfig(args, args.word(0));
    using rope = ropewalk.rope(options);
    const { text: explained, pairs, magnitude, magnitudeSource } = rope.explain({ context });
    const text = explained + notes.map((note) => `${note}\n`).join("");
    return { text, json: { options, magnitude, magnitudeSource, pairs, ...beside, notes, text } };
  },
};
