/** An encoder in several workers answers what one encoder answers, to the bit. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type EncoderInput, type FileSource, load } from "ropewalk";
import { afterAll, describe, expect, it } from "vitest";
import { fromRoot } from "./files.js";
import { goldenPath } from "./golden.js";
import { serve } from "./server.js";

const ropewalk = await load();
const at = (name: string) => fromRoot("web/public/model", name);
const source = (): Record<string, FileSource> => ({
  "config.json": readFileSync(at("config.json")),
  "model.safetensors": readFileSync(at("model.safetensors")),
  "tokenizer.json": readFileSync(at("tokenizer.json")),
});
const one = await ropewalk.encoder(source());
const three = await ropewalk.encoder(source(), { workers: 3 });
afterAll(() => {
  one.dispose();
  three.dispose();
});

const texts = [
  "the captain gave the rope to the sailor . now the [MASK] has the rope .",
  "the kings who the girl saw were [MASK] .",
  "who was late ? the [MASK] .",
  "the girl saw the [MASK] .",
];

/** B sequences of S ids, the last fifth of each padded. */
function batchOf(batch: number, sequence: number): EncoderInput {
  const ids = Int32Array.from({ length: batch * sequence }, (_, i) => 5 + ((i * 37) % 90));
  const mask = Array.from(ids, (_, i) => Number(i % sequence < sequence * 0.8));
  return { inputIds: ids, batch, sequence, attentionMask: mask };
}

describe("a batch", () => {
  it.each([
    [1, 9],
    [2, 7],
    [3, 1],
    [7, 12],
  ])("of %i sequences of %i tokens gives every output's same bits", async (batch, sequence) => {
    const input = batchOf(batch, sequence);
    const wants = { hiddenStates: true, attentions: true, rotatedQK: true };
    expect(await three.forward(input, wants)).toEqual(one.forward(input, wants));
  });

  it("takes plain arrays, and says what the model is", async () => {
    const input = { inputIds: [2, 7, 8, 3], sequence: 4, tokenTypeIds: [0, 0, 1, 1] };
    expect(await three.forward(input, { logits: false })).toEqual(one.forward(input, { logits: false }));
    expect(three.config).toEqual(one.config);
    expect(three.parameterCount).toBe(one.parameterCount);
    expect(three.notes).toEqual(one.notes);
    expect(three.workers).toBe(3);
  });

  it("refuses what one encoder refuses, in the same words, and works on", async () => {
    const wrong = batchOf(5, 4);
    (wrong.inputIds as Int32Array)[17] = 99999;
    const short = { ...batchOf(5, 4), sequence: 5 };
    for (const input of [wrong, short, { ...batchOf(2, 2), batch: 0 }, { inputIds: [1.5], sequence: 1 }]) {
      let message = "";
      try {
        one.forward(input);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).not.toBe("");
      await expect(three.forward(input)).rejects.toThrow(RangeError);
      await expect(three.forward(input)).rejects.toThrow(message);
    }
    expect((await three.forward(batchOf(2, 3))).lastHiddenState.length).toBe(
      one.forward(batchOf(2, 3)).lastHiddenState.length,
    );
  });
});

describe("texts", () => {
  it("are filled, embedded and refused as one by one", async () => {
    for (const text of texts) {
      if (text.includes("[MASK]"))
        expect(await three.fillMask(text, { topK: 2 })).toEqual(await one.fillMask(text, { topK: 2 }));
      expect(three.encode(text)).toEqual(one.encode(text));
    }
    expect(await three.embed(texts)).toEqual(await one.embed(texts));
    expect(await three.embed(texts[0]!)).toEqual((await three.embed(texts))[0]);
    expect(await three.embed([])).toEqual([]);
    await expect(three.fillMask("no mask")).rejects.toThrow('`text` is "no mask"; allowed: a text with [MASK]');
    await expect(three.classify(texts[0]!)).rejects.toThrow(
      "classify: this checkpoint has no sequence classification head",
    );
    await expect(three.embed(["a", 7 as unknown as string])).rejects.toThrow("`texts[1]` is 7; allowed: a text");
  });
});

