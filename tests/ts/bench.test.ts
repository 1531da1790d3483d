/** The arithmetic of the bench: what it says of samples, how it samples, what it writes. Nothing here is timed. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const from = (path: string) => import(/* @vite-ignore */ pathToFileURL(join(root, "tests/bench", path)).href);

interface Summary {
  median: number;
  q1: number;
  q3: number;
  min: number;
  max: number;
  count: number;
}
const { summary, differencePerNode, ratio, pairedRatio, ranksOutside } = (await from("harness/statistics.mjs")) as {
  summary(samples: number[]): Summary;
  differencePerNode(
    long: (number | undefined)[],
    short: (number | undefined)[],
    longNodes: number,
    shortNodes: number,
  ): number[];
  ratio(a: Summary, b: Summary): { median: number; low: number; high: number };
  pairedRatio(a: number[], b: number[]): { ratio: number; low: number; high: number; pairs: number };
  ranksOutside(n: number): number;
};
interface Sampled {
  key: string;
  samples: (number | undefined)[];
  error?: string;
}
interface Candidate {
  key: string;
  label: string;
  sample(iterations: number): number | Promise<number>;
}
const { sampleAll, roundsOf } = (await from("harness/sampler.mjs")) as {
  sampleAll(
    candidates: Candidate[],
    timing: { rounds: number; sampleMs: number; budgetMs: number; atLeast?: number },
  ): Promise<Sampled[]>;
  roundsOf(count: number, rounds: number): Set<number>;
};
const { measureGroup } = (await from("harness/group.mjs")) as {
  measureGroup(about: object): Promise<{ rows: ({ key: string; error?: string } & Partial<Summary>)[] }>;
};
const { table, digits, time } = (await from("report/markdown.mjs")) as {
  table(head: string[], rows: string[][], align?: string): string;
  digits(value: number): string;
  time(ms: number): string;
};
const { Message } = (await from("onnx/protobuf.mjs")) as {
  Message: new () => {
    integer(field: number, value: number | bigint): InstanceType<typeof Message>;
    float(field: number, value: number): InstanceType<typeof Message>;
    string(field: number, value: string): InstanceType<typeof Message>;
    message(field: number, value: object): InstanceType<typeof Message>;
    encoded(): Uint8Array;
  };
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
        expect(min <= q1 && q1 <= median && median <= q3 && q3 <= max).toBe(true);
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
  const fake = (key: string, cost: number, log: string[] = []): Candidate => ({
    key,
    label: key,
    sample(iterations) {
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
    const { LOOPS } = await from("candidates/javascript-loops.mjs");
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
    expect(rows).toHaveLength(4);
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
  });

  it("finds the note of a row by its pattern", async () => {
    const { noteFor } = await from("report/document.mjs");
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
    expect(() => parseArguments(["--document", "--quick"])).toThrow("whole run");
    expect(planOf(["rotation"])).toEqual([["node", "rotation"]]);
    expect(planOf(["rotation", "browser"])).toEqual([["chromium", "rotation"]]);
    expect(planOf([])).toHaveLength(12);
  });
});

describe("docs/performance.md", () => {
  const docs = join(root, "docs/performance");

  it("sorts what falls short under its notes, and says what nobody has explained", async () => {
    const { documentText } = await from("report/document.mjs");
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
      ],
      sizes: { loads: [{ name: "entry", files: ["a.js"], raw: 3, gzipped: 2, limit: 9 }], files: [] },
    };
    const text = documentText(results, { "a/*": "Because of memory." }) as string;
    expect(text).toContain("1 of 3 rows met, 0 within the spread, 2 short");
    expect(text).toMatch(/x plain C: 0\.900 for 1 \(short\)\n\nBecause of memory\./);
    expect(text).toMatch(/x another: 0\.900 for 1 \(short\)\n\nNot yet explained\./);
    expect(text).toContain("encoder in node failed: it ended");
    expect(text).toContain("| entry | a.js | 3 | 2 | 9 |");
    expect(text).toContain("failed: not there");
  });

  it.runIf(existsSync(join(docs, "results.json")))("is what its results and notes say", async () => {
    const { documentText } = await from("report/document.mjs");
    const read = (name: string) => JSON.parse(readFileSync(join(docs, name), "utf8")) as object;
    const text = documentText(read("results.json"), read("notes.json")) as string;
    expect(readFileSync(join(root, "docs/performance.md"), "utf8")).toBe(text);
  });
});
