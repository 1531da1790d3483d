/** Generating, cancelling and operating on caches, with a made-up tokenizer of words. */
import { type Decoder, type FileSource, load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { Lookup } from "../../bindings/ts/model/decoder/lookup.js";
import { TextStream } from "../../bindings/ts/model/decoder/text-stream.js";
import type { Tokenizer } from "../../bindings/ts/model/text/tokenizer.js";
import { decoderFiles, VOCABULARY } from "./decoder-folder.js";
import { idsOf } from "./every-way.js";

const ropewalk = await load();
const files = decoderFiles;

const open = (more?: Record<string, FileSource>, context = 64): Promise<Decoder> =>
  ropewalk.decoder(files(more), { context });

describe("choose", async () => {
  const model = await open();

  it.each([
    ["a text", "w5 w6 w7"],
    ["ids", [1, 8, 9, 10]],
  ])("scores each choice as products of all tokens do, behind %s", async (_, prompt) => {
    const choices = ["w9", "w1 w2", "w1 w3 w4", "w9 w9 w9 w9"].map((each) => ` ${each}`);
    const found = await model.choose(prompt, choices);
    const start = typeof prompt === "string" ? model.encode(prompt) : prompt;
    const expected = choices.map((choice) => {
      using cache = model.cache();
      const ids = model.encode(choice, { addSpecialTokens: false });
      const logits = cache.feed([...start, ...ids], { all: true });
      const size = logits.length / (start.length + ids.length);
      return ids.reduce((sum, id, i) => {
        const row = [...logits.subarray((start.length + i - 1) * size, (start.length + i) * size)];
        const total = row.reduce((all, each) => all + Math.exp(each), 0);
        return sum + row[id]! - Math.log(total);
      }, 0);
    });
    expect(found.map(({ index }) => index)).toEqual([0, 1, 2, 3].sort((a, b) => expected[b]! - expected[a]!));
    for (const { index, choice, logProbability } of found) {
      expect(choice).toBe(choices[index]);
      expect(logProbability).toBeCloseTo(expected[index]!, 4);
    }
    expect(found.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(1, 10);
  });

  it("refuses what it cannot score", async () => {
    await expect(model.choose("w5", [])).rejects.toThrow("choose: `choices.length` is 0; allowed: at least 1");
    await expect(model.choose("w5", ["w1", ""])).rejects.toThrow(/`choices\[1\]` is ""/);
    await expect(model.choose("w5", ["w1"], { k: 1 } as never)).rejects.toThrow("unknown option `k`");
  });
});

describe("generate", async () => {
  const model = await open();

  it("writes text, and says why it ended", async () => {
    const generation = model.generate("w5 w6 w7", { maxTokens: 6 });
    expect(generation.finishReason).toBeUndefined();
    const tokens = [];
    for await (const token of generation) tokens.push(token);
    expect(tokens).toHaveLength(6);
    expect(generation.finishReason).toBe("length");
    const text = tokens.map((token) => token.text).join("");
    expect(text.trim()).toBe(model.decode(tokens.map(({ id }) => id)).trim());
    expect(await model.generate("w5 w6 w7", { maxTokens: 6 }).text()).toBe(text);
    // It can be iterated once.
    expect(await idsOf(generation)).toEqual([]);
  });

  it("frames a text for an empty cache alone", async () => {
    expect(model.encode("w5 w6")).toEqual([1, 8, 9]);
    expect(model.encode("w5 w6", { addSpecialTokens: false })).toEqual([8, 9]);
    using cache = model.cache();
    await idsOf(model.generate("w5", { cache, maxTokens: 2 }));
    expect([...cache.tokens()].slice(0, 2)).toEqual([1, 8]);
    expect(cache.length).toBe(4);
    await idsOf(model.generate("w6", { cache, maxTokens: 1 }));
    expect([...cache.tokens()].slice(4, 5)).toEqual([9]);
    await idsOf(model.generate("w6", { cache, maxTokens: 1, addSpecialTokens: true }));
    expect([...cache.tokens()].slice(6, 8)).toEqual([1, 9]);
  });

  it("leaves the cache where the shown text ends", async () => {
    const prompt = model.encode("w5 w6 w7");
    // Drawn, since the likeliest tokens of this small model repeat each other.
    const drawn = { temperature: 1, seed: 2 };
    const ids = await idsOf(model.generate(prompt, { ...drawn, maxTokens: 8 }));
    const heldAfter = async (options: object, seen = Number.POSITIVE_INFINITY) => {
      using cache = model.cache();
      const generation = model.generate(prompt, { ...drawn, maxTokens: 8, ...options, cache });
      let text = "";
      let count = 0;
      for await (const token of generation) {
        text += token.text;
        if (++count === seen) break;
      }
      const held = [...cache.tokens()];
      expect(held.slice(0, prompt.length)).toEqual(prompt);
      return { text: text.trim(), held: held.slice(prompt.length), reason: generation.finishReason };
    };
    // All of them, the last one too.
    expect((await heldAfter({})).held).toEqual(ids);
    expect((await heldAfter({}, 3)).held).toEqual(ids.slice(0, 3));
    // Nothing of a stop string that begins with a token.
    const words = ids.map((id) => model.decode([id]));
    const stop = words.findIndex((word, i) => i > 1 && !words.slice(0, i).some((each) => each.includes(word)));
    const stopped = await heldAfter({ stop: [words[stop]!] });
    expect(stopped.reason).toBe("stop");
    expect(stopped.held).toEqual(ids.slice(0, stop));
    expect(model.decode(stopped.held)).toBe(stopped.text);
    // An answer that is continued is the answer that was not interrupted.
    using cache = model.cache();
    const whole = await idsOf(model.generate(prompt, { maxTokens: 8 }));
    await idsOf(model.generate(prompt, { cache, maxTokens: 3 }));
    expect(await idsOf(model.generate("", { cache, maxTokens: 5 }))).toEqual(whole.slice(3));
  });

  it("keeps a part of a token that was shown before a stop string", async () => {
    const prompt = model.encode("w5 w6 w7");
    const [first, second] = await idsOf(model.generate(prompt, { maxTokens: 2 }));
    const word = model.decode([second!]);
    using cache = model.cache();
    // "w1" is shown of "w12": a word of its own.
    const stop = word.slice(-1);
    const text = await model.generate(prompt, { cache, maxTokens: 2, stop: [stop] }).text();
    const held = [...cache.tokens()].slice(prompt.length);
    if (!model.decode([first!]).includes(stop)) {
      expect(held[0]).toBe(first);
      expect(model.decode(held).startsWith(model.decode([first!]))).toBe(true);
      expect(text.trim().startsWith(model.decode(held))).toBe(true);
    }
  });

  it("refuses a cache that another generation uses", async () => {
    using cache = model.cache();
    const [one, other] = await Promise.allSettled([
      model.generate("w5", { cache, maxTokens: 3 }).text(),
      model.generate("w6", { cache, maxTokens: 3 }).text(),
    ]);
    expect(one.status).toBe("fulfilled");
    expect(other).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("is in use") } });
    // It is free again once the first has ended, however it ends.
    const broken = model.generate("w5", { cache, maxTokens: 9 });
    await broken.next();
    await expect(model.generate("w6", { cache }).text()).rejects.toThrow(/in use/);
    await broken.return?.();
    await model.generate("w6", { cache, maxTokens: 1 }).text();
  });

  it("counts a prompt that is too long", async () => {
    await expect(model.generate(new Array(100).fill(5)).text()).rejects.toThrow(
      "generate: the prompt is 100 tokens; allowed: at most `context` = 64 in all",
    );
  });

  it.each([
    ["max_new_tokens", "; did you mean `maxTokens`?"],
    ["topk", "; did you mean `topK`?"],
    ["do_sample", ": `temperature` above 0 samples"],
    ["frobnicate", "; allowed: temperature, "],
  ])("refuses the option %s", async (name, said) => {
    const generation = model.generate("w5", { [name]: 3 });
    await expect(generation.text()).rejects.toThrow(`generate: unknown option \`${name}\`${said}`);
  });

  it("counts the tokens of the prompt, of the cache, and its own", async () => {
    const cache = model.cache();
    const first = model.generate([5, 6, 7], { cache, maxTokens: 4 });
    expect(first.usage).toEqual({ promptTokens: 0, cachedTokens: 0, completionTokens: 0 });
    await first.next();
    expect(first.usage).toEqual({ promptTokens: 3, cachedTokens: 0, completionTokens: 1 });
    const ids = await idsOf(first);
    expect(first.usage).toEqual({ promptTokens: 3, cachedTokens: 0, completionTokens: 1 + ids.length });
    const held = cache.length;
    const second = model.generate([9], { cache, maxTokens: 2 });
    const more = await idsOf(second);
    const usage = { promptTokens: held + 1, cachedTokens: held, completionTokens: more.length };
    expect(second.usage).toEqual(usage);
  });

  it("ends before a stop string, of which no part is written", async () => {
    const whole = await model.generate("w5 w6 w7", { maxTokens: 8 }).text();
    const stop = whole.slice(-6, -1);
    const generation = model.generate("w5 w6 w7", { maxTokens: 8, stop: [stop, "never"] });
    expect(await generation.text()).toBe(whole.slice(0, whole.indexOf(stop)));
    expect(generation.finishReason).toBe("stop");
  });

  it("ends with an EOS id of generation_config.json before those of config.json", async () => {
    const [, second, third] = await idsOf(model.generate([1, 8, 9], { maxTokens: 3 }));
    const eos = second === third ? second! : third!;
    using other = await open({ "generation_config.json": { eos_token_id: [60, eos] } });
    const generation = other.generate([1, 8, 9], { maxTokens: 30 });
    const ids = await idsOf(generation);
    expect(ids.at(-1)).toBe(eos);
    expect(ids.indexOf(eos)).toBe(ids.length - 1);
    expect(generation.finishReason).toBe("eos");
  });

  it("ends where the context is full", async () => {
    using small = await open({}, 12);
    const generation = small.generate([1, 8, 9, 10]);
    const ids = await idsOf(generation);
    if (generation.finishReason !== "eos") {
      expect(generation.finishReason).toBe("context");
      // Twelve are held, and one more came of the last.
      expect(ids).toHaveLength(9);
    }
    await expect(idsOf(small.generate(new Array(13).fill(5)))).rejects.toThrow(/`context` = 12/);
  });

  it("gives the same text for the same seed", async () => {
    const sample = (seed: number) => idsOf(model.generate([1, 8, 9], { maxTokens: 20, temperature: 1.5, seed }));
    expect(await sample(3)).toEqual(await sample(3));
    expect(await sample(3)).not.toEqual(await sample(4));
  });

  it("is cancelled with the signal's reason, and frees what it made", async () => {
    const before = ropewalk.stats().handles;
    const abort = new AbortController();
    const generation = model.generate([1, 8, 9], { signal: abort.signal });
    await generation.next();
    abort.abort(new Error("enough"));
    await expect(idsOf(generation)).rejects.toThrow("enough");
    for await (const _ of model.generate([1, 8])) break;
    expect(ropewalk.stats().handles).toBe(before);
  });

  it.each([
    [{ temperature: -1 }, "temperature"],
    [{ topP: 0 }, "topP"],
    [{ topK: 1.5 }, "topK"],
    [{ minP: 2 }, "minP"],
    [{ repetitionPenalty: 0 }, "repetitionPenalty"],
    [{ seed: -1 }, "seed"],
    [{ maxTokens: -1 }, "maxTokens"],
    [{ stop: "no list" }, "stop"],
    [{ stop: [""] }, "stop"],
    [{ cache: {} }, "cache"],
    [{ temperature: "hot" }, "temperature"],
  ])("refuses %o by name", async (options, name) => {
    await expect(model.generate([1], options as object).next()).rejects.toThrow(`\`${name}`);
  });

  it("returns the whole text, also after some tokens were read", async () => {
    const whole = await model.generate([1, 8], { maxTokens: 6 }).text();
    expect(whole).not.toBe("");
    const generation = model.generate([1, 8], { maxTokens: 6 });
    for (let i = 0; i < 3; i++) await generation.next();
    expect(await generation.text()).toBe(whole);
    expect(await generation.text()).toBe(whole);
  });

  it("refuses prompts that are none", async () => {
    await expect(model.generate([]).next()).rejects.toThrow("`prompt.length` is 0");
    await expect(model.generate([61]).next()).rejects.toThrow("`ids[0]` is 61");
    await expect(model.generate([0.5]).next()).rejects.toThrow("`prompt[0]` is 0.5");
    await expect(model.generate(undefined as never).next()).rejects.toThrow("`prompt` is undefined; allowed: a text");
    const messages = [{ role: "user", content: "w1" }];
    await expect(model.generate(messages as never).next()).rejects.toThrow("`chat` takes messages");
  });

  it("needs a tokenizer for text alone", async () => {
    const { "tokenizer.json": _, ...rest } = files();
    using plain = await ropewalk.decoder(rest);
    expect(() => plain.encode("w1")).toThrow("without a tokenizer");
    await expect(plain.generate("w1").next()).rejects.toThrow("without a tokenizer");
    const [first] = await idsOf(plain.generate([1, 8], { maxTokens: 1 }));
    expect(first).toBeTypeOf("number");
  });
});

