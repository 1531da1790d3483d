/** Text through encoders: `embed` and its options, `rank`, tokenizers of the three kinds. */
import { type Encoder, load } from "ropewalk";
import { afterAll, describe, expect, it } from "vitest";
import { bytePairs, filesOf, unigram, vocabulary } from "./model-folder.js";
import { random } from "./safetensors-file.js";

const ropewalk = await load();
const made: { dispose(): void }[] = [];
afterAll(() => {
  for (const model of made) model.dispose();
});

async function encoder(...[name, more]: Parameters<typeof filesOf>): Promise<Encoder> {
  const model = await ropewalk.encoder(filesOf(name, more));
  made.push(model);
  return model;
}

const words = "a the rope ship sailor ties knot sea is on and who has it".split(" ");
const next = random(3);
const textOf = (count: number) =>
  Array.from({ length: count }, () => words[Math.floor(next() * words.length)]).join(" ");
const bits = (values: Float32Array) => [...new Uint32Array(values.slice().buffer)];
const lengthOf = (values: Float32Array) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));

it("refuses a text of no tokens in the name of the function that was called", async () => {
  const bare = { ...bytePairs(), post_processor: null };
  const model = await encoder("modernbert", { "tokenizer.json": bare });
  expect(model.countTokens("")).toBe(0);
  const none = '`text` is ""; allowed: a text of at least one token; the tokenizer of this model makes none of it';
  await expect(model.embed(["a ship", ""])).rejects.toThrow(`embed: ${none}`);
  await expect(model.rank("", ["a ship"])).rejects.toThrow(none);
  await expect(model.fillMask("")).rejects.toThrow(`fillMask: ${none}`);
  expect(await model.embed(["a ship"])).toHaveLength(1);
});

it("names the token whose id the model does not have", async () => {
  const sound = await encoder("modernbert", { "tokenizer.json": bytePairs() });
  const { tokens, inputIds } = sound.encode("a ship");
  const [last, id] = [tokens.at(-2)!, inputIds.at(-2)!];
  for (const wrong of [-1, 1 << 20]) {
    const { model, ...others } = bytePairs() as { model: { vocab: Record<string, number> } };
    expect(model.vocab[last]).toBe(id);
    const changed = await encoder("modernbert", {
      "tokenizer.json": { ...others, model: { ...model, vocab: { ...model.vocab, [last]: wrong } } },
    });
    const said = `\`tokenizer: id of ${JSON.stringify(last)}\` is ${wrong}; allowed: 0 to `;
    await expect(changed.embed("a ship")).rejects.toThrow(`embed: ${said}`);
    await expect(changed.embedEach(["a ship"]).next()).rejects.toThrow(said);
    await expect(changed.rank("a ship", ["a"])).rejects.toThrow(said);
    await expect(changed.classify("a ship")).rejects.toThrow(`classify: ${said}`);
    // A token beside it is as good as ever.
    expect(bits(await changed.embed("a"))).toEqual(bits(await sound.embed("a")));
  }
});

