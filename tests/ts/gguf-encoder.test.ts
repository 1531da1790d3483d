/** The conversion of GGUF files to safetensors: blocks bit for bit, and files that must be refused. */
import { readFileSync } from "node:fs";
import { load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { BLOCKS } from "../../bindings/ts/model/gguf/blocks.js";
import { goldenUrl, readGolden } from "./golden.js";

const ropewalk = await load();
const isZero = (bits: number) => bits << 1 === 0;

it("reads every type of blocks bit for bit", () => {
  const cases = ["gguf/blocks.json", "gguf-2/blocks.json"].flatMap(
    (name) => readGolden<{ cases: { type: string; bytes: string; weights_bits: number[] }[] }>(name).cases,
  );
  const checked = new Set<string>();
  for (const { type, bytes, weights_bits: expected } of cases) {
    const block = [...BLOCKS.values()].find(({ name }) => name === type)!;
    if (block.read === undefined) continue;
    const out = new Float32Array(expected.length);
    const data = Buffer.from(bytes, "hex");
    for (let i = 0; i < out.length / block.elements; i++) block.read(data, i * block.bytes, out, i * block.elements);
    const found = [...new Uint32Array(out.buffer)];
    // Either zero is one.
    expect(
      found.map((bits) => (isZero(bits) ? 0 : bits)),
      type,
    ).toEqual(expected.map((bits) => (isZero(bits) ? 0 : bits)));
    checked.add(type);
  }
  expect([...checked].sort()).toEqual(["Q4_0", "Q4_1", "Q4_K", "Q5_0", "Q5_1", "Q5_K", "Q6_K", "Q8_0"]);
});

describe("files that cannot be", () => {
  const whole = readFileSync(goldenUrl("gguf-2/bert-q8_0.gguf"));
  /** The file with the text `from` replaced by one of the same length, or with other bytes at a place. */
  const changed = (from: string, to: string) => {
    const at = whole.indexOf(from);
    expect(at, from).toBeGreaterThan(0);
    expect(to.length).toBe(from.length);
    return Buffer.concat([whole.subarray(0, at), Buffer.from(to), whole.subarray(at + from.length)]);
  };
  const patched = (at: number, ...bytes: number[]) => {
    const copy = Buffer.from(whole);
    copy.set(bytes, at);
    return copy;
  };
  /** The place of a number behind its key and type. */
  const placeOf = (key: string) => whole.indexOf(key) + key.length + 4;
  const cases: [string, Uint8Array, RegExp][] = [
    ["no GGUF", patched(0, 88), /begin with "GGUF"/],
    ["another version", patched(4, 9), /version 9; allowed: 2 and 3/],
    [
      "more tensors than there are bytes",
      patched(8, 255, 255, 255, 255, 255, 255, 1),
      /`gguf` says that the number of tensors is 562949953421311; allowed: at most 131072/,
    ],
    ["2^63 entries", patched(16, 255, 255, 255, 255, 255, 255, 255, 127), /the number of entries/],
    ["half a header", whole.subarray(0, 900), /ends within its header/],
    ["half of its tensors", whole.subarray(0, 40_000), /safetensors|ended|end/],
    [
      "an architecture of decoders",
      changed("\x04\0\0\0\0\0\0\0bert", "\x04\0\0\0\0\0\0\0gpt3"),
      /general.architecture.*allowed: .*bert/,
    ],
    ["a pooling that is none", patched(placeOf("bert.pooling_type"), 4), /pooling_type.*allowed: .*0 to 3/],
    ["fewer key heads", patched(placeOf("bert.attention.head_count_kv"), 2), /head_count_kv.*allowed: .*4/],
    ["a key twice", changed("tokenizer.ggml.eos_token_id", "tokenizer.ggml.bos_token_id"), /bos_token_id twice/],
    [
      "a tensor that is missing",
      changed("blk.1.attn_q.weight", "blk.1.attn_x.weight"),
      /encoder.layer.1.attention.self.query/,
    ],
    [
      "tensors of a type of ggml that is not read",
      patched(whole.indexOf("token_embd.weight") + 17 + 4 + 16, 99),
      /type 99.*Q8_0/,
    ],
    // 2^40 bytes, which are passed over and not asked for at once.
    [
      "a tensor far behind the others",
      patched(whole.indexOf("token_embd.weight") + 17 + 4 + 16 + 4 + 5, 1),
      /the file has 375048 bytes; allowed: 395528, as its header says/,
    ],
  ];

  it("an alignment of 1.5 bytes", async () => {
    const bytes = Buffer.from(changed("bert.pooling_type", "general.alignment"));
    const at = bytes.indexOf("general.alignment") + 17;
    bytes.writeUInt32LE(6, at);
    bytes.writeFloatLE(1.5, at + 4);
    await expect(ropewalk.encoder({ "model.gguf": bytes })).rejects.toThrow("encoder: `gguf` has no alignment");
  });

  it.each(cases)("%s", async (_, bytes, words) => {
    await expect(ropewalk.encoder({ "model.gguf": bytes })).rejects.toThrow(words);
    await expect(ropewalk.encoder({ "model.gguf": bytes })).rejects.toMatchObject({ function: "encoder" });
  });

  it("loads behind them all the same", async () => {
    using model = await ropewalk.encoder({ "model.gguf": whole });
    expect((await model.embed("the cat")).length).toBe(64);
  });
});
