/** ropewalk convert */
import { chmod, constants, copyFile, open } from "node:fs/promises";
import { convertPairing, type Pairing, type PairingConversion } from "../entries/node.js";
import { textOptions, UsageError } from "./arguments.js";
import type { Command } from "./command.js";

import { about, FileError } from "./files.js";
import { writeWhole } from "./output.js";
import { CONFIG_HELP, CONFIG_OPTIONS, pairingOf, ropeOfConfig } from "./ropes.js";

import { changeTensor, readTensors, type TensorInfo } from "./safetensors.js";

const PAIRINGS = ["interleaved", "half"] as const;

/** Projections and norms of queries and keys, by the names that Llama, Qwen, GPT-J, RoFormer and their kin use. */
const NAMES = /(?:^|\.)(?:(q|k)_(proj|norm|layernorm)|attention\.self\.(query|key))\.(weight|bias)$/;
/** Names of weights that hold the rows of queries or keys among others. */
const FUSED =
  /(?:^|\.)(?:qkv_proj|qkv|query_key_value|Wqkv|c_attn|in_proj|q_b_proj|kv_b_proj|kv_a_proj_with_mqa)\.(?:weight|bias)$/;

interface Plan {
  tensor: TensorInfo;
  heads: number;
}

interface Heads {
  query: number;
  key: number;
  headDim: number;
}

function countOf(config: Record<string, unknown>, ...keys: string[]): number | undefined {
  const inner = (config.text_config ?? {}) as Record<string, unknown>;
  for (const key of keys) {
    const value = inner[key] ?? config[key];
    if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  }
  return undefined;
}

/** How many heads a tensor's rows are, or what is wrong with it. */
function headsOf(file: string, tensor: TensorInfo, match: RegExpMatchArray, heads: Heads): number {
  const { name, shape, dtype } = tensor;
  const refuse = (why: string) => new FileError(file, `its tensor ${JSON.stringify(name)} ${why}`);
  if (!["F32", "F16", "BF16"].includes(dtype)) throw refuse(`is ${dtype}; allowed: F32, F16 or BF16`);
  const isNorm = match[2] === "norm" || match[2] === "layernorm";
  const isVector = isNorm || match[4] === "bias";
  if (shape.length !== (isVector ? 1 : 2))
    throw refuse(`has the shape [${shape.join(", ")}]; allowed: ${isVector ? 1 : 2} sizes`);
  const count = match[1] === "q" || match[3] === "query" ? heads.query : heads.key;
  // One norm for all heads, or one that spans them.
  if (isNorm && shape[0] === heads.headDim) return 1;
  if (shape[0] === count * heads.headDim) return count;
  throw refuse(`has ${shape[0]} rows; allowed: ${count} heads of ${heads.headDim}, as the configuration says`);
}

function planOf(file: string, tensors: readonly TensorInfo[], heads: Heads): Plan[] {
  const fused = tensors.find(({ name }) => FUSED.test(name));
  if (fused !== undefined) {
    throw new FileError(
      file,
      `${JSON.stringify(fused.name)} joins queries or keys with others; allowed: q_proj and k_proj apart`,
    );
  }
  const plan = tensors.flatMap((tensor) => {
    const match = tensor.name.match(NAMES);
    return match === null ? [] : [{ tensor, heads: headsOf(file, tensor, match, heads) }];
  });
  if (plan.length > 0) return plan;
  throw new FileError(file, `none of its ${tensors.length} tensors is a q_proj, k_proj, q_norm or k_norm`);
}

function converted(bytes: Uint8Array<ArrayBuffer>, dtype: string, conversion: PairingConversion): Uint8Array {
  const { buffer } = bytes;
  const weight = dtype === "F32" ? new Float32Array(buffer) : new Uint16Array(buffer);
  return new Uint8Array(convertPairing(weight, conversion).buffer);
}

export const convert: Command = {
  words: ["model.safetensors", "out.safetensors"],
  summary: "query and key weights from one pairing to the other",
  help: `\
  model.safetensors   with projections like q_proj and k_proj (weights and biases), or attention.self.query and key;
                      q_norm and k_norm move along; all else stays as it is
  out.safetensors     where the result goes
  --config config.json  of the model (required): heads, key-value heads, how many channels rotate
  --from P            half or interleaved: what the configuration says unless given
  --to P              the other one unless given
${CONFIG_HELP}`,
  options: { ...CONFIG_OPTIONS, ...textOptions("config from to") },
  async run(args) {
    const [source, target] = [args.word(0), args.word(1)];
    const configFile = args.text("config");
    if (configFile === undefined) throw new UsageError("--config config.json is missing");
    const [givenFrom, givenTo] = [args.choice("from", PAIRINGS), args.choice("to", PAIRINGS)];
    const { config, options } = await ropeOfConfig(args, configFile, pairingOf(args) ?? givenFrom);
    const { headDim, rotaryDim, rotaryOffset } = options;
    const from: Pairing = givenFrom ?? options.pairing ?? "interleaved";
    const to: Pairing = givenTo ?? (from === "half" ? "interleaved" : "half");
    if (from === to) throw new UsageError(`--from and --to are both ${from}`);
    const query = countOf(config, "num_attention_heads", "n_head", "num_heads");
    if (query === undefined) throw new FileError(configFile, "does not say `num_attention_heads`");
    const key = countOf(config, "num_key_value_heads") ?? query;

    const moved: { name: string; shape: number[]; heads: number }[] = [];
    const reader = await about(source, open(source, "r"));
    const plan = await readTensors(source, reader)
      .then((tensors) => planOf(source, tensors, { query, key, headDim }))
      .finally(() => reader.close());
    await writeWhole(target, async (path) => {
      await about(target, copyFile(source, path, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL));
      // The copy of a file that is only to be read is to be written all the same.
      await about(target, chmod(path, 0o600));
      const handle = await about(target, open(path, "r+"));
      try {
        for (const { tensor, heads } of plan) {
          const conversion = { from, to, heads, headDim, rotaryDim, rotaryOffset };
          await changeTensor(target, handle, tensor, (bytes) => converted(bytes, tensor.dtype, conversion));
          moved.push({ name: tensor.name, shape: tensor.shape, heads });
        }
      } finally {
        await handle.close();
      }
    });
    const lines = moved.map(({ name, shape, heads }) => `${name} [${shape.join(", ")}]: ${heads} x ${headDim}\n`);
    const sum = `${moved.length} tensors from ${from} to ${to}: ${target}\n`;
    return { text: lines.join("") + sum, json: { in: source, out: target, from, to, headDim, rotaryDim, moved } };
  },
};
