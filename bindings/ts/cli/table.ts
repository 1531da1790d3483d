/** ropewalk table */
import { rangeOf } from "./arguments.js";
import { type Command, float32Text, table as rowsOf } from "./command.js";
import { CONFIG_HELP, CONFIG_OPTIONS, ropeOfConfig } from "./ropes.js";

export const table: Command = {
  words: ["config.json"],
  summary: "cos and sin of each pair at positions",
  help: `\
  config.json         as for explain
  --positions a:b:s   from a to below b in steps of s, or a list: 0,1,10. Default 0:8
${CONFIG_HELP}`,
  options: { ...CONFIG_OPTIONS, positions: { type: "string" } },
  async run(args) {
    const positions = rangeOf("--positions", args.text("positions") ?? "0:8");
    const { ropewalk, options } = await ropeOfConfig(args, args.word(0));
    using rope = ropewalk.rope(options);
    const { cos, sin } = rope.table(positions);
    const width = cos.length / positions.length;
    const rows = positions.flatMap((position, row) =>
      Array.from({ length: width }, (_, j) => {
        const at = row * width + j;
        return [position, j, float32Text(cos[at]!), float32Text(sin[at]!)];
      }),
    );
    const byPosition = (values: Float32Array) =>
      positions.map((_, row) => Array.from(values.subarray(row * width, (row + 1) * width)));
    return {
      text: rowsOf([["position", "pair", "cos", "sin"], ...rows]),
      json: { options, positions, cos: byPosition(cos), sin: byPosition(sin) },
    };
  },
};
