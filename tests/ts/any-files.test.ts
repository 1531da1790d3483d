/**
 * Files with something changed: a value of their JSON, a few bytes, their end. Whatever a stranger's file holds, a call
 * answers, or fails with an error of this package that names the function; and it leaves no memory behind. fast-check
 * chooses the changes and shrinks them to the fewest that fail. `npm run fuzz -- javascript` tries them for minutes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { type FileSource, load } from "ropewalk";
import { afterAll, expect, it } from "vitest";
import { FileError } from "../../bindings/ts/cli/files.js";
import { parseTsv } from "../../bindings/ts/cli/glue/tsv.js";
import { type Npy, readNpy, writeNpy } from "../../bindings/ts/cli/npy.js";
import { answers as answersOf, type Change, changed } from "./changed-files.js";
import { testFolder } from "./command-line.js";
import { decoderFiles } from "./decoder-folder.js";
import { goldenUrl } from "./golden.js";
import type { Stats } from "./memory.js";
import { bytePairs, filesOf, unigram, vocabulary } from "./model-folder.js";

/** Seconds for each property; without it a fixed number of changes, the same at each run. */
const seconds = Number(process.env.ROPEWALK_FUZZ_SECONDS ?? 0);
const tries = (count: number): fc.Parameters<unknown> =>
  seconds > 0
    ? { numRuns: 1e9, interruptAfterTimeLimit: 1000 * seconds, markInterruptAsFailure: false }
    : { numRuns: count, seed: 20260101 };
let tried = 0;
afterAll(() => {
  if (seconds > 0) console.log(`any-files: ${tried} inputs`);
});

const ropewalk = await load();
const folder = testFolder("any-files");
/** No model is left, and no more memory than the longest message of an error keeps. */
function expectNothingLeft(before: Stats): void {
  const { handles, heapBytes } = ropewalk.stats();
  expect(handles).toBe(before.handles);
  expect(heapBytes - before.heapBytes).toBeLessThan(8192);
}

/** A value that a file should not hold there, or might. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    -1,
    0,
    1,
    0.5,
    1e308,
    -0,
    2 ** 31,
    2 ** 32 + 1,
    2 ** 53,
    "",
    "a",
    "\u0000",
  ),
  fc.constantFrom<unknown>([], {}, [null], [[]], { type: "none" }, "__proto__", "constructor", "a".repeat(100)),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Numbers that choose places in what they meet. */
const places = fc.array(fc.nat(), { minLength: 1, maxLength: 8 });

const change: fc.Arbitrary<Change> = fc.tuple(places, odd, fc.constantFrom("replace", "remove", "add"));

type Damage = readonly [at: number, bytes: Uint8Array, cut: boolean];
const damage: fc.Arbitrary<Damage> = fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 8 }), fc.boolean());

/** A copy of `bytes` with some others among the first 4096, where headers are, or its end missing. */
function damaged(bytes: Uint8Array, [at, others, cut]: Damage): Uint8Array<ArrayBuffer> {
  const place = at % Math.max(1, Math.min(4096, bytes.length));
  if (cut) return new Uint8Array(bytes.subarray(0, at % (bytes.length + 1)));
  const copy = new Uint8Array(bytes);
  copy.set(others.subarray(0, copy.length - place), place);
  return copy;
}

/** The functions that are called here. No error names the reader of a family or a format in their place. */
const CALLED = ["encoder", "embed", "decoder", "generate", "renderChat", "index", "search", "rotateBy"];

function answers<T>(call: () => Promise<T>): Promise<T | undefined> {
  tried++;
  return answersOf(CALLED, call);
}

const textOf = (source: FileSource | undefined): unknown =>
  source instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(source)) : source;

const encoderFiles = {
  words: () => filesOf("bert-minilm", { "vocab.txt": vocabulary() }),
  unigram: () => filesOf("xlm-roberta-e5", { "tokenizer.json": unigram() as FileSource }),
  bytePairs: () => filesOf("modernbert-long", { "tokenizer.json": bytePairs() as FileSource }),
};

