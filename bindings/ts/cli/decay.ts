/** ropewalk decay */
import { load } from "../entries/node.js";
import { rangeOf, textOptions } from "./arguments.js";
import { type Command, table } from "./command.js";
import { CONFIG_HELP, CONFIG_OPTIONS, NUMBER_OPTIONS, refuseNumbers, ropeOfConfig, ropeOfNumbers } from "./ropes.js";

export const decay: Command = {
  words: ["[config.json]"],
  summary: "how scores fall with distance (RoFormer, section 3.4.3)",
  help: `\
  config.json         as for explain; or instead of it:
  --head-dim D        the head dimension of a rope without scaling
  --base B            its base, 10000 unless given
  --rotary-dim d      how many channels of the head rotate, all unless given
${CONFIG_HELP}
  --distances a:b:s   from a to below b in steps of s, or a list: 0,1,10. Default 0:257:16`,
  options: { ...CONFIG_OPTIONS, ...NUMBER_OPTIONS, ...textOptions("distances") },
  async run(args) {
    const distances = rangeOf("--distances", args.text("distances") ?? "0:257:16");
    const file = args.optionalWord(0);
    if (file !== undefined) refuseNumbers(args);
    const { ropewalk, options } =
      file === undefined
        ? { ropewalk: await load({ analysis: true }), options: ropeOfNumbers(args) }
        : await ropeOfConfig(args, file);
    using rope = ropewalk.rope(options);
    const values = Array.from(rope.decay(distances));
    const rows = values.map((value, i) => [distances[i]!, value]);
    return { text: table([["distance", "decay"], ...rows]), json: { options, distances, decay: values } };
  },
};
