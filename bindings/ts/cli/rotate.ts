/** ropewalk rotate */
import { load, type RopeOptions } from "../entries/node.js";
import { type Arguments, textOptions, UsageError } from "./arguments.js";
import type { Command } from "./command.js";
import { FileError } from "./files.js";
import { readNpy, writeNpy } from "./npy.js";
import {
  CONFIG_HELP,
  CONFIG_OPTIONS,
  NUMBER_OPTIONS,
  ofFile,
  refuseNumbers,
  ropeOfConfig,
  ropeOfNumbers,
} from "./ropes.js";

const LAYOUTS = ["bshd", "bhsd"] as const;

/** [B, S, H, D] or [S, H, D], in the order of the layout. */
function sizesOf(file: string, shape: readonly number[], layout: (typeof LAYOUTS)[number]) {
  if (shape.length !== 3 && shape.length !== 4) {
    const allowed = layout === "bshd" ? "[B, S, H, D] or [S, H, D]" : "[B, H, S, D] or [H, S, D]";
    throw new FileError(file, `its shape is [${shape.join(", ")}]; allowed: ${allowed}`);
  }
  const [a, b, headDim] = shape.slice(-3) as [number, number, number];
  const [sequence, heads] = layout === "bshd" ? [a, b] : [b, a];
  return { batch: shape.length === 4 ? shape[0]! : 1, sequence, heads, headDim };
}

async function optionsOf(args: Arguments, headDim: number): Promise<RopeOptions> {
  const file = args.text("config");
  if (file === undefined) return ropeOfNumbers(args, headDim);
  refuseNumbers(args);
  return (await ropeOfConfig(args, file)).options;
}

export const rotate: Command = {
  words: ["in.npy", "out.npy"],
  summary: "rotate (or rotate back) the heads of an array",
  help: `\
  in.npy              float32, C order: [B, S, H, D] or [S, H, D]
  out.npy             where the result goes; may be in.npy
  --config config.json  which rope; or instead of it:
  --head-dim D        of a rope without scaling; the last size of the array unless given
  --base B            its base, 10000 unless given
  --rotary-dim d      how many channels of the head rotate, all unless given
  --start N           the position of the first token, 0 unless given
  --layout L          bshd, or bhsd for [B, H, S, D] and [H, S, D]
  --inverse           rotate back
${CONFIG_HELP}`,
  options: {
    ...CONFIG_OPTIONS,
    ...NUMBER_OPTIONS,
    ...textOptions("config start layout"),
    inverse: { type: "boolean" },
  },
  async run(args) {
    const [from, to] = [args.word(0), args.word(1)];
    const layout = args.choice("layout", LAYOUTS) ?? "bshd";
    const start = args.number("start") ?? 0;
    const { shape, data } = await readNpy(from);
    const { headDim, ...sizes } = sizesOf(from, shape, layout);
    if (shape.includes(0))
      throw new FileError(from, `its shape is [${shape.join(", ")}]; allowed: sizes of at least 1`);
    const options = await optionsOf(args, headDim);
    if (options.headDim !== headDim) {
      throw new UsageError(`${from} has heads of ${headDim} channels, the rope is for ${options.headDim}`);
    }
    const ropewalk = await load();
    using rope = ofFile(args, args.text("config") ?? from, () => ropewalk.rope(options));
    const placement = { ...sizes, layout, positions: start, out: data };
    if (args.flag("inverse")) rope.unrotate(data, placement);
    else rope.rotate(data, placement);
    await writeNpy(to, { shape, data });
    const what = `${from} [${shape.join(", ")}] rotated${args.flag("inverse") ? " back" : ""}`;
    const how = `positions ${start} to ${start + sizes.sequence - 1}, ${options.pairing ?? "interleaved"} pairs`;
    return {
      text: `${what}, ${how}: ${to}\n`,
      json: { in: from, out: to, shape, layout, start, inverse: args.flag("inverse"), options },
    };
  },
};