describe("caches", async () => {
  const model = await open();
  const ids = Array.from({ length: 40 }, (_, i) => (i * 7) % VOCABULARY);

  it("prefill as feed does, and stay as they are on cancel", async () => {
    using long = await open({}, 400);
    const many = Array.from({ length: 300 }, (_, i) => (i * 11) % VOCABULARY);
    using cache = long.cache();
    using other = long.cache();
    cache.feed([3, 4]);
    other.feed([3, 4]);
    const done: number[] = [];
    const logits = await cache.prefill(many, { onProgress: (count) => done.push(count) });
    expect(logits).toEqual(other.feed(many));
    expect(done.at(-1)).toBe(300);
    const before = cache.keys(1);
    const abort = new AbortController();
    const filling = cache.prefill(many.slice(0, 90), {
      signal: abort.signal,
      onProgress: () => abort.abort(new Error("stop")),
    });
    expect(() => cache.feed([1])).toThrow("`prefill` is filling this cache");
    await expect(filling).rejects.toThrow("stop");
    expect(cache.length).toBe(302);
    expect(cache.keys(1)).toEqual(before);
    cache.feed([1]);
  });

  it("fork, save and restore", () => {
    using cache = model.cache();
    cache.feed(ids);
    cache.drop(3, 9);
    using copy = cache.fork();
    using back = model.restore(cache.save().buffer);
    const expected = cache.feed([5, 6]);
    expect(copy.feed([5, 6])).toEqual(expected);
    expect(back.feed([5, 6])).toEqual(expected);
    expect(back.explain()).toBe(cache.explain());
    const bytes = cache.save();
    bytes[100]! ^= 1;
    expect(() => model.restore(bytes)).toThrow("`bytes` is damaged");
    expect(() => model.restore(new Uint8Array(3))).toThrow("`bytes` is damaged");
  });

  it("keep their rotation where they are asked to", () => {
    using cache = model.cache();
    cache.feed(ids);
    using wrong = cache.fork();
    const before = wrong.keys(0);
    wrong.drop(3, 9, { rotate: false });
    cache.drop(3, 9);
    const row = before.length / ids.length;
    expect(wrong.keys(0).subarray(3 * row)).toEqual(before.subarray(9 * row));
    expect(wrong.explain()).toContain("1 drop without rotation");
    expect(wrong.feed([5])).not.toEqual(cache.feed([5]));
  });

  it("refuse what is out of range, and stay as they are", () => {
    using cache = model.cache();
    cache.feed(ids);
    const keys = cache.keys(0);
    using other = model.cache({ keys: "raw" });
    using chunk = model.chunk([1, 2, 3]);
    expect(() => cache.feed(ids)).toThrow(RangeError);
    expect(() => cache.feed([VOCABULARY])).toThrow("`ids[0]` is 61; allowed: 0 to 60");
    expect(() => cache.feed("text" as never)).toThrow(TypeError);
    expect(() => cache.trim(41)).toThrow("`length` is 41");
    expect(() => cache.trim(0.5)).toThrow("`length` is 0.5");
    expect(() => cache.drop(5, 4)).toThrow("`from` is 5");
    expect(() => cache.drop(4, 5, { rotate: 0 as never })).toThrow("`rotate` is 0; allowed: true or false");
    other.feed(ids);
    expect(() => other.drop(4, 5, { rotate: false })).toThrow("`rotate` is false; allowed: true for raw keys");
    expect(() => cache.append(chunk, { to: 9 })).toThrow("`to` is 9");
    expect(() => other.append(chunk)).toThrow("`chunk`");
    expect(() => cache.append({} as never)).toThrow(TypeError);
    expect(() => cache.rescale({ rope_type: "linear" })).toThrow("factor");
    expect(() => cache.keys(3)).toThrow("`layer` is 3");
    expect(() => model.cache({ keys: "turned" as never })).toThrow("`keys`");
    expect(() => model.cache({ dtype: "int4" as never })).toThrow("`dtype`");
    expect(cache.length).toBe(40);
    expect(cache.keys(0)).toEqual(keys);
  });

  it("go with their model", async () => {
    const before = ropewalk.stats().handles;
    const own = await open();
    const cache = own.cache();
    const chunk = own.chunk([1, 2]);
    const copy = cache.fork();
    own.dispose();
    own.dispose();
    for (const call of [() => cache.length, () => copy.feed([1]), () => chunk.tokens(), () => own.cache()])
      expect(call).toThrow("has been disposed");
    expect(ropewalk.stats().handles).toBe(before);
  });

  it("keep less in smaller types", () => {
    const bytes = (["float32", "float16", "int8"] as const).map((dtype) => {
      using cache = model.cache({ dtype });
      cache.feed(ids);
      return cache.bytes;
    });
    expect(bytes[1]).toBeLessThanOrEqual(bytes[0]! / 2);
    expect(bytes[2]).toBeLessThan(bytes[1]!);
  });

  it("have the same logits in int8, in pieces and at once", async () => {
    using small = await ropewalk.decoder(files(), { precision: "int8", context: 64 });
    using once = small.cache();
    using pieces = small.cache();
    const expected = once.feed(ids);
    pieces.feed(ids.slice(0, 17));
    pieces.feed(ids.slice(17, 18));
    expect(pieces.feed(ids.slice(18))).toEqual(expected);
  });
});

