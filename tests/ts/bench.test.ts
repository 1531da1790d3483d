/** The arithmetic of the bench: what it says of samples, how it samples, what it writes. Nothing here is timed. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digits, table, time } from "../../tools/markdown.mjs";
import { roundsOf, sampleAll } from "../bench/harness/sampler.mjs";
import { differencePerNode, pairedRatio, ranksOutside, ratio, summary } from "../bench/harness/statistics.mjs";
import { Message } from "../bench/onnx/protobuf.mjs";
import { fromRoot, readJson, readText } from "./files.js";

const from = (path: string) => import(/* @vite-ignore */ fromRoot("tests/bench", path));

// Defaults of empty lists are all that would be known of its options.
const { measureGroup } = (await from("harness/group.mjs")) as {
  measureGroup(about: object): Promise<{ rows: { key: string; error?: string; median?: number }[] }>;
};

describe("statistics", () => {
  it("sums up by quartiles", () => {
    expect(summary([5, 1, 4, 2, 3])).toEqual({ median: 3, q1: 2, q3: 4, min: 1, max: 5, count: 5 });
    expect(summary([1, 2])).toMatchObject({ median: 1.5, q1: 1.25, q3: 1.75 });
    expect(() => summary([])).toThrow("at least one");
  });

  it("keeps min <= q1 <= median <= q3 <= max, whatever the order", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: 0, max: 1e6 }), { minLength: 1 }), (samples) => {
        const { min, q1, median, q3, max } = summary(samples);
        expect(min! <= q1 && q1 <= median && median <= q3 && q3 <= max!).toBe(true);
        expect(summary([...samples].reverse())).toEqual(summary(samples));
      }),
    );
  });

  it("takes the call out of a chain", () => {
    // A call of 50, nodes of 7: nine take 113, one takes 57.
    expect(differencePerNode([113, 113], [57, 57], 9, 1)).toEqual([7, 7]);
    expect(differencePerNode([113, undefined, 121], [57, 57], 9, 1)).toEqual([7]);
  });

  it("bounds a ratio by the quartiles that favour either side", () => {
    const slow = summary([90, 100, 110, 100, 100]);
    const fast = summary([9, 10, 11, 10, 10]);
    const { median, low, high } = ratio(slow, fast);
    expect(median).toBe(10);
    expect(low).toBe(slow.q1 / fast.q3);
    expect(high).toBe(slow.q3 / fast.q1);
  });

  it("finds the ratio of pairs that drift together, whatever disturbs a few of them", () => {
    // Both get four times as slow; one is 10 % above the other, give or take 1 %, and four times far off.
    const b = Array.from({ length: 20 }, (_, i) => 1 + 3 * (i / 19));
    const a = b.map((each, i) => each * 1.1 * (i % 2 ? 1.01 : 1 / 1.01) * (i % 5 === 0 ? 50 : 1));
    const found = pairedRatio(a, b);
    expect(found.ratio).toBeGreaterThan(1.089);
    expect(found.ratio).toBeLessThan(1.1111);
    expect(found.low).toBeGreaterThan(1.089);
    expect(found.high).toBeLessThan(1.1111);
    expect(found.pairs).toBe(20);
    expect(() => pairedRatio([1, 2], [1, 2])).toThrow("at least 6");
  });

  it("knows which order statistics bound the median", () => {
    // Tables of the sign test, 2.5 % on either side.
    expect([6, 8, 9, 12, 20, 40].map((n) => ranksOutside(n))).toEqual([0, 0, 1, 2, 5, 13]);
  });
});