for (const [kind, make] of Object.entries(encoderFiles)) {
  it(`an encoder with ${kind} answers or refuses, whichever of its JSON is changed`, async () => {
    const names = [...make().keys()].filter((name) => name.endsWith(".json") && name !== "expected.json");
    // A module's first model takes memory that stays.
    (await ropewalk.encoder(make())).dispose();
    const before = ropewalk.stats();
    await fc.assert(
      fc.asyncProperty(fc.nat(), change, async (which, one) => {
        const files = make();
        const name = names[which % names.length]!;
        files.set(name, new TextEncoder().encode(JSON.stringify(changed(textOf(files.get(name)), one))));
        const model = await answers(() => ropewalk.encoder(files));
        if (model === undefined) return;
        const vectors = await answers(() => model.embed(["the rope", "a ship"]));
        model.dispose();
        for (const vector of vectors ?? []) expect(vector.every(Number.isFinite)).toBe(true);
      }),
      tries(40),
    );
    expectNothingLeft(before);
  });
}

it("an encoder refuses damaged bytes of its files, or answers", async () => {
  const names = [...encoderFiles.words().keys()].filter((name) => name !== "expected.json");
  await fc.assert(
    fc.asyncProperty(fc.nat(), damage, async (which, one) => {
      const files = encoderFiles.words();
      const name = names[which % names.length]!;
      files.set(name, damaged(files.get(name) as Uint8Array, one));
      const model = await answers(() => ropewalk.encoder(files));
      if (model === undefined) return;
      await answers(() => model.embed("the rope"));
      model.dispose();
    }),
    tries(60),
  );
});

it("a decoder answers or refuses, whichever of its files is changed", async () => {
  (await ropewalk.decoder(decoderFiles())).dispose();
  const before = ropewalk.stats();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("config.json", "tokenizer.json", "generation_config.json"),
      change,
      async (name, one) => {
        const files = decoderFiles({ "generation_config.json": { eos_token_id: [2] } as FileSource });
        files[name] = changed(textOf(files[name]), one) as FileSource;
        const model = await answers(() => ropewalk.decoder(files));
        if (model === undefined) return;
        await answers(async () => {
          for await (const _ of model.generate("w1 w2", { maxTokens: 3 }));
        });
        model.dispose();
      },
    ),
    tries(60),
  );
  expectNothingLeft(before);
});

it("an encoder of a GGUF file answers or refuses, whichever of its first bytes are changed", async () => {
  const whole = new Uint8Array(readFileSync(goldenUrl("gguf-2/bert-q8_0.gguf")));
  (await ropewalk.encoder({ "model.gguf": whole })).dispose();
  const before = ropewalk.stats();
  await fc.assert(
    fc.asyncProperty(damage, async (one) => {
      const model = await answers(() => ropewalk.encoder({ "model.gguf": damaged(whole, one) }));
      if (model === undefined) return;
      await answers(() => model.embed("the rope"));
      model.dispose();
    }),
    tries(60),
  );
  expectNothingLeft(before);
});

it("a chat is written by any template, or refused", async () => {
  const parts = fc.constantFrom(
    ...["{{ ", " }}", "{% ", " %}", "for m in messages", "endfor", "if ", "else", "endif", "m.content", "m['role']"],
    ...[
      "set ns = namespace(a=1)",
      "ns.a",
      "loop.index",
      "range(9)",
      "|",
      "trim",
      "tojson",
      "+",
      "~",
      "'",
      "(",
      ")",
      "[",
      "]",
    ],
    ...[
      "macro f(x)",
      "endmacro",
      "f(1)",
      "raise_exception('x')",
      "strftime_now('%Y')",
      "is defined",
      "none",
      "{#",
      "#}",
      "-",
    ],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(parts, fc.string()), { maxLength: 20 }), async (words) => {
      const files = decoderFiles({ "tokenizer_config.json": { chat_template: words.join("") } as FileSource });
      const model = await answers(() => ropewalk.decoder(files));
      if (model === undefined) return;
      const text = await answers(async () => model.renderChat([{ role: "user", content: "the rope" }]));
      model.dispose();
      if (text !== undefined) expect(typeof text).toBe("string");
    }),
    tries(60),
  );
});