describe("TextStream", () => {
  /** Tokens are bytes of UTF-8. */
  const bytes: Tokenizer = {
    maskId: undefined,
    special: [],
    unknownId: undefined,
    idOf: () => undefined,
    encodeBetween: () => [],
    pieces: () => undefined,
    loadBeginnings: async () => {},
    loadOffsets: async () => {},
    addOffsets: () => {},
    maskToken: "",
    encode: () => {
      throw new Error("not needed");
    },
    decode: (ids) => new TextDecoder().decode(Uint8Array.from(ids)),
  };
  const write = (text: string, stop: string[] = []) => {
    const stream = new TextStream(bytes, [], stop);
    const parts: string[] = [];
    for (const byte of new TextEncoder().encode(text)) {
      parts.push(stream.push(byte));
      if (stream.stopped) break;
    }
    return { parts, rest: stream.end(), stopped: stream.stopped };
  };

  it("never splits a character", () => {
    const { parts } = write("aé🙂b");
    expect(parts).toEqual(["a", "", "é", "", "", "", "🙂", "b"]);
  });

  it("holds back what may be a stop string, and gives it where it is none", () => {
    expect(write("one two", ["two!"])).toMatchObject({ rest: "two", stopped: false });
    expect(write("one twins", ["two"]).parts.join("")).toBe("one twins");
    const { parts, stopped } = write("say END now", ["END", "now"]);
    expect([parts.join(""), stopped]).toEqual(["say ", true]);
  });
});