describe("the sampler", () => {
  /** A candidate whose clock is arithmetic: each call takes `cost`. */
  const fake = (key: string, cost: number, log: string[] = []) => ({
    key,
    label: key,
    sample(iterations: number) {
      log.push(key);
      return iterations * cost;
    },
  });

  it("gives the time of a call, however many calls make a sample", async () => {
    const [fast, slow] = await sampleAll([fake("fast", 0.25), fake("slow", 4)], {
      rounds: 6,
      sampleMs: 2,
      budgetMs: 1000,
    });
    expect(fast!.samples).toEqual(new Array(6).fill(0.25));
    expect(slow!.samples).toEqual(new Array(6).fill(4));
  });

  it("takes turns, and turns the order around", async () => {
    const log: string[] = [];
    await sampleAll([fake("a", 2, log), fake("b", 2, log)], { rounds: 4, sampleMs: 2, budgetMs: 1000 });
    expect(log.slice(-8).join("")).toBe("abbaabba");
  });

  it("samples what is slow less often, evenly, but never less than it must", async () => {
    const [row] = await sampleAll([fake("slow", 100)], { rounds: 20, sampleMs: 1, budgetMs: 1000, atLeast: 5 });
    expect(row!.samples.filter((each) => each !== undefined)).toHaveLength(10);
    const [slower] = await sampleAll([fake("slower", 1000)], { rounds: 20, sampleMs: 1, budgetMs: 1000, atLeast: 5 });
    expect(slower!.samples.filter((each) => each !== undefined)).toHaveLength(5);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 60 }), (count, more) => {
        const rounds = roundsOf(count, count + more);
        expect(rounds.size).toBe(count);
        expect([...rounds].every((each) => each >= 0 && each < count + more)).toBe(true);
      }),
    );
  });

  it("needs no trial of a candidate whose call is known to be a sample", async () => {
    const log: string[] = [];
    const known = { ...fake("slow", 400, log), took: 300 };
    const [row] = await sampleAll([known], { rounds: 9, sampleMs: 30, budgetMs: 100, atLeast: 2 });
    expect(log).toHaveLength(2);
    expect(row).not.toHaveProperty("took");
    expect(row!.samples.filter((each) => each !== undefined)).toEqual([400, 400]);
  });

  it("goes on without a candidate that fails", async () => {
    let calls = 0;
    const failing = {
      key: "failing",
      label: "",
      sample(iterations: number) {
        if (++calls > 3) throw new Error("out of memory");
        return iterations * 3;
      },
    };
    const [bad, good] = await sampleAll([failing, fake("good", 3)], { rounds: 5, sampleMs: 3, budgetMs: 100 });
    expect(bad!.error).toBe("out of memory");
    expect(good!.samples).toEqual([3, 3, 3, 3, 3]);
  });

  it("reports a peer that does not start, and derives rows from others", async () => {
    const { rows } = await measureGroup({
      suite: "s",
      host: "h",
      key: "k",
      title: "t",
      makers: [
        { key: "absent", label: "", make: () => Promise.reject(new Error("not installed")) },
        { key: "one", label: "", make: () => fake("", 57) },
        { key: "nine", label: "", make: () => fake("", 113) },
      ],
      chains: [{ key: "op", label: "", long: "nine", short: "one", nodes: [9, 1] }],
      timing: { rounds: 3, sampleMs: 1, budgetMs: 1000 },
    });
    expect(rows.map(({ key }) => key)).toEqual(["absent", "one", "nine", "op"]);
    expect(rows[0]!.error).toBe("not installed");
    expect(rows[3]!.median).toBe(7);
  });
});

describe("the tables", () => {
  it("are Markdown, and refuse rows of another length", () => {
    expect(table(["a", "b"], [["1|2", "3"]], "lr")).toBe("| a | b |\n| --- | ---: |\n| 1\\|2 | 3 |");
    expect(() => table(["a"], [["1", "2"]])).toThrow(RangeError);
  });

  it("write numbers to three digits, and times in the unit that fits", () => {
    expect([0, 1.2345, 12.345, 123.45, 12345.6, 0.012345].map((each) => digits(each))).toEqual([
      ...["0", "1.23", "12.3", "123", "12346", "0.0123"],
    ]);
    expect([0.000123, 0.0123, 1.5, 12345].map((each) => time(each))).toEqual([
      "123 ns",
      "12.3 us",
      "1.50 ms",
      "12.3 s",
    ]);
  });
});

describe("ONNX files", () => {
  it("are protobuf, as its documentation encodes it", () => {
    // developers.google.com/protocol-buffers, "Encoding": field 1 = 150, field 2 = "testing", a message in field 3.
    const inner = new Message().integer(1, 150);
    expect([...inner.encoded()]).toEqual([0x08, 0x96, 0x01]);
    expect(Buffer.from(new Message().string(2, "testing").encoded()).toString("hex")).toBe("120774657374696e67");
    expect(Buffer.from(new Message().message(3, inner).encoded()).toString("hex")).toBe("1a03089601");
    // Negative numbers take ten bytes, floats four.
    expect(Buffer.from(new Message().integer(1, -2n).encoded()).toString("hex")).toBe("08feffffffffffffffff01");
    expect(Buffer.from(new Message().float(2, 1.5).encoded()).toString("hex")).toBe("150000c03f");
  });
});

