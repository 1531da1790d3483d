/** The files of a model in every form in which they may be given. */
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type FileSource, load, type ModelFiles } from "ropewalk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSameMemory } from "./memory.js";
import { filesOf, goldenFolder, vocabulary } from "./model-folder.js";
import { serve, type TestServer } from "./server.js";

const ropewalk = await load();
const folder = goldenFolder("bert-labse");
const sharded = goldenFolder("eurobert");

/** A server of static files; `page` answers what is missing with a page, as development servers do. */
let server: TestServer;
let base: string;
const asked: string[] = [];
beforeAll(async () => {
  server = await serve((request, response) => {
    const [, way, ...path] = decodeURIComponent(request.url!.split("?")[0]!).split("/");
    asked.push(path.join("/"));
    try {
      response.end(readFileSync(join(goldenFolder(""), ...path)));
    } catch {
      if (way === "page") response.setHeader("content-type", "text/html").end("<!doctype html>");
      else response.writeHead(404).end("not here");
    }
  });
  base = server.address;
});
afterAll(() => server.close());

const content = (name: string) => new Uint8Array(readFileSync(join(folder, name)));
const names = ["config.json", "model.safetensors", "modules.json", "1_Pooling/config.json", "2_Dense/config.json"];
names.push("2_Dense/model.safetensors", "config_sentence_transformers.json", "sentence_bert_config.json");
const record = (): Record<string, FileSource> => Object.fromEntries(names.map((name) => [name, content(name)]));

/** As a browser gives the files of a folder. */
function chosen(name: string): File {
  const file = new File([content(name)], name.split("/").at(-1)!);
  return Object.defineProperty(file, "webkitRelativePath", { value: `bert-labse/${name}` });
}

async function answerOf(files: ModelFiles) {
  using model = await ropewalk.encoder(files);
  return model.forward({ inputIds: [2, 7, 3], sequence: 3 }, { pooled: true }).sentenceEmbedding;
}

describe("forms", async () => {
  const expected = await answerOf(folder);
  const forms: [string, () => ModelFiles][] = [
    ["a path that ends with a slash", () => `${folder}/`],
    ["the URL of a folder", () => pathToFileURL(folder)],
    ["the URL of a folder as a text", () => pathToFileURL(`${folder}/`).href],
    ["a web address", () => `${base}/plain/bert-labse`],
    ["a web address whose server answers everything", () => new URL(`${base}/page/bert-labse/`)],
    ["a record of bytes", record],
    ["a Map", () => new Map(Object.entries(record()))],
    ["Files that somebody chose", () => names.map(chosen)],
    ["a Set of Files", () => new Set(names.map(chosen))],
    ["a function", () => (name: string) => record()[name]],
    ["a function that fetches", () => (name: string) => fetch(`${base}/plain/bert-labse/${name}`)],
    ["paths by name", () => Object.fromEntries(names.map((name) => [name, join(folder, name)]))],
    ["Blobs by name", () => Object.fromEntries(names.map((name) => [name, new Blob([content(name)])]))],
    [
      "JSON that has been parsed",
      () => ({
        ...record(),
        ...Object.fromEntries(
          names
            .filter((name) => /json$/.test(name))
            .map((name) => [name, JSON.parse(readFileSync(join(folder, name), "utf8"))]),
        ),
      }),
    ],
  ];

  it.each(forms)("%s", async (_, files) => {
    const before = ropewalk.stats();
    expect(await answerOf(files())).toEqual(expected);
    expectSameMemory(ropewalk.stats(), before);
  });

  it("only what is needed is asked for, and once", async () => {
    const requested: string[] = [];
    const all = filesOf("bert-labse", { "vocab.txt": vocabulary() });
    await answerOf((name) => {
      requested.push(name);
      return all.get(name);
    });
    const optional = ["tokenizer.json", "vocab.txt", "tokenizer_config.json"];
    expect(requested.sort()).toEqual([...names, ...optional].sort());
    requested.length = 0;
    await answerOf((name) => {
      requested.push(name);
      return filesOf("bert-masked-lm").get(name);
    });
    expect(requested.sort()).toEqual(
      ["modules.json", "config.json", "tokenizer.json", "vocab.txt", "model.safetensors"].sort(),
    );
  });
});