describe("guesses", async () => {
  const model = await open();
  const prompt = "w5 w6 w7 w8 w5 w6 w7 w8 w5 w6";
  const cases = [
    {},
    { temperature: 0.8, topK: 4, seed: 3 },
    { temperature: 0.3, repetitionPenalty: 1.3, repetitionWindow: 4, seed: 1 },
    { stop: ["w5 w6"] },
    { maxTokens: 7 },
  ];

  it.each(cases)("change nothing: %j", async (options) => {
    const written = [];
    for (const guesses of [true, false]) {
      using cache = model.cache();
      const generation = model.generate(prompt, { maxTokens: 40, ...options, cache, guesses });
      const tokens = [];
      for await (const token of generation) tokens.push(token);
      const next = await idsOf(model.generate("", { cache, maxTokens: 3, guesses }));
      written.push({ tokens, next, reason: generation.finishReason, held: [...cache.tokens()] });
    }
    expect(written[0]).toEqual(written[1]);
  });

  it.each(cases)("change nothing with a screen of the output matrix, nor does that: %j", async (options) => {
    const written = [];
    let probabilities: number[] | undefined;
    let unknown = 0;
    for (const screen of [false, true]) {
      using int8 = await ropewalk.decoder(files(), { context: 64, precision: "int8", screen });
      expect(int8.notes.join()).not.toContain("screen");
      for (const guesses of [true, false]) {
        using cache = int8.cache();
        const generation = int8.generate(prompt, { maxTokens: 40, ...options, cache, guesses });
        const tokens = [];
        const found = [];
        for await (const { logProbability, ...token } of generation) {
          tokens.push(token);
          found.push(logProbability);
        }
        probabilities ??= found;
        for (const [i, each] of found.entries()) {
          if (screen && Number.isNaN(each)) unknown++;
          else expect(each).toBe(probabilities[i]);
        }
        const next = await idsOf(int8.generate("", { cache, maxTokens: 3, guesses }));
        written.push({ tokens, next, reason: generation.finishReason, held: [...cache.tokens()] });
      }
    }
    for (const each of written) expect(each).toEqual(written[0]);
    // Rows are left out for greedy choice and top-k alone.
    const leavesOut = (options as { temperature?: number }).temperature === undefined || "topK" in options;
    expect(unknown > 0).toBe(leavesOut);
  });

  it("leave the cache where the shown text ends, wherever one stops", async () => {
    const all = await idsOf(model.generate(prompt, { maxTokens: 20, guesses: false }));
    for (let shown = 1; shown <= all.length; shown++) {
      const ends = [];
      for (const guesses of [true, false]) {
        using cache = model.cache();
        let count = 0;
        for await (const { id } of model.generate(prompt, { maxTokens: 20, cache, guesses })) {
          expect(id).toBe(all[count]);
          if (++count === shown) break;
        }
        ends.push([[...cache.tokens()], await idsOf(model.generate("", { cache, maxTokens: 4, guesses: false }))]);
      }
      expect(ends[0]).toEqual(ends[1]);
    }
  });

  it("fill the context to its last place", async () => {
    for (const guesses of [true, false]) {
      const generation = model.generate(prompt, { guesses });
      const ids = await idsOf(generation);
      if (generation.finishReason === "context") expect(ids.length + model.encode(prompt).length).toBe(65);
      expect(ids).toEqual(await idsOf(model.generate(prompt, { guesses: !guesses })));
    }
  });

  it("and screens are flags", async () => {
    await expect(ropewalk.decoder(files(), { screen: 1 as never })).rejects.toThrow(
      "decoder: `screen` is 1; allowed: true or false",
    );
    using float32 = await ropewalk.decoder(files(), { context: 64, screen: true });
    expect(float32.notes.join()).toContain("`screen` has no effect");
    await expect(model.generate("w5", { guesses: 3 as never }).text()).rejects.toThrow(
      "generate: `guesses` is 3; allowed: true or false",
    );
  });
});