describe("references", () => {
  it("refuse a rotation that is off anywhere, and take one that is right", async () => {
    const { checkRotation, tables } = await from("reference/rotation.mjs");
    const { LOOPS } = await import("../../web/pages/speed/javascript-loops.mjs");
    const { randomFloats } = await from("harness/random.mjs");
    const shape = [2, 5, 3, 8];
    for (const pairing of ["half", "interleaved"]) {
      const x = randomFloats(240) as Float32Array;
      const { cos, sin } = tables(5, 8);
      for (const loop of Object.values(LOOPS) as Record<string, (...all: unknown[]) => void>[]) {
        const y = x.slice();
        loop[pairing]!(y, cos, sin, ...shape);
        expect(() => checkRotation(y, x, shape, pairing, { cos, sin })).not.toThrow();
        for (const place of [0, 100, 239]) {
          const wrong = y.slice();
          wrong[place]! += 1e-5;
          expect(() => checkRotation(wrong, x, shape, pairing, { cos, sin })).toThrow("wrong");
        }
      }
    }
  });

  it("refuse a product that is off", async () => {
    const { checkProduct } = await from("reference/product.mjs");
    const [a, b] = [Float32Array.of(1, 2, 3, 4), Float32Array.of(5, 6, 7, 8)];
    expect(() => checkProduct(Float32Array.of(19, 22, 43, 50), a, b, [2, 2, 2])).not.toThrow();
    expect(() => checkProduct(Float32Array.of(19, 22, 43, 50.1), a, b, [2, 2, 2])).toThrow("(1, 1)");
  });
});

describe("the contract", () => {
  const timed = (key: string, median: number) => ({ key, label: key, median, q1: median, q3: median, min: median });
  const group = (rows: object[]) => ({
    suite: "rotation",
    host: "node",
    key: "half/A",
    title: "half A",
    work: { unit: "GB/s", amount: 8 },
    rows,
  });

  it("compares rows of one group, and says what was not measured", async () => {
    const { contractRows } = await from("report/contracts.mjs");
    const rows = contractRows([
      group([timed("ropewalk", 2), timed("js-a", 30), timed("js-b", 9), timed("plain-c", 2), timed("scale", 1.4)]),
    ]) as { key: string; value?: number; verdict: string }[];
    const of = (id: string) => rows.find(({ key }) => key === `${id}/node/half/A`)!;
    expect(of("rotation-js")).toMatchObject({ value: 4.5, verdict: "short" });
    expect(of("rotation-plain-c")).toMatchObject({ value: 1, verdict: "met" });
    expect(of("rotation-limit")).toMatchObject({ value: 0.7, verdict: "met" });
    expect(of("rotation-ort").verdict).toBe("not measured");
    expect(rows).toHaveLength(5);
  });

  it("calls a row met only where the worse quartile meets the target, and short where not even the better does", async () => {
    const { contractRows } = await from("report/contracts.mjs");
    const verdict = (q1: number, q3: number) => {
      const own = { ...timed("ropewalk", 1), q1: 1, q3: 1 };
      const rows = contractRows([group([own, { ...timed("js-a", (q1 + q3) / 2), q1, q3 }])]) as { id: string }[];
      return rows.find(({ id }) => id === "rotation-js");
    };
    expect(verdict(5.1, 5.5)).toMatchObject({ target: 5, verdict: "met" });
    expect(verdict(4.9, 5.5)).toMatchObject({ verdict: "within the spread" });
    expect(verdict(4.5, 5.3)).toMatchObject({ verdict: "within the spread" });
    expect(verdict(4.5, 4.9)).toMatchObject({ verdict: "short" });
  });

  it("sets no target beside a rival for what leaves the caches, and says why a row was not measured", async () => {
    const { contractRows } = await from("report/contracts.mjs");
    const failed = { key: "ort-op", label: "ort", error: "its graphs did not run" };
    const rows = contractRows([
      { ...group([timed("ropewalk", 2), timed("js-a", 6), failed, timed("scale", 1.7)]), key: "half/B" },
    ]) as { id: string; target: number; verdict: string }[];
    const of = (id: string) => rows.find((row) => row.id === id)!;
    expect(of("rotation-js")).toMatchObject({ target: null, value: 3, verdict: "no target" });
    expect(of("rotation-limit")).toMatchObject({ target: 0.85, verdict: "met" });
    expect(of("rotation-ort")).toMatchObject({ verdict: "not measured", why: "its graphs did not run" });
  });

  it("takes no time below zero for a table that costs nothing", async () => {
    const { contractRows } = await from("report/contracts.mjs");
    const table = (median: number) => {
      const rows = [timed("known", 8), timed("table", median)];
      return contractRows([{ suite: "call", host: "node", key: "table", title: "", rows }])[0];
    };
    expect(table(1)).toMatchObject({ value: 0.125, verdict: "met" });
    expect(table(4)).toMatchObject({ value: 0.5, verdict: "short" });
    expect(table(-1)).toMatchObject({ verdict: "not measured" });
    // A quartile below zero is no measurement either, whatever the median.
    const rows = [timed("known", 8), { ...timed("table", 0.2), q1: -1 }];
    const [noise] = contractRows([{ suite: "call", host: "node", key: "table", title: "", rows }]) as object[];
    expect(noise).toMatchObject({ verdict: "not measured", why: "the difference is within the noise" });
  });

  it("finds the note of a row by its pattern", async () => {
    const { noteFor } = await from("report/shortfalls.mjs");
    const notes = { "rotation-limit/*/half/A": "one", "rotation-*": "two" };
    expect(noteFor(notes, "rotation-limit/node/half/A").note).toBe("one");
    expect(noteFor(notes, "rotation-limit/node/half/B").note).toBe("two");
    expect(noteFor(notes, "matmul-peak/node/1")).toBeNull();
  });

  it("takes options, and refuses what it does not know", async () => {
    const { parseArguments, planOf } = await from("arguments.mjs");
    expect(parseArguments(["--quick", "--only", "rotation,native"])).toMatchObject({
      quick: true,
      only: ["rotation", "native"],
    });
    expect(() => parseArguments(["--only", "speed"])).toThrow('--only is "speed"; allowed: rotation');
    expect(() => parseArguments(["--fast"])).toThrow("--fast");
    expect(parseArguments(["--only", "models", "--long", "--document"])).toMatchObject({ long: true, document: true });
    expect(() => parseArguments(["--document", "--quick"])).toThrow("leave --quick out");
    expect(() => parseArguments(["--long", "--quick"])).toThrow("exclude each other");
    expect(planOf(["rotation"])).toEqual([
      ["node", "rotation"],
      ["chromium", "rotation"],
    ]);
    expect(planOf(["rotation", "browser"])).toEqual([["chromium", "rotation"]]);
    expect(planOf(["rotation", "native", "node"])).toEqual([
      ["node", "rotation"],
      ["node", "native"],
    ]);
    expect(planOf(["node", "browser"])).toEqual(planOf([]));
    expect(planOf([])).toHaveLength(16);
  });
});