it("says how many bytes will come where a server does not", async () => {
  const weights = content("model.safetensors");
  for (const workers of [undefined, 2]) {
    // Without content-length, as an answer that is compressed on the way.
    const stream = new Blob([weights]).stream();
    const seen: (number | undefined)[][] = [];
    const files = { ...record(), "model.safetensors": new Response(stream) };
    const model = await ropewalk.encoder(files, { workers, onProgress: (...each) => seen.push(each) });
    model.dispose();
    expect(seen.at(-1)).toEqual([weights.length, weights.length]);
  }
});

describe("a signal", () => {
  const stop = new Error("not wanted any more");

  it("that has aborted rejects with its reason, whatever the files are", async () => {
    const signal = AbortSignal.abort(stop);
    for (const files of [folder, `${base}/plain/bert-labse`, record()] as ModelFiles[]) {
      await expect(ropewalk.encoder(files, { signal })).rejects.toBe(stop);
      await expect(ropewalk.encoder(files, { signal, workers: 1 })).rejects.toBe(stop);
    }
  });

  it("stops a load on the way", async () => {
    const before = ropewalk.stats();
    for (const workers of [undefined, 1]) {
      const controller = new AbortController();
      const { signal } = controller;
      const options = { signal, onProgress: () => controller.abort(stop) };
      const loading =
        workers === undefined ? ropewalk.encoder(folder, options) : ropewalk.encoder(folder, { ...options, workers });
      await expect(loading).rejects.toBe(stop);
    }
    expectSameMemory(ropewalk.stats(), before);
  });

  it("is heard while a function has not answered", async () => {
    const controller = new AbortController();
    const loading = ropewalk.encoder(() => new Promise(() => {}), { signal: controller.signal });
    setTimeout(() => controller.abort(stop), 20);
    await expect(loading).rejects.toBe(stop);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });
});

describe("shards", () => {
  it("are found by their index", async () => {
    asked.length = 0;
    using model = await ropewalk.encoder(`${base}/plain/eurobert`);
    using same = await ropewalk.encoder(sharded);
    const input = { inputIds: [1, 2, 3], sequence: 3 };
    expect(model.forward(input)).toEqual(same.forward(input));
    expect(asked.filter((name) => /safetensors/.test(name)).map((name) => name.replace("eurobert/", ""))).toEqual([
      "model.safetensors",
      "model.safetensors.index.json",
      "model-00001-of-00002.safetensors",
      "model-00002-of-00002.safetensors",
    ]);
  });

  it("that are missing or lie are refused by name", async () => {
    const second = "model-00002-of-00002.safetensors";
    await expect(ropewalk.encoder(filesOf("eurobert", { [second]: undefined }))).rejects.toThrow(second);
    const outside = { weight_map: { x: "../../secret" } };
    await expect(
      ropewalk.encoder(filesOf("eurobert", { "model.safetensors.index.json": outside })),
    ).rejects.toMatchObject({ code: "malformed", message: expect.stringContaining("../../secret") });
    await expect(ropewalk.encoder(filesOf("eurobert", { [second]: new Uint8Array(4) }))).rejects.toThrow(
      `encoder: safetensors: ${second}: the file has 4 bytes; allowed: at least 8`,
    );
  });
});