describe("cancelling and ending", () => {
  it("a signal rejects its own call, and the others go on", async () => {
    const controller = new AbortController();
    const many = Array.from({ length: 50 }, () => texts[0]!);
    const cancelled = three.embed(many, { signal: controller.signal });
    const kept = three.embed(texts);
    controller.abort(new Error("enough"));
    await expect(cancelled).rejects.toThrow("enough");
    expect(await kept).toEqual(await one.embed(texts));
  });

  it("dispose ends what runs; using it afterwards is an error", async () => {
    const model = await ropewalk.encoder(source(), { workers: 2 });
    const { handles } = ropewalk.stats();
    const running = model.embed(texts);
    model.dispose();
    model.dispose();
    await expect(running).rejects.toThrow("disposed");
    await expect(model.forward(batchOf(1, 2))).rejects.toThrow("forward: this Encoder has been disposed");
    expect(ropewalk.stats().handles).toBe(handles - 1);
  });

  it("refuses numbers of workers and broken files, and leaves nothing behind", async () => {
    for (const workers of [-1, 0, 65, 1.5]) {
      const why = `encoder: \`workers\` is ${workers}; allowed: a whole number from 1 to 64`;
      await expect(ropewalk.encoder(source(), { workers })).rejects.toThrow(why);
    }
    const { handles } = ropewalk.stats();
    const broken = { ...source(), "model.safetensors": new Uint8Array(7) };
    const message = await ropewalk.encoder(broken).catch((error: Error) => error.message);
    await expect(ropewalk.encoder(broken, { workers: 2 })).rejects.toThrow(message as string);
    expect(ropewalk.stats().handles).toBe(handles);
  });

  it("takes more than 128 MiB of weights from a server that does not say how many they are", async () => {
    const weights = readFileSync(at("model.safetensors"));
    const size = Number(weights.readBigUInt64LE(0));
    const header = JSON.parse(weights.toString("utf8", 8, 8 + size)) as object;
    const end = weights.length - 8 - size;
    // A tensor that the model does not use, and that is skipped.
    const unused = { dtype: "F32", shape: [2 ** 25], data_offsets: [end, end + 2 ** 27] };
    const text = Buffer.from(JSON.stringify({ ...header, unused }));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    const server = await serve((_, response) => {
      response.write(Buffer.concat([length, text, weights.subarray(8 + size)]));
      response.end(Buffer.alloc(2 ** 27));
    });
    const files = { ...source(), "model.safetensors": new URL(server.address) };
    const model = await ropewalk.encoder(files, { workers: 1 });
    expect(model.notes.join()).toContain("unused");
    model.dispose();
    await server.close();
  });

  it.each([
    ["in shared memory", ""],
    // The first thread of Node cannot start without it.
    [
      "by copies where there is none",
      'await new Promise((done) => new Worker("", { eval: true }).on("exit", done)); delete globalThis.SharedArrayBuffer;',
    ],
  ])("takes shards chunk by chunk, %s, and never holds 256 MiB that it skips", (_, before) => {
    const script = `
      import { readdirSync, readFileSync } from "node:fs";
      import { Worker } from "node:worker_threads";
      import { load } from "ropewalk";
      ${before}
      const folder = process.argv[1];
      const files = () => Object.fromEntries(
        readdirSync(folder).filter((name) => /[.](json|safetensors)$/.test(name)).map((name) => [name, readFileSync(folder + name)]),
      );
      const ropewalk = await load({ native: false });
      const input = { inputIds: [5, 6, 7, 8], batch: 2, sequence: 2 };
      const hidden = async (model) => String((await model.forward(input)).lastHiddenState);
      const expected = await hidden(await ropewalk.encoder(files()));
      const all = files();
      const last = Object.keys(all).filter((name) => name.endsWith(".safetensors")).at(-1);
      const weights = all[last];
      const size = Number(weights.readBigUInt64LE(0));
      const header = JSON.parse(weights.toString("utf8", 8, 8 + size));
      const end = weights.length - 8 - size;
      header.unused = { dtype: "F32", shape: [2 ** 26], data_offsets: [end, end + 2 ** 28] };
      const text = Buffer.from(JSON.stringify(header));
      const length = Buffer.alloc(8);
      length.writeBigUInt64LE(BigInt(text.length));
      function* pieces() {
        yield Buffer.concat([length, text, weights.subarray(8 + size)]);
        for (let i = 0; i < 256; i++) yield new Uint8Array(2 ** 20);
      }
      const parts = pieces();
      const stream = new ReadableStream({
        pull(controller) {
          const { done, value } = parts.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      }, { highWaterMark: 0 });
      const rss = process.memoryUsage().rss;
      const progress = [];
      const model = await ropewalk.encoder(
        { ...all, [last]: new Response(stream) },
        { workers: 2, onProgress: (loaded) => progress.push(loaded) },
      );
      const more = process.resourceUsage().maxRSS * 1024 - rss;
      const rises = progress.every((loaded, i) => i === 0 || loaded > progress[i - 1]);
      console.log(JSON.stringify({ same: (await hidden(model)) === expected, rises, loaded: progress.at(-1) > 2 ** 28, more }));
    `;
    const folder = goldenPath("encoders/eurobert/");
    const flags = ["--input-type=module", "-e", script, folder];
    const told = JSON.parse(execFileSync(process.execPath, flags, { encoding: "utf8", timeout: 50_000 }));
    expect(told).toMatchObject({ same: true, rises: true, loaded: true });
    expect(told.more).toBeLessThan(2 ** 28);
  });

  it("an idle pool does not keep a process alive", () => {
    const script = `
      import { readFileSync } from "node:fs";
      import { load } from "ropewalk";
      const [config, weights] = process.argv.slice(1).map((name) => readFileSync(name));
      const model = await (await load()).encoder({ "config.json": JSON.parse(config), "model.safetensors": weights }, { workers: 2 });
      const { lastHiddenState } = await model.forward({ inputIds: [1, 2, 3, 4], batch: 2, sequence: 2 });
      console.log(lastHiddenState.length > 0);
    `;
    const files = ["config.json", "model.safetensors"].map((name) => goldenPath(`roformer/base/${name}`));
    const flags = ["--input-type=module", "-e", script];
    expect(execFileSync(process.execPath, [...flags, ...files], { encoding: "utf8", timeout: 50_000 })).toBe("true\n");
  });
});
