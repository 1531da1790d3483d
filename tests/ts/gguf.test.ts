/** GGUF files: their metadata from every kind of source, and what is made of it. */
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { checkRope, ggufMetadata, load, readRopeConfig, ropeOptionsFromConfig } from "ropewalk";
import { describe, expect, it } from "vitest";
import { testFolder } from "./command-line.js";
import { ggufHeader } from "./gguf-file.js";
import { goldenBytes, goldenPath, goldenUrl, readGolden } from "./golden.js";
import { serve } from "./server.js";

const ropewalk = await load({ analysis: true });

const folder = testFolder("gguf");
const pathOf = (name: string) => goldenPath(`gguf/${name}`);
const bytesOf = (name: string) => goldenBytes(`gguf/${name}`);

/** A stream whose size nobody says, in small pieces. */
const trickle = (bytes: Uint8Array, piece: number) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += piece) controller.enqueue(bytes.slice(at, at + piece));
        controller.close();
      },
    }),
  );

describe("ggufMetadata", () => {
  const name = "llama-q4_0-rope-freqs.gguf";

  it("reads bytes, blobs, paths, URLs and streams of unknown size alike", async () => {
    const bytes = bytesOf(name);
    const metadata = await ggufMetadata(bytes);
    expect(metadata["general.architecture"]).toBe("llama");
    expect(metadata["rope_freqs.weight"]).toHaveLength(8);
    expect((metadata["rope_freqs.weight"] as number[]).slice(0, 3)).toEqual([1, 2.4422593116760254, 8]);
    for (const source of [
      bytes.buffer,
      new Blob([bytes]),
      pathOf(name),
      goldenUrl(`gguf/${name}`),
      new Response(bytes),
      trickle(bytes, 1000),
      trickle(bytes, 7),
    ]) {
      expect(await ggufMetadata(source)).toEqual(metadata);
    }
  });

  it("reads files of unusual form", async () => {
    interface Odd {
      files: { file: string; metadata: Record<string, unknown> }[];
    }
    for (const { file, metadata } of readGolden<Odd>("gguf/odd.json").files) {
      const read = await ggufMetadata(pathOf(file));
      expect(Object.keys(read).sort()).toEqual(Object.keys(metadata).sort());
      expect(read).toMatchObject(
        Object.fromEntries(Object.entries(metadata).filter(([key]) => !/^(u64|i64|nan|inf|wide)$/.test(key))),
      );
      if (read.nan !== undefined) expect([read.nan, read.inf]).toEqual(["NaN", "-Infinity"]);
    }
  });

  it("refuses hostile files by what is wrong with them, however they arrive", async () => {
    interface Hostile {
      files: { file: string; refused_by: string; why: string }[];
    }
    const { files } = readGolden<Hostile>("gguf/hostile/hostile.json");
    expect(files).toHaveLength(53);
    for (const { file, refused_by: by, why } of files) {
      const bytes = bytesOf(`hostile/${file}`);
      for (const source of [bytes, trickle(bytes, 500)]) {
        const read = ggufMetadata(source);
        // Without a known size nobody sees that the end cuts off a tensor that is not read.
        const unseen = source !== bytes && /data|beyond the end|behind the end/.test(why) && by === "file";
        if (by === "file" && !unseen) await expect(read, file).rejects.toThrow(/^ggufMetadata: gguf: .{10}/);
        // The model refuses the others, whose metadata are sound.
        else if (!unseen) await expect(read, file).resolves.toBeTypeOf("object");
        else await read.catch((error: Error) => expect(error.message, file).toMatch(/^ggufMetadata: /));
      }
    }
    await expect(ggufMetadata(bytesOf("hostile/good.gguf"))).resolves.toHaveProperty(["general.architecture"]);
    expect(ropewalk.stats().handles).toBe(0);
  });

  it("stops when it is told to", async () => {
    await expect(ggufMetadata(pathOf(name), { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
    const seen: number[] = [];
    await ggufMetadata(pathOf(name), { onProgress: (loaded) => seen.push(loaded) });
    expect(seen[0]).toBeGreaterThan(0);
  });
});

/** A sound file whose only tensor, rope_freqs.weight, lies `offset` bytes behind the header. */
function farFile(offset: number): { path: string; size: number } {
  const tensor = { name: "rope_freqs.weight", shape: [4], type: 0, offset };
  const header = ggufHeader({ "general.architecture": "llama" }, [tensor]);
  const begin = header.length + offset;
  const path = join(folder, `far-${offset}.gguf`);
  const file = openSync(path, "w");
  writeSync(file, header, 0, header.length, 0);
  writeSync(file, Buffer.from(new Float32Array([1, 2, 4, 8]).buffer), 0, 16, begin);
  closeSync(file);
  return { path, size: begin + 16 };
}

describe("a tensor far into the file", () => {
  const offset = 1 << 26;
  const factors = [1, 2, 4, 8];

  it("is found in a file and in a blob", async () => {
    const { path } = farFile(offset);
    expect((await ggufMetadata(path))["rope_freqs.weight"]).toEqual(factors);
    const blob = new Blob([readFileSync(path)]);
    expect((await ggufMetadata(blob))["rope_freqs.weight"]).toEqual(factors);
  });

  it.each(["as asked", "never", "another one"])("is found on a server, which sends ranges: %s", async (ranges) => {
    const { path, size } = farFile(offset);
    const bytes = readFileSync(path);
    const asked: (string | undefined)[] = [];
    const server = await serve((request, response) => {
      const from = /^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1];
      asked.push(request.headers.range);
      if (ranges === "another one" && from !== undefined) {
        response.writeHead(206, { "content-range": `bytes 0-${size - 1}/${size}` });
        response.end(bytes);
      } else if (ranges === "as asked" && from !== undefined) {
        response.writeHead(206, { "content-range": `bytes ${from}-${size - 1}/${size}` });
        response.end(bytes.subarray(Number(from)));
      } else {
        response.writeHead(200, { "content-length": size });
        response.end(bytes);
      }
    });
    try {
      const metadata = await ggufMetadata(`${server.address}/model.gguf`);
      expect(metadata["rope_freqs.weight"]).toEqual(factors);
      expect(asked).toEqual([undefined, `bytes=${size - 16}-`]);
    } finally {
      await server.close();
    }
  });
});

describe("a GGUF file", () => {
  it("makes a rope", async () => {
    const metadata = await ggufMetadata(pathOf("llama-q4_0-rope-freqs.gguf"));
    const { options } = readRopeConfig(metadata);
    expect(options).toEqual(ropeOptionsFromConfig(metadata));
    expect(options.pairing ?? "interleaved").toBe("interleaved");
    using rope = ropewalk.rope(options);
    const base = metadata["llama.rope.freq_base"] as number;
    const divisors = metadata["rope_freqs.weight"] as number[];
    divisors.forEach((divisor, j) => {
      expect(rope.frequencies[j]).toBeCloseTo(base ** (-j / divisors.length) / divisor, 12);
    });
    expect(readRopeConfig(await ggufMetadata(pathOf("qwen2-f16.gguf"))).options.pairing).toBe("half");
  });

  it("is checked, beside a table as well", async () => {
    const config = await ggufMetadata(pathOf("llama-f32.gguf"));
    const alone = checkRope({ config });
    expect(alone.code).toBe(0);
    expect(alone.readings.map(({ reader }) => reader)).toEqual(["ropewalk", "llama.cpp"]);
    const inverseFrequencies = alone.readings[0]!.frequencies;
    expect(checkRope({ config, inverseFrequencies }).code).toBe(0);
    expect(checkRope({ config, inverseFrequencies: inverseFrequencies.map((theta) => theta / 2) }).code).toBe(4);
  });
});