it("an index of vectors is read as it was saved, or refused", async () => {
  const kept = ropewalk.index({ dimensions: 3 });
  for (let n = 0; n < 5; n++) kept.add({ id: `e${n}`, vector: Float32Array.of(1, n, 2), fields: { n } });
  const saved = kept.save();
  kept.dispose();
  ropewalk.index({ saved }).dispose();
  const before = ropewalk.stats();
  await fc.assert(
    fc.asyncProperty(damage, async (one) => {
      const index = await answers(async () => ropewalk.index({ saved: damaged(saved, one) }));
      if (index === undefined) return;
      await answers(async () => index.search(new Float32Array(index.dimensions).fill(1), { k: 3 }));
      index.dispose();
    }),
    tries(100),
  );
  expectNothingLeft(before);
});

it("rotateBy answers finite numbers, or refuses", async () => {
  const size = fc.oneof(
    fc.integer({ min: -1, max: 4 }),
    fc.constantFrom<unknown>(Number.NaN, 2 ** 31, 2 ** 53, "2", null),
  );
  const shape = fc.record({ batch: size, sequence: size, heads: size, dimension: size, pairs: size, pairing: odd });
  await fc.assert(
    fc.asyncProperty(shape, fc.array(fc.double(), { maxLength: 8 }), fc.nat(16), async (options, angles, count) => {
      const x = Float32Array.from({ length: count }, (_, i) => i);
      const y = await answers(async () => ropewalk.rotateBy(x, angles, options as never));
      expect(x).toEqual(Float32Array.from({ length: count }, (_, i) => i));
      if (y !== undefined) expect(y.every(Number.isFinite)).toBe(true);
    }),
    tries(200),
  );
});

const elements = (shape: number[]) => shape.reduce((product, size) => product * size, 1);

it("a .npy file is read as it was written, or refused", async () => {
  const path = join(folder, "x.npy");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 }),
      damage,
      fc.boolean(),
      async (shape, one, whole) => {
        tried++;
        const array = { shape, data: Float32Array.from({ length: elements(shape) }, (_, i) => Math.sin(i)) };
        await writeNpy(path, array);
        if (whole) {
          expect(await readNpy(path)).toEqual(array);
          return;
        }
        writeFileSync(path, damaged(readFileSync(path), one));
        const read = await readNpy(path).catch((error: unknown) => error);
        if (read instanceof Error) expect(read).toBeInstanceOf(FileError);
        else expect(elements((read as Npy).shape)).toBe((read as Npy).data.length);
      },
    ),
    tries(100),
  );
});

it("any text is a table with a cell for each column, or refused with its line", () => {
  const cells = fc.constantFrom("", "a", "label", "sentence", "\t", "\n", "\r\n", "\ufeff", '"', "\u0000", "\u2028");
  fc.assert(
    fc.property(fc.array(fc.oneof(cells, fc.string()), { maxLength: 30 }), fc.boolean(), (parts, header) => {
      tried++;
      const text = parts.join("");
      const columns = header ? { label: "label", text: "sentence" } : { label: 0, text: 1, withoutHeader: 2 };
      try {
        for (const row of parseTsv("x.tsv", text, columns)) {
          expect(`${row.label}${row.text}`).not.toMatch(/[\t\n]/);
          expect(row.line).toBeLessThanOrEqual(text.split("\n").length);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(FileError);
        expect((error as Error).message).toContain("x.tsv");
      }
    }),
    tries(300),
  );
});
