/** ropewalk embed */
import type { EmbedOptions, Floats } from "../entries/node.js";
import { POOLINGS } from "../module/numbers.js";
import { type Arguments, refusal, textOptions, UsageError } from "./arguments.js";
import { type Command, float32Text } from "./command.js";
import { MODEL_HELP, MODEL_OPTIONS, openModel } from "./model.js";
import { writeNpy } from "./npy.js";
import { checkFile } from "./output.js";
import { ProgressLine } from "./progress.js";
import { textsOf, truncationWarning } from "./texts.js";

function optionsOf(args: Arguments): EmbedOptions {
  const [name, text] = [args.text("prompt"), args.text("prefix")];
  if (name !== undefined && text !== undefined) throw new UsageError("--prompt and --prefix cannot both be given");
  const [dimensions, pooling] = [args.count("dimensions"), args.choice("pooling", POOLINGS)];
  const normalize = args.choice("normalize", ["yes", "no"]);
  return {
    ...(name !== undefined && { prompt: { name } }),
    ...(text !== undefined && { prompt: { text } }),
    ...(dimensions !== undefined && { dimensions }),
    ...(pooling !== undefined && { pooling }),
    ...(normalize !== undefined && { normalize: normalize === "yes" }),
  };
}

function joined(vectors: readonly Floats[]): Floats {
  const width = vectors[0]?.length ?? 0;
  const all = new Float32Array(vectors.length * width);
  vectors.forEach((vector, i) => {
    all.set(vector, i * width);
  });
  return all;
}

/** The run of texts that is shard I of N; the outputs of all shards one after the other are that of all texts. */
function readShard(shard: string | undefined): (count: number) => [first: number, end: number] {
  const [, i, n] = (/^([0-9]{1,6})\/([0-9]{1,6})$/.exec(shard ?? "1/1") ?? []).map(Number);
  if (!(i! >= 1 && i! <= n!)) throw refusal("--shard", shard!, "I/N with I from 1 to N, such as 2/8");
  return (count) => [Math.floor((count * (i! - 1)) / n!), Math.floor((count * i!) / n!)];
}

export const embed: Command = {
  words: ["MODEL", "[TEXT]..."],
  summary: "sentence vectors of texts, or of each line of standard input",
  help: `\
${MODEL_HELP}
  TEXT                what to embed; without any, the lines of standard input
  --prompt NAME       a prompt of the model, such as query
  --prefix TEXT       put before each text, in place of a prompt
  --dimensions N      keep the first N entries of each vector
  --pooling P         ${POOLINGS.join(", ")}; as the model says unless given
  --normalize yes|no  as the model says unless given
  --shard I/N         embed part I of N of the texts: the outputs of 1/N to N/N one after the other are that of all
  --out FILE.npy      write a NumPy array [texts, dimensions] of float32 rather than print`,
  options: {
    ...MODEL_OPTIONS,
    ...textOptions("prompt prefix dimensions pooling normalize shard out"),
  },
  async run(args) {
    const options = optionsOf(args);
    const out = args.text("out");
    const shardOf = readShard(args.text("shard"));
    if (out !== undefined) await checkFile(out);
    const all = await textsOf(args.words().slice(1), "TEXT");
    const [first, end] = shardOf(all.length);
    const texts = all.slice(first, end);
    using model = await openModel(args, args.word(0));
    const prompt = args.text("prompt");
    if (prompt !== undefined && Object.keys(model.prompts).length === 0)
      throw refusal("--prompt", prompt, "none, since this model names no prompts; --prefix takes a text");
    const cut: number[] = [];
    const line = new ProgressLine();
    const vectors = await model.embed(texts, {
      ...options,
      onTruncation: (index) => cut.push(first + index),
      onProgress: (done, total) => line.write(`${done} of ${total} texts`, done, total),
    });
    line.clear();
    const warning = truncationWarning(cut, model.maxTokens);
    if (out === undefined) {
      const rows = vectors.map((vector) => Array.from(vector, float32Text).join(" "));
      return {
        text: rows.map((row) => `${row}\n`).join(""),
        json: vectors.map((vector) => Array.from(vector)),
        warning,
      };
    }
    const shape = [vectors.length, options.dimensions ?? model.dimensions];
    await writeNpy(out, { shape, data: joined(vectors) });
    return { text: `${out}: [${shape.join(", ")}]\n`, json: { file: out, shape }, warning };
  },
};
