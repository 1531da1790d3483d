import { type ErrorDetails, load, type Placement, type RopeOptions, type Tensor } from "ropewalk";
import { afterEach, describe, expect, it } from "vitest";

const ropewalk = await load();
const rope = ropewalk.rope({ headDim: 4 });
const original = Float32Array.from({ length: 24 }, (_, i) => Math.sin(i));
const x = original.slice();
const out = new Float32Array(24).fill(7);
const sizes = { sequence: 3, heads: 2 };

/** A call, the class of its error, and what the message must hold: function, argument, value, what is allowed. "…" divides them. */
type Case = [name: string, call: () => unknown, type: ErrorConstructor, words: string];
const wrong = <T>(value: unknown): T => value as T;
const make = (options: unknown) => () => ropewalk.rope(wrong<RopeOptions>(options));
const rotate = (placement: unknown) => () => rope.rotate(x, { ...wrong<Placement>(placement), out });

const creation: Case[] = [
  ["no options", make(undefined), TypeError, "rope … `options` … undefined … an object"],
  ["no headDim", make({}), TypeError, "rope … `headDim` … missing"],
  ["headDim 0", make({ headDim: 0 }), RangeError, "rope … `headDim` … 0"],
  ["headDim text", make({ headDim: "8" }), TypeError, 'rope … `headDim` … "8" … a whole number'],
  ["headDim odd", make({ headDim: 63 }), RangeError, "rope … `headDim` … 63 … an even number"],
  ["headDim fraction", make({ headDim: 7.5 }), RangeError, "rope … `headDim` … 7.5 … a whole number"],
  ["headDim NaN", make({ headDim: Number.NaN }), RangeError, "rope … `headDim` … NaN … a finite number"],
  ["headDim BigInt", make({ headDim: 8n }), TypeError, "rope … `headDim` … 8 … a number"],
  ["odd rotaryDim", make({ headDim: 8, rotaryDim: 3 }), RangeError, "rope … `rotaryDim` … 3 … even"],
  ["window outside", make({ headDim: 8, rotaryDim: 6, rotaryOffset: 4 }), RangeError, "rope … `rotaryOffset` … 4"],
  ["unknown option", make({ headDim: 8, rotaryDims: 4 }), TypeError, "rope … `rotaryDims` … did you mean `rotaryDim`"],
  ["snake case", make({ head_dim: 8 }), TypeError, "rope … `head_dim` … did you mean `headDim`"],
  [
    "a key of config.json",
    make({ headDim: 8, frequencies: { type: "yarn", factor: 4, original_max_position_embeddings: 64 } }),
    TypeError,
    "rope … `frequencies.original_max_position_embeddings` … did you mean `originalMaxPositions`?",
  ],
  [
    "another key of config.json",
    make({ headDim: 8, frequencies: { type: "llama3", low_freq_factor: 1 } }),
    TypeError,
    "did you mean `lowFrequencyFactor`?",
  ],
  ["the base of config.json", make({ headDim: 8, rope_theta: 5e5 }), TypeError, "did you mean `frequencies.base`?"],
  [
    "unknown pairing",
    make({ headDim: 8, pairing: "adjacent" }),
    RangeError,
    '`pairing` … "adjacent" … "interleaved" or "half"',
  ],
  [
    "unknown angles",
    make({ headDim: 8, angles: "float64" }),
    RangeError,
    '`angles` … "float64" … "exact" or "float32"',
  ],
  [
    "unknown rule",
    make({ headDim: 8, frequencies: { type: "yaarn" } }),
    RangeError,
    '`frequencies.type` … "yaarn" … "default"',
  ],
  ["rule without type", make({ headDim: 8, frequencies: {} }), TypeError, "`frequencies.type` … missing"],
  [
    "unknown parameter",
    make({ headDim: 8, frequencies: { type: "default", bas: 2 } }),
    TypeError,
    "`frequencies.bas` … `frequencies.base`",
  ],
  [
    "base 0",
    make({ headDim: 8, frequencies: { type: "default", base: 0 } }),
    RangeError,
    "`frequencies.base` … 0 … above 0",
  ],
  [
    "base infinite",
    make({ headDim: 8, frequencies: { type: "default", base: Infinity } }),
    RangeError,
    "`frequencies.base` … Infinity",
  ],
  [
    "frequencies missing",
    make({ headDim: 8, frequencies: { type: "custom" } }),
    TypeError,
    "`frequencies.frequencies` … missing",
  ],
  [
    "frequencies too few",
    make({ headDim: 8, frequencies: { type: "custom", frequencies: [1] } }),
    RangeError,
    "1 numbers … rotaryDim/2 = 4",
  ],
  [
    "a frequency NaN",
    make({ headDim: 2, frequencies: { type: "custom", frequencies: [Number.NaN] } }),
    RangeError,
    "`frequencies.frequencies[0]` … NaN",
  ],
  [
    "a frequency text",
    make({ headDim: 2, frequencies: { type: "custom", frequencies: ["1"] } }),
    TypeError,
    '`frequencies.frequencies[0]` … "1"',
  ],
];