describe("embed", async () => {
  const model = await encoder("bert-minilm", { "vocab.txt": vocabulary() });
  const lengths = [5, 1, 30, 5, 5, 12, 1, 0, 30, 5, 7, 5];
  const texts = lengths.map(textOf);

  it("gives each text the bits that it has alone, in the order of the texts", async () => {
    const all = await model.embed(texts);
    expect(all).toHaveLength(texts.length);
    for (const [i, vector] of all.entries()) {
      expect(vector).toHaveLength(model.dimensions);
      expect(vector.buffer.byteLength).toBe(model.dimensions * 4);
      expect(bits(vector)).toEqual(bits(await model.embed(texts[i]!)));
    }
    const shuffled = [...texts].reverse();
    expect((await model.embed(shuffled)).reverse()).toEqual(all);
    // Many of a length are computed side by side.
    const many = await model.embed(Array.from({ length: 100 }, (_, i) => texts[[0, 3, 4][i % 3]!]!));
    for (const [i, vector] of many.entries()) expect(bits(vector)).toEqual(bits(all[[0, 3, 4][i % 3]!]!));
    expect(await model.embed([])).toEqual([]);
  });

  it("is what forward gives for the tokens", async () => {
    const { inputIds, tokenTypeIds } = model.encode(texts[0]!);
    const { sentenceEmbedding, pooled } = model.forward(
      { inputIds, tokenTypeIds, sequence: inputIds.length },
      { pooled: true },
    );
    expect(bits(await model.embed(texts[0]!))).toEqual(bits(sentenceEmbedding!));
    expect(lengthOf(sentenceEmbedding!)).toBeCloseTo(1, 6);
    expect(bits(await model.embed(texts[0]!, { normalize: false }))).toEqual(bits(pooled!));
    const { pooled: first } = model.forward({ inputIds, sequence: inputIds.length }, { pooled: true, pooling: "cls" });
    expect(bits(await model.embed(texts[0]!, { pooling: "cls", normalize: false }))).toEqual(bits(first!));
  });

  it("cuts vectors, and normalises them again only when told to", async () => {
    const whole = await model.embed(texts[0]!);
    const cut = await model.embed(texts[0]!, { dimensions: 8 });
    expect(bits(cut)).toEqual(bits(whole.subarray(0, 8)));
    const unit = await model.embed(texts[0]!, { dimensions: 8, normalize: true });
    expect(lengthOf(unit)).toBeCloseTo(1, 6);
    for (const [i, value] of unit.entries()) expect(value).toBeCloseTo(cut[i]! / lengthOf(cut), 5);
  });

  it("cuts texts, keeps the special tokens, and reports it", async () => {
    expect(model.maxTokens).toBe(40);
    const long = textOf(60);
    const found: [number, number][] = [];
    const [, vector] = await model.embed([texts[1]!, long], { onTruncation: (...each) => found.push(each) });
    expect(found).toEqual([[1, 62]]);
    const { inputIds } = model.encode(long);
    expect(inputIds).toHaveLength(62);
    const kept = [...inputIds.slice(0, 39), inputIds.at(-1)!];
    const { sentenceEmbedding } = model.forward({ inputIds: kept, sequence: 40 }, { pooled: true });
    expect(bits(vector!)).toEqual(bits(sentenceEmbedding!));
    const short = await encoder("bert-minilm", {
      "vocab.txt": vocabulary(),
      "sentence_bert_config.json": { max_seq_length: 7, do_lower_case: false },
    });
    expect(short.maxTokens).toBe(7);
    expect(bits(await short.embed(long))).toEqual(bits(await short.embed(long.split(" ").slice(0, 5).join(" "))));
  });

  it("reports progress, lets the event loop run, and stops at once", async () => {
    const many = Array.from({ length: 600 }, (_, i) => textOf(20 + (i % 7)));
    const steps: [number, number][] = [];
    let turns = 0;
    let running = true;
    const count = () => {
      turns++;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    await model.embed(many, { onProgress: (...each) => steps.push(each) });
    running = false;
    expect(turns).toBeGreaterThan(1);
    expect(steps.at(-1)).toEqual([600, 600]);
    for (const [i, [done, total]] of steps.entries()) {
      expect(total).toBe(600);
      expect(done).toBeGreaterThan(i === 0 ? 0 : steps[i - 1]![0]);
    }
    const controller = new AbortController();
    const stop = new Error("enough");
    let done = 0;
    const stopped = model.embed(many, {
      signal: controller.signal,
      onProgress: (count) => {
        done = count;
        controller.abort(stop);
      },
    });
    await expect(stopped).rejects.toBe(stop);
    expect(done).toBeLessThan(600);
    await expect(model.embed(texts, { signal: AbortSignal.abort(stop) })).rejects.toBe(stop);
    expect(await model.embed(texts[0]!)).toHaveLength(model.dimensions);
  });

  it("refuses what it does not know, by name", async () => {
    const wrong = <T>(value: unknown) => value as T;
    for (const [options, ...named] of [
      [{ pooling: wrong<"cls">("median") }, "`pooling`", '"median"', '"mean_sqrt_len"'],
      [{ dimensions: 0 }, "`dimensions`", "0", "from 1 to 32"],
      [{ dimensions: 33 }, "`dimensions`", "33"],
      [{ dimensions: 1.5 }, "`dimensions`", "1.5"],
      [{ normalize: wrong<true>("yes") }, "`normalize`", '"yes"'],
      [{ prompt: { name: "query" } }, "`prompt.name`", '"query"', "{ text }"],
      [{ prompt: wrong<{ text: string }>({}) }, "`prompt`"],
      [{ prompt: wrong<{ text: string }>("query") }, '`prompt` is "query"; allowed: { name } or { text }'],
      [{ prompt: wrong<{ text: string }>(null) }, "`prompt` is null; allowed: { name } or { text }"],
    ] as const) {
      const error = await model.embed("a", options).catch((reason: unknown) => reason as Error);
      for (const name of ["embed: ", ...named]) expect((error as Error).message).toContain(name);
      expect(error).toMatchObject({ function: "embed" });
    }
    await expect(model.embed(["a", wrong<string>(7)])).rejects.toThrow("embed: `texts[1]` is 7; allowed: a text");
    await expect(model.embed(wrong<string>(7))).rejects.toThrow(
      "embed: `texts` is 7; allowed: a text or an array of texts",
    );
  });

  it("rejects once the model has been disposed of, also on the way", async () => {
    const other = await ropewalk.encoder(filesOf("bert-minilm", { "vocab.txt": vocabulary() }));
    const running = other.embed(Array.from({ length: 600 }, () => textOf(20)));
    setImmediate(() => other.dispose());
    await expect(running).rejects.toThrow("this Encoder has been disposed");
    await expect(other.embed("a")).rejects.toThrow("embed: this Encoder has been disposed");
  });
});

describe("without modules.json", async () => {
  const model = await encoder("bert-minilm", { "vocab.txt": vocabulary(), "modules.json": undefined });

  it("it is the mean at unit length, said in a note, also when cut", async () => {
    expect(model.notes.some((note) => /mean/.test(note))).toBe(true);
    const { inputIds } = model.encode("the rope");
    const { pooled } = model.forward({ inputIds, sequence: inputIds.length }, { pooled: true, pooling: "mean" });
    const vector = await model.embed("the rope");
    for (const [i, value] of vector.entries()) expect(value).toBeCloseTo(pooled![i]! / lengthOf(pooled!), 6);
    expect(lengthOf(await model.embed("the rope", { dimensions: 5 }))).toBeCloseTo(1, 6);
    expect(bits(await model.embed("the rope", { normalize: false }))).toEqual(bits(pooled!));
  });
});

describe("prompts", async () => {
  const files = { "tokenizer.json": unigram() };
  const model = await encoder("xlm-roberta-e5", files);

  it("come by name, as a text, or by default", async () => {
    expect(model.prompts).toEqual({ query: "query: ", passage: "passage: " });
    const plain = await model.embed("query: the rope");
    expect(await model.embed("the rope", { prompt: { name: "query" } })).toEqual(plain);
    expect(await model.embed("the rope", { prompt: { text: "query: " } })).toEqual(plain);
    expect(await model.embed("the rope")).not.toEqual(plain);
    await expect(model.embed("a", { prompt: { name: "toString" } })).rejects.toThrow('"query", "passage"');
    const prompts = { prompts: { query: "query: " }, default_prompt_name: "query" };
    const other = await encoder("xlm-roberta-e5", { ...files, "config_sentence_transformers.json": prompts });
    expect(await other.embed("the rope")).toEqual(plain);
  });

  it("stay out of pooling where include_prompt is false", async () => {
    const pooling = { word_embedding_dimension: 32, pooling_mode_mean_tokens: true, include_prompt: false };
    const other = await encoder("xlm-roberta-e5", { ...files, "1_Pooling/config.json": pooling });
    const { inputIds } = other.encode("query: the rope");
    const promptTokens = other.encode("query: ").inputIds.length - 1;
    const { sentenceEmbedding } = other.forward(
      { inputIds, sequence: inputIds.length },
      { pooled: true, promptTokens },
    );
    expect(await other.embed("the rope", { prompt: { name: "query" } })).toEqual(sentenceEmbedding);
    expect(await other.embed("the rope", { prompt: { name: "query" } })).not.toEqual(
      await model.embed("the rope", { prompt: { name: "query" } }),
    );
    expect(await other.embed("the rope")).toEqual(await model.embed("the rope"));
  });
});

describe("rank", async () => {
  const model = await encoder("bert-reranker", { "vocab.txt": vocabulary() });
  const documents = ["a ship", "the rope on the sea", "the rope on the sea", "who has it ?", textOf(80)];

  it("orders documents by relevance, equal ones by index", async () => {
    const found: number[] = [];
    const ranked = await model.rank("who ties knots", documents, { onTruncation: (index) => found.push(index) });
    expect(found).toEqual([4]);
    expect(ranked.map(({ index }) => index).sort()).toEqual([0, 1, 2, 3, 4]);
    for (const [i, { index, score }] of ranked.entries()) {
      const before = ranked[i - 1];
      if (before !== undefined)
        expect(before.score > score || (before.score === score && before.index < index)).toBe(true);
      if (index === 4) continue;
      const { inputIds, tokenTypeIds } = model.encode("who ties knots", documents[index]);
      const { relevance } = model.forward({ inputIds, tokenTypeIds, sequence: inputIds.length });
      expect(score).toBe(relevance![0]);
    }
    const place = (at: number) => ranked.findIndex(({ index }) => index === at);
    expect(place(2)).toBe(place(1) + 1);
    expect(await model.rank("who ties knots", documents, { topK: 2 })).toEqual(ranked.slice(0, 2));
    expect(await model.rank("who", [])).toEqual([]);
    await expect(model.rank("who", documents, { topK: 0 })).rejects.toThrow("rank: `topK` is 0");
  });

  it("cuts the longer text of a pair first", async () => {
    const long = textOf(80);
    const [ranked] = await model.rank("who ties knots", [long]);
    const query = model.encode("who ties knots").inputIds.length - 2;
    const begin = (text: string, count: number) => text.split(" ").slice(0, count).join(" ");
    const [kept] = await model.rank("who ties knots", [begin(long, 40 - 3 - query)]);
    expect(ranked!.score).toBe(kept!.score);
    // The first of two equally long texts is cut to one token less where an odd number is left.
    const [one, other] = [textOf(60), textOf(60)];
    const [both] = await model.rank(one, [other]);
    const [halves] = await model.rank(begin(one, 18), [begin(other, 19)]);
    expect(both!.score).toBe(halves!.score);
  });

  it("needs one label", async () => {
    const two = await encoder("eurobert-classifier", { "tokenizer.json": bytePairs() });
    await expect(two.rank("a", ["b"])).rejects.toThrow(/labels; a cross-encoder has one/);
  });
});

describe("tokenizers", () => {
  it("WordPiece from vocab.txt alone, lower-cased unless tokenizer_config.json says otherwise", async () => {
    const model = await encoder("bert-minilm", { "vocab.txt": vocabulary() });
    const { tokens, tokenTypeIds, attentionMask } = model.encode("The ropes", "untieds");
    expect(tokens).toEqual(["[CLS]", "the", "rope", "##s", "[SEP]", "[UNK]", "[SEP]"]);
    expect(tokenTypeIds).toEqual([0, 0, 0, 0, 0, 1, 1]);
    expect(attentionMask).toEqual(tokens.map(() => 1));
    const cased = await encoder("bert-minilm", {
      "vocab.txt": vocabulary(),
      "tokenizer_config.json": { do_lower_case: false, model_max_length: 512 },
    });
    expect(cased.encode("The ropes").tokens).toEqual(["[CLS]", "[UNK]", "rope", "##s", "[SEP]"]);
  });

  it("amino acids of ESM-2 from vocab.txt, each wherever it stands", async () => {
    const residues = [..."LAGVSERTIDPKQNFYHMWCXBUZO.-"];
    const lines = ["<cls>", "<pad>", "<eos>", "<unk>", ...residues, "<null_1>", "<mask>"];
    const model = await encoder("esm2", { "vocab.txt": new TextEncoder().encode(lines.join("\n")) });
    expect(model.encode("MKT AYi").tokens).toEqual(["<cls>", ..."MKTAY", "<unk>", "<eos>"]);
    const { inputIds } = model.encode("MKTAYIAK");
    const { contacts } = model.forward({ inputIds, sequence: inputIds.length }, { contacts: true, logits: false });
    expect(contacts).toHaveLength(8 * 8);
    for (let i = 0; i < 64; i++) expect(contacts![i]).toBeCloseTo(contacts![(i % 8) * 8 + Math.floor(i / 8)]!, 6);
    const [fillings] = await model.fillMask("MKT<mask>YIAK", { topK: 33 });
    expect(fillings).toHaveLength(33);
  });

  it("Unigram", async () => {
    const model = await encoder("xlm-roberta-masked-lm", { "tokenizer.json": unigram() });
    const { tokens, tokenTypeIds } = model.encode("the ropes", "a ship");
    expect(tokens).toEqual(["<s>", "\u2581the", "\u2581rope", "s", "</s>", "</s>", "\u2581a", "\u2581ship", "</s>"]);
    // The model has one type, whatever the tokenizer numbers.
    expect(new Set(tokenTypeIds)).toEqual(new Set([0]));
    const [fillings] = await model.fillMask("the <mask> is on the sea", { topK: 3 });
    expect(fillings).toHaveLength(3);
    expect(fillings![0]!.score).toBeGreaterThanOrEqual(fillings![1]!.score);
    await expect(model.fillMask("the [MASK]")).rejects.toThrow("a text with <mask>");
  });

  it("BPE", async () => {
    const model = await encoder("modernbert", { "tokenizer.json": bytePairs() });
    const { tokens } = model.encode("the rope", "a ship");
    expect(tokens.map((token) => token.replace("\u0120", "_"))).toEqual([
      ...["[CLS]", "the", "_rope", "[SEP]", "[SEP]", "a", "_ship", "[SEP]"],
    ]);
    expect(await model.fillMask("the [MASK] a ship")).toHaveLength(1);
  });

  it("are refused by the name of their file", async () => {
    for (const [files, name] of [
      [{ "vocab.txt": new TextEncoder().encode("a\nb\n") }, "`vocab.txt` has 2 lines without [PAD]"],
      [{ "tokenizer.json": { model: {} } }, "`tokenizer.json` is not a tokenizer.json that can be read"],
      [{ "tokenizer.json": new TextEncoder().encode("{") }, "`tokenizer.json` is not JSON"],
    ] as const)
      await expect(encoder("bert-minilm", files)).rejects.toThrow(`encoder: ${name}`);
  });
});

describe("in workers", async () => {
  const files = filesOf("bert-minilm", { "vocab.txt": vocabulary() });
  // Workers are WebAssembly, whose last digits native code does not have.
  const ropewalk = await load({ native: false });
  const one = await ropewalk.encoder(files);
  const two = await ropewalk.encoder(files, { workers: 2 });
  made.push(one, two);
  const texts = [5, 1, 30, 5, 0, 60, 12].map(textOf);

  it("all is the same, to the bit", async () => {
    for (const name of [
      "config",
      "modelType",
      "parameterCount",
      "dimensions",
      "maxTokens",
      "prompts",
      "notes",
      "ropes",
    ] as const)
      expect(two[name]).toEqual(one[name]);
    expect(two.workers).toBe(2);
    expect(await two.embed(texts)).toEqual(await one.embed(texts));
    const options = { dimensions: 8, normalize: true, pooling: "max" } as const;
    expect(await two.embed(texts[0]!, options)).toEqual(await one.embed(texts[0]!, options));
    const { inputIds } = one.encode(texts[2]!);
    const input = { inputIds: [...inputIds, ...inputIds], batch: 2, sequence: inputIds.length };
    const outputs = { pooled: true, pooling: "last", hiddenStates: true } as const;
    expect(await two.forward(input, outputs)).toEqual(one.forward(input, outputs));
  });

  it("a signal stops one call, and the others go on", async () => {
    const controller = new AbortController();
    const many = Array.from({ length: 500 }, () => textOf(20));
    const stopped = two.embed(many, {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error("enough")),
    });
    const kept = two.embed(texts);
    await expect(stopped).rejects.toThrow("enough");
    expect(await kept).toEqual(await one.embed(texts));
  });

  it("errors have their details", async () => {
    const input = { inputIds: [1, 99], sequence: 2 };
    await expect(two.forward(input)).rejects.toThrow(RangeError);
    await expect(two.embed("a", { dimensions: 99 })).rejects.toMatchObject({ code: "range", argument: "dimensions" });
  });
});