describe("models of true shapes", async () => {
  const { MODELS, operations, configOf } = await from("models/shapes.mjs");
  const weights = await from("models/weights.mjs");
  const { parametersOf } = await from("models/parameters.mjs");

  it("have as many parameters as the published ones, and as many operations as their shapes say", () => {
    const count = (name: string) =>
      (parametersOf(name, MODELS[name]) as { shape: number[] }[]).reduce(
        (sum, { shape }) => sum + shape.reduce((product, each) => product * each, 1),
        0,
      );
    // all-MiniLM-L6-v2 has 22713216, of which the pooler, that no embedding passes through, takes 384 * 385.
    expect(count("minilm")).toBe(22713216 - 384 * 385);
    expect(count("modernbert")).toBe(149014272);
    expect(operations(MODELS.minilm, 16)).toBe(6 * (2 * 16 * 384 * (4 * 384 + 2 * 1536) + 4 * 16 * 16 * 384));
    expect(configOf("modernbert", { global_attn_every_n_layers: 1 })).toMatchObject({
      local_attention: 128,
      global_attn_every_n_layers: 1,
    });
  });

  it("have the same weights for a name, in every format", () => {
    const { levels, scaled, matrixScale, bfloat16, transposed, vector } = weights;
    const all = levels("a.weight", 5000) as Int8Array;
    expect(levels("a.weight", 100)).toEqual(all.slice(0, 100));
    expect(levels("b.weight", 100)).not.toEqual(all.slice(0, 100));
    expect([Math.min(...all), Math.max(...all)]).toEqual([-127, 127]);
    expect(Math.abs(all.reduce((sum, each) => sum + each, 0) / all.length)).toBeLessThan(4);
    const floats = scaled(all, matrixScale(768)) as Float32Array;
    expect(matrixScale(768)).toBe(2 ** -11);
    const halves = bfloat16(floats) as Uint16Array;
    const widened = new Float32Array(Uint32Array.from(halves, (half) => half << 16).buffer);
    expect(widened).toEqual(floats);
    expect(transposed(Int8Array.of(1, 2, 3, 4, 5, 6), 2, 3)).toEqual(Int8Array.of(1, 4, 2, 5, 3, 6));
    expect((vector("gain", 50, 1) as Float32Array).every((each) => Math.abs(each - 1) < 0.125)).toBe(true);
  });

  it("stand in safetensors as its header says", async () => {
    const { safetensors } = await from("models/files.mjs");
    const values = () => Float32Array.of(1, -2, 0.5, 4);
    const parameters = [
      { name: "m", shape: [2, 2], values },
      { name: "v", shape: [4], values },
    ];
    const file = Buffer.concat([...(safetensors(parameters, true) as Iterable<Uint8Array>)]);
    const length = Number(file.readBigUInt64LE());
    const header = JSON.parse(file.toString("utf8", 8, 8 + length)) as Record<string, { data_offsets: number[] }>;
    expect(header).toMatchObject({ m: { dtype: "BF16", data_offsets: [0, 8] }, v: { dtype: "F32", shape: [4] } });
    expect(file.length).toBe(8 + length + header.v!.data_offsets[1]!);
    expect(file.readUInt16LE(8 + length + 2)).toBe(0xc000);
    expect(file.readFloatLE(8 + length + 8 + 12)).toBe(4);
  });

  it("know words that no tokenizer divides", async () => {
    const { vocabulary, wordOf } = await from("models/words.mjs");
    const lines = (vocabulary(3000) as string).trimEnd().split("\n");
    expect(lines).toHaveLength(3000);
    expect(new Set(lines).size).toBe(3000);
    expect(lines[2000]).toBe(wordOf(2000));
    expect(lines.slice(5).every((line) => /^[a-z]+$/.test(line))).toBe(true);
  });

  it("are refused where a result is another one than the first", async () => {
    const { checked, cosineOf } = await from("models/engines.mjs");
    const engine = (result: number[]) => ({
      at: () => ({ run: async () => Float32Array.from(result), candidate: { sample: () => 1 } }),
    });
    const first = {};
    expect(await checked(engine([1, 2, 3]), 3, first, "float32")).toMatchObject({ cosine: expect.closeTo(1, 12) });
    expect(await checked(engine([1, 2, 3.2]), 3, first, "int8")).toMatchObject({ cosine: expect.closeTo(0.99953, 4) });
    await expect(checked(engine([1, 2, 3.2]), 3, first, "float32")).rejects.toThrow("its result is wrong");
    await expect(checked(engine([3, 2, 1]), 3, first, "int8")).rejects.toThrow("its result is wrong");
    await expect(checked(engine([Number.NaN, 2, 3]), 3, first, "int8")).rejects.toThrow("its result is wrong");
    expect(cosineOf([1, 0], [0, 1])).toBe(0);
    expect(() => cosineOf([1], [1, 2])).toThrow(RangeError);
  });
});