const placement: Case[] = [
  ["no placement", () => rope.rotate(x, wrong(undefined)), TypeError, "rotate … `placement` … undefined"],
  ["no sequence", rotate({ heads: 2 }), TypeError, "rotate … `sequence` … undefined … a whole number"],
  ["heads 0", rotate({ ...sizes, heads: 0 }), RangeError, "rotate … `heads` … 0 … at least 1"],
  ["heads negative", rotate({ ...sizes, heads: -2 }), RangeError, "rotate … `heads` … -2 … a whole number"],
  ["heads fraction", rotate({ ...sizes, heads: 1.5 }), RangeError, "rotate … `heads` … 1.5 … a whole number"],
  ["heads beyond 32 bits", rotate({ ...sizes, heads: 2 ** 32 + 2 }), RangeError, "rotate … `heads` … 4294967298"],
  ["heads text", rotate({ ...sizes, heads: "2" }), TypeError, 'rotate … `heads` … "2" … a whole number'],
  ["too many tokens", rotate({ ...sizes, sequence: 4 }), RangeError, "rotate … `x` … 24 elements … 1 * 4 * 2 * 4 = 32"],
  [
    "product beyond memory",
    rotate({ batch: 2 ** 31, sequence: 2 ** 31, heads: 2 }),
    RangeError,
    "rotate … `x` … more than memory can hold",
  ],
  [
    "unknown layout",
    rotate({ ...sizes, layout: "bhds" }),
    RangeError,
    'rotate … `layout` … "bhds" … "bshd", "bhsd" or "thd"',
  ],
  [
    "layout and strides",
    rotate({ ...sizes, layout: "bshd", strides: { batch: 24, sequence: 8, head: 4 } }),
    RangeError,
    "`layout` … `strides`",
  ],
  [
    "strides too long",
    rotate({ ...sizes, strides: { batch: 24, sequence: 16, head: 4 } }),
    RangeError,
    "rotate … `strides` … 24 elements",
  ],
  [
    "strides overlap",
    rotate({ ...sizes, strides: { batch: 24, sequence: 2, head: 1 } }),
    RangeError,
    "rotate … `strides` … overlap",
  ],
  [
    "strides incomplete",
    rotate({ ...sizes, strides: { batch: 24, sequence: 8 } }),
    TypeError,
    "`strides.head` … undefined",
  ],
  [
    "too few positions",
    rotate({ ...sizes, positions: [1, 2] }),
    RangeError,
    "rotate … `positions` … 2 numbers … sequence = 3",
  ],
  ["no positions", rotate({ ...sizes, positions: [] }), RangeError, "rotate … `positions` … 0 numbers"],
  [
    "a position NaN",
    rotate({ ...sizes, positions: [1, Number.NaN, 2] }),
    RangeError,
    "rotate … `positions[1]` … NaN … a finite number",
  ],
  [
    "start infinite",
    rotate({ ...sizes, positions: Number.POSITIVE_INFINITY }),
    RangeError,
    "rotate … `positions` … Infinity",
  ],
  [
    "positions text",
    rotate({ ...sizes, positions: "1" }),
    TypeError,
    'rotate … `positions` … "1" … an array of numbers',
  ],
  [
    "positions of BigInt",
    rotate({ ...sizes, positions: new BigInt64Array(3) }),
    TypeError,
    "rotate … `positions` … an array of numbers",
  ],
];