describe("Lookup", () => {
  it("guesses what followed the last two or three tokens where they stood before", () => {
    const lookup = new Lookup([1, 2, 3, 4, 5, 6, 2, 9, 1, 2]);
    expect(lookup.guess(8)).toEqual([3, 4, 5]);
    lookup.push(3);
    expect(lookup.guess(2)).toEqual([4, 5]);
    lookup.push(7);
    expect(lookup.guess(8)).toEqual([]);
    expect(lookup.guess(0)).toEqual([]);
  });

  it("prefers three tokens to two, and the last place to earlier ones", () => {
    expect(new Lookup([1, 2, 3, 40, 9, 2, 3, 41, 1, 2, 3]).guess(1)).toEqual([40]);
    expect(new Lookup([2, 3, 40, 2, 3, 41, 8, 2, 3]).guess(1)).toEqual([41]);
  });

  it("guesses more after right ones, and rests after wrong ones", () => {
    const lookup = new Lookup([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2]);
    lookup.learn(3, 3);
    expect(lookup.guess(9)).toHaveLength(6);
    lookup.learn(6, 6);
    expect(lookup.guess(9)).toHaveLength(7);
    lookup.learn(7, 2);
    expect(lookup.guess(9)).toHaveLength(2);
    lookup.learn(2, 0);
    expect([1, 2, 3].map(() => lookup.guess(9).length)).toEqual([0, 0, 1]);
  });
});