describe("what the document says of models", () => {
  const row = (key: string, median: number, more = {}) => ({
    ...{ key, label: key, median, q1: median, q3: median, min: median, max: median, cosine: 0.9991 },
    ...more,
  });
  const group = (host: string, key: string, rows: object[]) => ({ suite: "models", host, key, title: key, rows });
  const groups = [
    group("node", "minilm/float32/16", [row("ropewalk", 10), row("ort-fused", 15), row("native", 2)]),
    group("node", "minilm/int8/16", [
      row("ropewalk", 5),
      row("ort-exported", 8),
      row("ort-fused", 7),
      row("native", 1),
    ]),
    group("chromium", "modernbert/int8/512", [row("ropewalk", 5), row("ort-exported", 10)]),
    group("node", "windows", [row("ropewalk", 100), row("full", 150)]),
    group("node", "first-vector", [
      row("ropewalk-float32", 30, { code: 3e5, weights: 9e7 }),
      row("ropewalk-int8", 25, { code: 3e5, weights: 9e7 }),
      row("ropewalk-int8-file", 20, { code: 3e5, weights: 2.3e7 }),
      row("ort-q8", 80, { code: 1.5e7, weights: 2.3e7 }),
    ]),
    group("node", "embeds", [
      row("ropewalk", 3, { memory: { start: { resident: 2e8, module: 1e8 }, end: { resident: 2.1e8, module: 1e8 } } }),
    ]),
  ];

  it("holds them to their contract, and says what is not built", async () => {
    const { contractRows } = await from("report/contracts.mjs");
    const rows = contractRows(groups) as { key: string; value?: number; target: number; verdict: string }[];
    const of = (key: string) => rows.find((each) => each.key === key);
    expect(of("models-float32/node/minilm/float32/16")).toMatchObject({ value: 1.5, target: 1.3, verdict: "met" });
    // The faster of the two.
    expect(of("models-int8/node/minilm/int8/16")).toMatchObject({ value: 1.4, verdict: "no target" });
    expect(of("models-native/node/minilm/float32/16")).toMatchObject({ value: 0.2, verdict: "no target" });
    expect(of("models-relaxed/node/minilm/int8/16")).toBeUndefined();
    expect(of("models-relaxed/chromium/modernbert/int8/512")).toMatchObject({ target: 1.4 });
    expect(of("models-windows/node/windows")).toMatchObject({ value: 1.5, verdict: "met" });
    expect(of("models-first-vector/node/first-vector")).toMatchObject({ value: 4, target: 3, verdict: "met" });
    expect(of("models-code/node/first-vector")).toMatchObject({ value: 0.02, verdict: "met" });
    expect(of("models-memory/node/embeds")).toMatchObject({ value: 1, verdict: "met" });
    // Neither the C++ library nor ropewalk-native was measured here.
    for (const native of ["library", "addon"])
      for (const precision of ["float32", "int8"])
        expect(of(`${native}-${precision}/node/minilm/${precision}/16`)).toMatchObject({ verdict: "not measured" });
    expect(rows).toHaveLength(13);
    const inPage = { ...groups[4], host: "chromium" };
    expect(contractRows([inPage])[0]).toMatchObject({ key: "models-first-vector/chromium/first-vector", value: 4 });
    const without = contractRows([group("node", "first-vector", [row("ropewalk-int8", 20, { code: 3e5 })])]);
    expect(without.map(({ verdict }: { verdict: string }) => verdict)).toEqual(["not measured", "not measured"]);
  });

  it("is a table with what was measured, and nothing of what was not", async () => {
    const { modelsSection, modelsTables } = await from("report/models.mjs");
    const said = (all: object[]) =>
      [...(modelsSection(all) as string[]), ...(modelsTables(all) as string[])].join("\n");
    const text = said(groups);
    expect(text).toContain(
      "| node | MiniLM-L6 | 16 | 10.0 ms | 15.0 ms | 1.50 | 5.00 ms |  | 8.00 ms | 7.00 ms | 1.40 |  | 0.9991 |",
    );
    expect(text).toContain(
      "| chromium | ModernBERT-base | 512 |  |  |  | 5.00 ms |  | 10.0 ms |  | 2.00 |  | 0.9991 |",
    );
    expect(text).toContain(
      "that is 7.0 to 7.5 times as fast as onnxruntime-web and 5.0 to 5.0 times as fast as this package.",
    );
    expect(text).toContain("1.50 times as long");
    expect(text).toContain("| ort-q8 | a process of Node | 80.0 ms | 80.0 ms .. 80.0 ms | 15.0 MB | 23.0 MB |");
    expect(text).toContain("WebAssembly memory 100 MB at the start");
    const part = said(groups.slice(2, 3));
    expect(part).not.toMatch(/native|windows|undefined|NaN/);
    expect(modelsSection([])).toEqual([]);
  });

  it("keeps the rows of the contract that nobody measured again", async () => {
    const { mergedContracts } = await from("report/runs.mjs");
    const recorded = [
      { key: "a", target: 1, value: 2.001 },
      { key: "b", target: 1, value: 3 },
      { key: "c", target: 1, value: 4 },
    ];
    const all = [
      { key: "a", target: 1, value: 2 },
      { key: "b", target: 1, value: 3.3 },
      { key: "c", target: 2, value: 4 },
      { key: "d", target: 1, value: 5 },
    ];
    expect(mergedContracts(recorded, [{ key: "b" }], all)).toEqual([recorded[0], ...all.slice(1)]);
  });

  it("takes a later run's groups in place of the same ones, each with its machine and commit", async () => {
    const { merged, runsOf } = await from("report/runs.mjs");
    const recorded = {
      machine: { commit: "a" },
      took: 1,
      groups: [group("node", "windows", [row("ropewalk", 1)]), { ...group("node", "8", []), suite: "rotation" }],
      failures: [
        { host: "node", suite: "models", why: "old" },
        { host: "node", suite: "call", why: "kept" },
        { host: "node", suite: "native", why: "old" },
      ],
    };
    const machine = { commit: "b", date: "2026-11-22" };
    const native = { ...group("native", "half/A", []), suite: "native" };
    const later = { machine, command: "again", took: 9, groups: [...groups.slice(2, 4), native], failures: [] };
    const all = merged(recorded, later);
    expect(all.machine.commit).toBe("a");
    expect(all.groups.map(({ key }: { key: string }) => key)).toEqual([
      "windows",
      "8",
      "modernbert/int8/512",
      "half/A",
    ]);
    expect(all.groups[0]).toMatchObject({ run: { machine, command: "again" }, rows: [{ median: 100 }, {}] });
    expect(all.groups[1]).not.toHaveProperty("run");
    expect(all.failures).toEqual([{ host: "node", suite: "call", why: "kept" }]);
    const runs = runsOf(all.groups);
    const cases = ["models in Node", "models in Chromium", "native in Node"];
    expect(runs).toEqual([{ machine, command: "again", took: 9, cases }]);
  });
});