const arrays: Case[] = [
  [
    "x an array",
    () => rope.rotate(wrong<Float32Array>([1, 2, 3, 4]), sizes),
    TypeError,
    "rotate … `x` … an array … a Float32Array, a Uint16Array, a Float16Array or a Tensor",
  ],
  [
    "x float64",
    () => rope.rotate(wrong<Float32Array>(new Float64Array(24)), sizes),
    TypeError,
    "`x` … Float64Array … a Float32Array",
  ],
  ["x null", () => rope.rotate(wrong<Float32Array>(null), sizes), TypeError, "rotate … `x` … null"],
  [
    "out short",
    () => rope.rotate(x, { ...sizes, out: new Float32Array(23) }),
    RangeError,
    "rotate … `out` … 23 elements … 24 elements",
  ],
  [
    "out a Tensor",
    () => rope.rotate<Float32Array>(x, { ...sizes, out: wrong(ropewalk.tensor([24])) }),
    TypeError,
    "rotate … `out` … a Float32Array",
  ],
  [
    "kvHeads 0",
    () => rope.rotateQK(x, x, { ...sizes, kvHeads: 0 }),
    RangeError,
    "rotateQK … `kvHeads` … 0 … at least 1",
  ],
  ["k too short", () => rope.rotateQK(x, x.slice(1), sizes), RangeError, "rotateQK … `k` … 23 elements … kvHeads"],
  [
    "outK too short",
    () => rope.rotateQK(x, x, { ...sizes, outQ: out, outK: new Float32Array(1) }),
    RangeError,
    "rotateQK … `outK` … 1 elements",
  ],
  [
    "strides of q only",
    () => rope.rotateQK(x, x, { ...sizes, strides: { batch: 24, sequence: 8, head: 4 } }),
    TypeError,
    "rotateQK … `keyStrides`",
  ],
  ["no table positions", () => rope.table([]), RangeError, "table … `positions` … at least one"],
  ["unrotate says its name", () => rope.unrotate(x, { ...sizes, heads: 0 }), RangeError, "unrotate … `heads` … 0"],
];

const tensors: Case[] = [
  ["no shape", () => ropewalk.tensor(wrong(undefined)), TypeError, "tensor … `shape` … undefined"],
  ["fraction", () => ropewalk.tensor([2, 1.5]), RangeError, "tensor … `shape[1]` … 1.5 … a whole number"],
  ["negative", () => ropewalk.tensor([-1]), RangeError, "tensor … `shape[0]` … -1"],
  ["data of another size", () => ropewalk.tensor([2, 2], [1, 2, 3]), RangeError, "tensor … `data` … 3 numbers … 4"],
  [
    "unknown type",
    () => ropewalk.tensor([2], [1, 2], wrong<"float32">("int8")),
    RangeError,
    'tensor … `dtype` … "int8" … "float32"',
  ],
  ["2^31 elements", () => ropewalk.tensor([2 ** 16, 2 ** 15]), Error, "tensor … no memory … 8589934592 bytes"],
  ["2^52 elements", () => ropewalk.tensor([2 ** 26, 2 ** 26]), Error, "tensor … no memory"],
];

const bits = new Uint16Array(24);
const half = ropewalk.tensor([24], undefined, "float16");
const packed = { ...sizes, layout: "thd" };

