/** ropewalk table */
import { rangeOf, textOptions, UsageError } from "./arguments.js";
import { type Command, float32Text } from "./command.js";
import { CONFIG_HELP, CONFIG_OPTIONS, ropeOfConfig } from "./ropes.js";

/** The longest text that can be printed has about as many lines. */
const MOST = 10_000_000;

export const table: Command = {
  words: ["config.json"],
  summary: "cos and sin of each pair at positions",
  help: `\
  config.json         as for explain
  --positions a:b:s   from a to below b in steps of s, or a list: 0,1,10. Default 0:8
${CONFIG_HELP}`,
  options: { ...CONFIG_OPTIONS, ...textOptions("positions") },
  async run(args) {
    const positions = rangeOf("--positions", args.text("positions") ?? "0:8");
    const { ropewalk, options } = await ropeOfConfig(args, args.word(0));
    using rope = ropewalk.rope(options);
    const width = rope.table([0]).cos.length;
    if (positions.length * width > MOST)
      throw new UsageError(`--positions names ${positions.length} numbers; allowed: ${Math.floor(MOST / width)}`);
    const { cos, sin } = rope.table(positions);
    const linesOf = (position: number, row: number): string =>
      Array.from({ length: width }, (_, j) => {
        const at = row * width + j;
        return `${position}\t${j}\t${float32Text(cos[at]!)}\t${float32Text(sin[at]!)}\n`;
      }).join("");
    const byPosition = (values: Float32Array) =>
      positions.map((_, row) => Array.from(values.subarray(row * width, (row + 1) * width)));
    return {
      text: args.flag("json") ? "" : `position\tpair\tcos\tsin\n${positions.map(linesOf).join("")}`,
      json: { options, positions, cos: byPosition(cos), sin: byPosition(sin) },
    };
  },
};