describe("docs/performance.md", () => {
  it("sorts what falls short under its notes, and says what nobody has explained", async () => {
    const { documentText, tablesText } = await from("report/document.mjs");
    const row = { host: "node", case: "half A", what: "x plain C", target: 1, atLeast: true };
    const measured = { value: 0.9, low: 0.8, high: 0.95, best: 0.9, verdict: "short" };
    const results = {
      machine: { processor: "P", cores: 2, caches: [], memoryGB: 1, system: "S", peers: {} },
      command: "npm run bench",
      took: 1000,
      failures: [{ host: "node", suite: "encoder", why: "it ended" }],
      groups: [{ host: "node", title: "half A", rows: [{ key: "tfjs", label: "tfjs", error: "not there" }] }],
      contracts: [
        { ...row, ...measured, key: "a/node/1" },
        { ...row, ...measured, key: "b/node/1", what: "x another" },
        { ...row, ...measured, key: "a/node/2", value: 1.1, verdict: "met" },
        { ...row, ...measured, key: "c/node/1", what: "x the moon", target: null, verdict: "no target" },
      ].map((each) => ({ id: each.key.slice(0, 1), ...each })),
      sizes: { loads: [{ name: "entry", files: ["a.js"], raw: 3, gzipped: 2, limit: 9 }], files: [] },
    };
    const text = documentText(results, { "a/*": "Because of memory.", "c/*": "Too far." }) as string;
    expect(text).toContain(
      "Of 4 comparisons 1 are met, 0 lie within the spread, 2 fall short, 0 could not be measured, and 1 have",
    );
    expect(text).toContain("- **x plain C (node, half A): 0.900 for 1.00.** Because of memory.");
    expect(text).toContain("- **x another (node, half A): 0.900 for 1.00.** Not yet explained.");
    expect(text).toMatch(
      /## Targets that were dropped[\s\S]*- \*\*x the moon \(node, half A\): 0\.900\.\*\* Too far\./,
    );
    expect(text).toContain("encoder in node failed: it ended");
    const tables = tablesText(results) as string;
    expect(tables).toContain("| entry | a.js | 3 | 2 | 9 |");
    expect(tables).toContain("failed: not there");
  });

  it("is what its results and notes say", async () => {
    const { documentText } = await from("report/document.mjs");
    const { feltRows, overviewPicture } = await from("report/overview.mjs");
    const read = (name: string) => readJson<object>(`docs/performance/${name}`);
    const { readPublished } = await from("report/published.mjs");
    const text = documentText(read("results.json"), read("notes.json"), readPublished()) as string;
    expect(readText("docs/performance.md")).toBe(text);
    expect(text.split("\n").length).toBeLessThanOrEqual(200);
    const rows = feltRows((read("results.json") as { contracts: object[] }).contracts) as object[];
    expect(rows.length).toBeGreaterThan(8);
    expect(readText("docs/performance/overview.svg")).toBe(overviewPicture(rows));
  });
});