const surface: Case[] = [
  ["unknown role", rotate({ ...sizes, role: "keys" }), RangeError, 'rotate … `role` … "keys" … "query" or "key"'],
  ["thd without lengths", rotate(packed), RangeError, "rotate … `cumulativeLengths` … missing … sequence = 3"],
  [
    "lengths without thd",
    rotate({ ...sizes, cumulativeLengths: [0, 3] }),
    TypeError,
    "rotate … `cumulativeLengths` … the layout thd alone",
  ],
  [
    "lengths of too few tokens",
    rotate({ ...packed, cumulativeLengths: [0, 2] }),
    RangeError,
    "rotate … `cumulativeLengths` … 2 numbers from 0 to 2 … sequence = 3",
  ],
  [
    "lengths that shrink",
    rotate({ ...packed, cumulativeLengths: [0, 2, 1, 3] }),
    RangeError,
    "`cumulativeLengths[2]` … 1 … at least the number before it, 2",
  ],
  [
    "a length that is no number",
    rotate({ ...packed, cumulativeLengths: [0, "3"] }),
    TypeError,
    '`cumulativeLengths[1]` … "3" … a whole number',
  ],
  [
    "lengths a number",
    rotate({ ...packed, cumulativeLengths: 3 }),
    TypeError,
    "`cumulativeLengths` … 3 … an array of numbers",
  ],
  [
    "thd of two batches",
    rotate({ sequence: 3, heads: 1, batch: 2, layout: "thd", cumulativeLengths: [0, 3] }),
    RangeError,
    "`batch` … 2 … 1 with the layout thd",
  ],
  [
    "16 bits of no type",
    () => rope.rotate(bits, sizes),
    TypeError,
    'rotate … `dtype` … undefined … "float16" or "bfloat16", which `x` holds',
  ],
  ["16 bits of float32", () => rope.rotate(bits, { ...sizes, dtype: "float32" }), RangeError, '`dtype` … "float32"'],
  [
    "another type than the array's",
    rotate({ ...sizes, dtype: "float16" }),
    RangeError,
    'rotate … `dtype` … "float16" … "float32", which `x` holds',
  ],
  [
    "another type than the tensor's",
    () => rope.rotate(half, { ...sizes, dtype: "bfloat16" }),
    RangeError,
    '`dtype` … "bfloat16" … "float16"',
  ],
  ["unknown type of elements", rotate({ ...sizes, dtype: "int8" }), RangeError, '`dtype` … "int8"'],
  [
    "16 bits into float32",
    () => rope.rotate<Float32Array | Uint16Array>(bits, { ...sizes, dtype: "float16", out }),
    TypeError,
    "rotate … `out` … Float32Array … a Uint16Array, as `x` is",
  ],
  [
    "tensors of two types",
    () => rope.rotate<Tensor>(half, { ...sizes, out: ropewalk.tensor([24]) }),
    TypeError,
    "rotate … `out` … element type",
  ],
  [
    "a tensor of numbers, not patterns",
    () => ropewalk.tensor([2], [1, 2], "bfloat16"),
    TypeError,
    "tensor … `data` … an array … a Uint16Array of the patterns of bfloat16",
  ],
  ["no target", () => rope.rerotate(x, wrong({ ...sizes, out })), TypeError, "rerotate … `to` … undefined … an object"],
  [
    "no target positions",
    () => rope.rerotate(x, wrong({ ...sizes, out, to: {} })),
    TypeError,
    "rerotate … `to.positions` … undefined … an array of numbers",
  ],
  [
    "a target position NaN",
    () => rope.rerotate(x, { ...sizes, out, to: { positions: [1, Number.NaN, 3] } }),
    RangeError,
    "rerotate … `to.positions[1]` … NaN",
  ],
  [
    "too few target positions",
    () => rope.rerotate(x, { ...sizes, out, to: { positions: [1] } }),
    RangeError,
    "rerotate … `to.positions` … 1 numbers",
  ],
  [
    "a target that is no rope",
    () => rope.rerotate(x, { ...sizes, out, to: { rope: wrong({}), positions: 1 } }),
    TypeError,
    "rerotate … `to.rope` … class Object … a Rope of the same module",
  ],
  [
    "a target of another shape",
    () =>
      rope.rerotate(x, { ...sizes, out, to: { rope: ropewalk.rope({ headDim: 4, pairing: "half" }), positions: 1 } }),
    TypeError,
    "rerotate … `to.rope` … of another shape … pairing",
  ],
  [
    "a gradient too short",
    () => rope.gradients(x, x.slice(1), sizes),
    RangeError,
    "gradients … `gradY` … 23 elements … 24 elements, as `x` has",
  ],
  [
    "a gradient of another type",
    () => rope.gradients(half, x, sizes),
    TypeError,
    "gradients … `gradY` … the element type of `x`",
  ],
  ["no gradient", () => rope.gradients(x, wrong(undefined), sizes), TypeError, "gradients … `gradY` … undefined"],
];

const loading: Case[] = [
  [
    "unknown variant",
    () => load({ variant: wrong("relaxed-simd") }),
    RangeError,
    'load … `variant` … "relaxed-simd" … "auto", "simd" or "relaxed"',
  ],
  ["options a text", () => load(wrong("simd")), TypeError, 'load … `options` … "simd" … an object'],
  [
    "wasm a page",
    () => load({ wasm: new TextEncoder().encode("<!doctype html>") }),
    Error,
    "load … `wasm` … <!doctype … core.wasm",
  ],
  [
    "wasm of somebody else",
    () => load({ wasm: Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0) }),
    Error,
    "load … `wasm` … not the module of this version",
  ],
  ["wasm missing", () => load({ wasm: new URL("./missing.wasm", import.meta.url) }), Error, "missing.wasm"],
];

async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  throw new Error("the call succeeded");
}

