/** ropewalk explain */
import { textOptions, UsageError } from "./arguments.js";
import type { Command } from "./command.js";
import { CONFIG_HELP, CONFIG_OPTIONS, ropeOfConfig } from "./ropes.js";

/** Types of numbers whose limits explain and check say. */
export const TYPES = ["float32", "float16", "bfloat16"] as const;

export const explain: Command = {
  words: ["config.json"],
  summary: "what a configuration's rule does to which pairs, and why",
  help: `\
  config.json         of Hugging Face, old or new, the folder that holds it, a GGUF file, or its metadata as JSON; - is
                      standard input
${CONFIG_HELP}
  --context N         also say which pairs never complete a turn within N positions
  --type T            and what the frequencies allow there, with angles in T: float32, float16 or bfloat16`,
  options: { ...CONFIG_OPTIONS, ...textOptions("context type") },
  async run(args) {
    const context = args.number("context");
    const { ropewalk, config: _, options, notes, ...beside } = await ropeOfConfig(args, args.word(0));
    using rope = ropewalk.rope(options);
    const type = args.choice("type", TYPES);
    if (type !== undefined && context === undefined) throw new UsageError("--type needs --context");
    const { text: explained, pairs, magnitude, magnitudeSource, limits } = rope.explain({ context, type });
    const text = explained + (limits?.text ?? "") + notes.map((note) => `${note}\n`).join("");
    return { text, json: { options, magnitude, magnitudeSource, pairs, limits, ...beside, notes, text } };
  },
};
