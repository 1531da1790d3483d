/** Generating, choosing and cancelling, with a made-up tokenizer of words. */
import { load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { decoderFiles, openDecoder } from "./decoder-folder.js";
import { idsOf } from "./every-way.js";

const ropewalk = await load();

describe("choose", async () => {
  const model = await openDecoder();

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
  const model = await openDecoder();

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
    expect(await model.generate([1, 8], { maxTokens: 2 }).text()).toBe(" w12 w47");
    using cache = model.cache();
    expect(await model.generate([1, 8], { cache, maxTokens: 2, stop: ["7"] }).text()).toBe(" w12 w4");
    // "w4" is shown of "w47": a word of its own.
    expect([...cache.tokens()]).toEqual([1, 8, ...model.encode("w12 w4", { addSpecialTokens: false })]);
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
    using other = await openDecoder({ "generation_config.json": { eos_token_id: [60, eos] } });
    const generation = other.generate([1, 8, 9], { maxTokens: 30 });
    const ids = await idsOf(generation);
    expect(ids.at(-1)).toBe(eos);
    expect(ids.indexOf(eos)).toBe(ids.length - 1);
    expect(generation.finishReason).toBe("eos");
  });

  it("ends where the context is full", async () => {
    using small = await openDecoder({}, 12);
    const generation = small.generate([1, 8, 9, 10]);
    const ids = await idsOf(generation);
    expect(generation.finishReason).toBe("context");
    // Twelve are held, and one more came of the last.
    expect(ids).toHaveLength(9);
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
    const { "tokenizer.json": _, ...rest } = decoderFiles();
    using plain = await ropewalk.decoder(rest);
    expect(() => plain.encode("w1")).toThrow("without a tokenizer");
    await expect(plain.generate("w1").next()).rejects.toThrow("without a tokenizer");
    const ids = (decoder: typeof model) => idsOf(decoder.generate([1, 8], { maxTokens: 2 }));
    expect(await ids(plain)).toEqual(await ids(model));
  });
});