describe.each([
  ["rope", creation],
  ["placement", placement],
  ["arrays", arrays],
  ["tensor", tensors],
  ["the other arguments", surface],
  ["load", loading],
] as [string, Case[]][])("errors of %s", (_, cases) => {
  afterEach(() => {
    // Nothing was written, and the same objects go on.
    expect(x).toEqual(original);
    expect(out).toEqual(new Float32Array(24).fill(7));
    expect(rope.unrotate(rope.rotate(x, sizes), sizes)[5]).toBeCloseTo(x[5]!, 6);
  });

  it.each(cases)("%s", async (_name, call, type, words) => {
    const error = await failureOf(call);
    expect(error).toBeInstanceOf(type);
    expect((error as Error).constructor).toBe(type);
    for (const word of words.split(" … ")) expect((error as Error).message).toContain(word);
    // Names are those of JavaScript, except where one is quoted back.
    expect((error as Error).message.replace(/unknown option `[^`]+`/, "")).not.toMatch(/[a-z]_[a-z]/);
  });
});

it("NaN and infinity in the data are not errors and stay in their pair", () => {
  const data = original.slice();
  data[4] = Number.NaN;
  data[9] = Number.POSITIVE_INFINITY;
  const y = rope.rotate(data, { ...sizes, positions: 3 });
  const expected = rope.rotate(original, { ...sizes, positions: 3 });
  y.forEach((value, i) => {
    if (i === 4 || i === 5 || i === 8 || i === 9) expect(Number.isFinite(value)).toBe(false);
    else expect(value).toBe(expected[i]);
  });
});

describe("errors hold what they are about", () => {
  const about = async (call: () => unknown) => (await failureOf(call)) as ErrorDetails;
  const ids = { inputIds: [1, 2], batch: 1, sequence: 3 };

  it.each([
    [
      "found by C++",
      make({ headDim: 8, rotaryDim: 3 }),
      { code: "range", function: "rope", argument: "rotaryDim", value: 3, allowed: expect.stringContaining("even") },
    ],
    [
      "a text found by C++",
      make({ headDim: 8, pairing: "adjacent" }),
      { code: "range", argument: "pairing", value: "adjacent" },
    ],
    [
      "found by TypeScript",
      () => rope.rotate(wrong<Float32Array>("x"), sizes),
      { code: "type", function: "rotate", argument: "x", value: "x", allowed: expect.stringContaining("Float32Array") },
    ],
    ["an option that is not there", make({ headDim: 8, rotaryDims: 4 }), { code: "type", function: "rope" }],
    [
      "a configuration",
      () => ropewalk.encoder({ "config.json": { hidden_act: "swish2" }, "model.safetensors": new Uint8Array(8) }),
      { code: "unsupported", function: "encoder", argument: "hidden_act", value: "swish2" },
    ],
    [
      "a file",
      () => ropewalk.encoder({ "config.json": {}, "model.safetensors": new Uint8Array(3) }),
      { code: "malformed", function: "encoder" },
    ],
    [
      "a model by another function",
      () => ropewalk.trainer({ config: { hidden_size: 0 } }),
      { code: "range", function: "trainer", argument: "hidden_size", value: 0 },
    ],
    [
      "a batch",
      async () => {
        const config = { vocab_size: 8, hidden_size: 8, num_attention_heads: 2, num_hidden_layers: 1 };
        using trainer = await ropewalk.trainer({ config });
        trainer.train({ ...ids, labels: [1] });
      },
      { code: "range", function: "train", argument: "inputIds", value: "2 elements" },
    ],
    [
      "an object that is gone",
      () => {
        const gone = ropewalk.rope({ headDim: 4 });
        gone.dispose();
        gone.rotate(x, sizes);
      },
      { code: "disposed", function: "rotate" },
    ],
  ])("%s", async (_, call, details) => {
    expect(await about(call)).toMatchObject(details);
  });
});

describe("numbers in messages are written as C++ writes them natively:", () => {
  it.each([
    [1e300, "1e+300"],
    [-1.5e22, "-1.5e+22"],
    [1e15, "1e+15"],
    [123456789012345.6, "123456789012345.6"],
    [-0.1 * 2 ** 60, "-1.152921504606847e+17"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    [Number.NaN, "NaN"],
  ])("%d", (positions, words) => {
    using rope = ropewalk.rope({ headDim: 2 });
    expect(() => rope.rotate(Float32Array.of(1, 0), { sequence: 1, heads: 1, positions })).toThrow(
      `rotate: \`positions\` is ${words}; allowed: a finite number from -`,
    );
  });

  it.each([
    [1e-5, "1e-05"],
    [1.5e-123, "1.5e-123"],
    [0.00012, "0.00012"],
  ])("%d", (betaSlow, words) => {
    const frequencies = { type: "yarn", factor: 2, originalMaxPositions: 64, betaSlow, betaFast: 0 } as const;
    expect(() => ropewalk.rope({ headDim: 8, frequencies })).toThrow(`a finite number above betaSlow = ${words}`);
  });
});