describe("refusals", () => {
  const cases: [string, () => unknown, Record<string, unknown>, string][] = [
    ["nothing", () => undefined, { code: "type", argument: "files" }, "`files` is undefined"],
    ["a number", () => 5, { code: "type" }, "`files` is 5"],
    ["bytes", () => new Uint8Array(8), { code: "type" }, "`files`"],
    ["no files", () => ({}), { code: "range" }, "config.json"],
    ["a folder that is not there", () => `${folder}/none`, { code: "range" }, "none"],
    ["a GGUF file", () => ({ "model.gguf": new Uint8Array(8) }), { code: "malformed" }, "`gguf` does not begin"],
    ["the path of one", () => `${folder}/model.gguf`, { code: "range" }, "model.gguf"],
    ["two of them", () => ({ "a.gguf": 1, "b.gguf": 2 }), { code: "range" }, "at most one"],
    [
      "no weights",
      () => filesOf("bert-labse", { "model.safetensors": undefined }),
      { code: "range" },
      "model.safetensors",
    ],
    [
      "half a configuration",
      () => filesOf("bert-labse", { "config.json": new TextEncoder().encode("{") }),
      { code: "malformed" },
      "`config.json` is not JSON",
    ],
    [
      "a list",
      () => filesOf("bert-labse", { "config.json": [1] }),
      { code: "malformed" },
      "`config.json` holds no JSON object",
    ],
    [
      "weights that are JSON",
      () => filesOf("bert-labse", { "model.safetensors": {} }),
      { code: "type" },
      "`model.safetensors`",
    ],
    [
      "no Dense",
      () => filesOf("bert-labse", { "2_Dense/model.safetensors": undefined }),
      { code: "range" },
      "2_Dense/model.safetensors",
    ],
    [
      "a module outside",
      () =>
        filesOf("bert-labse", {
          "modules.json": [
            { type: "x.Transformer", path: "" },
            { type: "x.Pooling", path: "/etc" },
          ],
        }),
      { code: "malformed" },
      "/etc",
    ],
    ["the path of one file", () => `${folder}/config.json`, { code: "range" }, "give the folder of a model"],
    ["the path of an ONNX file", () => `${folder}/model.onnx`, { code: "range" }, "ONNX files are not read"],
    [
      "a page in the place of a configuration",
      () => filesOf("bert-labse", { "config.json": new TextEncoder().encode("<!doctype html>") }),
      { code: "malformed" },
      "`config.json` is HTML",
    ],
    [
      "a page in the place of weights",
      () => filesOf("bert-labse", { "model.safetensors": new TextEncoder().encode("\n<html><body>no</body></html>") }),
      { code: "malformed" },
      "is a web page",
    ],
    [
      "a pointer of Git LFS in the place of weights",
      () =>
        filesOf("bert-labse", {
          "model.safetensors": new TextEncoder().encode("version https://git-lfs.github.com/spec/v1\nsize 1\n"),
        }),
      { code: "malformed" },
      "`git lfs pull`",
    ],
    ["texts among Files", () => ["a"], { code: "type" }, "an iterable of Files"],
  ];

  it.each(cases)("%s", async (_, files, details, words) => {
    const before = ropewalk.stats();
    const error = await ropewalk.encoder(files() as ModelFiles).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toContain("encoder: ");
    expect((error as Error).message).toContain(words);
    expect(error).toMatchObject({ function: "encoder", ...details });
    expectSameMemory(ropewalk.stats(), before);
  });

  it("of a server are told with the address", async () => {
    const failing = () => new Response("", { status: 500 });
    await expect(ropewalk.encoder(failing)).rejects.toThrow("500");
    // A port that nobody listens on.
    const nobody = "http://127.0.0.1:1/model/";
    const error = await ropewalk.encoder(nobody).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "network", function: "encoder" });
    expect((error as Error).message).toContain(`encoder: ${nobody}`);
  });

  it("without config.json list what the folder holds", async () => {
    await expect(ropewalk.encoder(goldenFolder(""))).rejects.toThrow(/no config.json; found: .*, which holds .*bert/);
  });

  it("of a decoder, or of an encoder, name the function that loads them", async () => {
    const llama = filesOf("bert-labse", { "config.json": { model_type: "llama" } });
    await expect(ropewalk.encoder(llama)).rejects.toThrow(
      /^encoder: `model_type` is "llama"; allowed: .*; `decoder` loads it$/,
    );
    await expect(ropewalk.decoder(filesOf("bert-labse", {}))).rejects.toThrow("`encoder` loads it");
  });
});
