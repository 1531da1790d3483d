/** dist/cli.js on models: embed, rank and verify, also from a stand-in of the hub. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { load } from "ropewalk";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cli, runCli, testFolder } from "./command-line.js";
import { filesOf, vocabulary } from "./model-folder.js";
import { serve, type TestServer } from "./server.js";

const folder = testFolder("cli-models");
const ropewalk = await load();
let server: TestServer;
let requests = 0;

/** Writes a golden encoder with a vocabulary into the folder. */
function put(name: string): void {
  for (const [file, bytes] of filesOf(name, /^bert/.test(name) ? { "vocab.txt": vocabulary() } : {})) {
    const path = join(folder, name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes as Uint8Array);
  }
}

beforeAll(async () => {
  for (const name of ["bert-minilm", "bert-reranker", "xlm-roberta-masked-lm"]) put(name);
  server = await serve((request, response) => {
    requests++;
    const [, name, file] = /^\/owner\/([^/]+)\/resolve\/main\/(.*)$/.exec(request.url!) ?? [];
    try {
      response.end(readFileSync(join(folder, name!, decodeURIComponent(file!))));
    } catch {
      response.writeHead(404).end();
    }
  });
});
afterAll(() => server.close());

const run = (args: string[], input?: string | Buffer) => runCli(args, { cwd: folder, input });

async function json<T>(args: string[], input?: string | Buffer): Promise<T> {
  const { code, stdout, stderr } = await run([...args, "--json"], input);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return JSON.parse(stdout) as T;
}

describe("embed", () => {
  it("prints the vectors of its words, or of the lines of standard input", async () => {
    using model = await ropewalk.encoder(join(folder, "bert-minilm"));
    const expected = (await model.embed(["the rope", "a ship"])).map((vector) => Array.from(vector));
    expect(await json(["embed", "bert-minilm", "the rope", "a ship"])).toEqual(expected);
    expect(await json(["embed", "bert-minilm"], "the rope\na ship\n")).toEqual(expected);
    const { stdout } = await run(["embed", "bert-minilm", "the rope"]);
    const numbers = stdout.trimEnd().split(" ").map(Number);
    expect([...Float32Array.from(numbers)]).toEqual(expected[0]);
    const cut = await model.embed("the rope", { dimensions: 4, pooling: "cls", normalize: true });
    const options = ["--dimensions", "4", "--pooling", "cls", "--normalize", "yes"];
    expect(await json(["embed", "bert-minilm", "the rope", ...options])).toEqual([Array.from(cut)]);
    expect(await json(["embed", "bert-minilm", "the rope", "--workers", "2"])).toEqual([expected[0]]);
  });

  it("writes a NumPy array", async () => {
    const found = await json(["embed", "bert-minilm", "the rope", "a ship", "--out", "vectors.npy"]);
    expect(found).toEqual({ file: "vectors.npy", shape: [2, 32] });
    expect(readFileSync(join(folder, "vectors.npy")).toString("latin1", 0, 6)).toBe("\x93NUMPY");
  });

  it("embeds a part of the texts", async () => {
    const lines = ["the rope", "a ship", "sea", "a sailor ties a knot", "rope ".repeat(60)];
    const input = lines.map((line) => `${line}\n`).join("");
    const { stdout: whole } = await run(["embed", "bert-minilm"], input);
    const parts = await Promise.all([1, 2, 3].map((i) => run(["embed", "bert-minilm", "--shard", `${i}/3`], input)));
    expect(parts.map(({ stdout }) => stdout).join("")).toBe(whole);
    expect(parts.map(({ stdout }) => stdout.split("\n").length - 1)).toEqual([1, 2, 2]);
    expect(parts[2]!.stderr).toContain("text 5 was longer than 40 tokens");
    const none = await json(["embed", "bert-minilm", "--shard", "1/6", "--out", "none.npy"], input);
    expect(none).toEqual({ file: "none.npy", shape: [0, 32] });
  });

  it("says which texts were cut, and refuses what is wrong", async () => {
    const { code, stderr, stdout } = await run(["embed", "bert-minilm", "rope", "rope ".repeat(60)]);
    expect([code, stderr]).toEqual([0, "ropewalk: text 2 was longer than 40 tokens and cut\n"]);
    expect(stdout.split("\n")).toHaveLength(3);
    for (const [args, exit, words] of [
      [["embed", "none", "x"], 1, "none: no such file or folder\n"],
      [["embed", "owner/none", "x"], 1, "no such file or folder; for a repository of the hub write hub:owner/none\n"],
      [
        ["embed", "bert-minilm", "x", "--prompt", "query"],
        2,
        'ropewalk embed: --prompt is "query"; allowed: none, since this model names no prompts',
      ],
      [["embed", "bert-minilm", "x", "--dimensions", "9999"], 2, "ropewalk embed: --dimensions is 9999; allowed: "],
      [["embed", "bert-minilm", "x", "--prompt", "a", "--prefix", "b"], 2, "--prefix"],
      [["embed", "bert-minilm", "x", "--pooling", "median"], 2, "mean_sqrt_len"],
      [["embed", "bert-minilm", "x", "--endpoint", "http://a"], 2, "hub:owner/name"],
      [["embed", "bert-minilm", "x", "--shard", "0/2"], 2, "--shard"],
      [["embed", "bert-minilm", "x", "--shard", "3/2"], 2, "--shard"],
      [["embed", "bert-minilm", "x", "--shard", "1"], 2, "--shard"],
      [["embed"], 2, "MODEL is missing"],
    ] as const) {
      const ended = await run([...args]);
      expect(ended.code).toBe(exit);
      expect(ended.stderr).toContain(words);
      expect(ended.stdout).toBe("");
    }
  });

  it("names a file that cannot be read, not --json", async () => {
    cpSync(join(folder, "bert-minilm"), join(folder, "broken"), { recursive: true });
    writeFileSync(join(folder, "broken/config.json"), "{");
    const { code, stderr } = await run(["embed", "broken", "x", "--json"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("`config.json` is not JSON")]);
  });

  it("takes words behind -- as they are", async () => {
    const texts = ["--start", "-5"];
    const expected = await json(["embed", "bert-minilm"], `${texts.join("\n")}\n`);
    const { stdout } = await run(["embed", "bert-minilm", "--json", "--", ...texts]);
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it("reads UTF-16 with its mark, and names the line of what is no UTF-8", async () => {
    const expected = await json(["embed", "bert-minilm", "the rope", "a ship"]);
    const text = "\ufeffthe rope\r\na ship\r\n";
    const utf16 = Buffer.from(text, "utf16le");
    for (const input of [text, utf16, Buffer.from(utf16).swap16()])
      expect(await json(["embed", "bert-minilm"], input)).toEqual(expected);
    const latin1 = Buffer.from("the rope\nthe caf\xe9\n", "latin1");
    for (const args of [
      ["embed", "bert-minilm"],
      ["rank", "bert-minilm", "rope"],
      ["generate", "bert-minilm"],
    ]) {
      const { code, stdout, stderr } = await run(args, latin1);
      expect([code, stdout, stderr]).toEqual([1, "", "ropewalk: standard input: line 2 is not a text in UTF-8\n"]);
    }
  });

  it("names the command that loads a model of another kind", async () => {
    const { code, stdout, stderr } = await run(["generate", "bert-minilm", "the rope"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^ropewalk: .*`model_type` is "bert"; allowed: .*; `ropewalk embed` loads it\n$/);
  });

  it("refuses a place for the vectors before it loads the model", async () => {
    for (const [out, words] of [
      ["no/where.npy", "no/where.npy: no such file or folder"],
      ["-", "-: is not standard output here"],
      ["bert-minilm", "bert-minilm: is a folder"],
    ] as const)
      expect((await run(["embed", "none", "x", "--out", out])).stderr).toContain(words);
  });

  it("takes a model from a hub, and keeps it", async () => {
    const args = ["embed", "hub:owner/bert-minilm", "the rope", "--endpoint", server.address, "--cache", "kept"];
    const first = await json(args);
    expect(requests).toBeGreaterThan(5);
    const before = requests;
    expect(await json(args)).toEqual(first);
    expect(requests).toBe(before);
    expect(await json(["embed", "bert-minilm", "the rope"])).toEqual(first);
  });

  it("refuses what would spoil an index, and takes a title that is null", async () => {
    mkdirSync(join(folder, "texts"));
    const lines = (name: string, text: string | Buffer) => writeFileSync(join(folder, "texts", name), text);
    lines("a.jsonl", '{"text": "the rope", "address": "/a", "title": null}\n');
    expect((await run(["index", "texts", "--words", "--out", "words.json"])).code).toBe(0);
    const { passages } = JSON.parse(readFileSync(join(folder, "words.json"), "utf8")) as { passages: object[] };
    expect(passages).toEqual([{ address: "/a", title: "", text: "the rope" }]);
    for (const [args, exit, words] of [
      [["--base", "/docs"], 2, '--base is "/docs"; allowed: what ends in a sign, such as /docs/'],
      [["--extension", "html"], 2, '--extension is "html"; allowed: / or what begins with a dot'],
      [["--element", "words.json"], 1, "words.json: is a file; allowed: a folder"],
      [["--out", "no/where.json"], 1, "no/where.json: no such file or folder"],
    ] as const) {
      const { code, stderr } = await run(["index", "texts", "--words", ...args]);
      expect([code, stderr]).toEqual([exit, expect.stringContaining(words)]);
    }
    lines("b.md", Buffer.from("the\ncaf\xe9\n", "latin1"));
    const { code, stderr } = await run(["index", "texts", "--words"]);
    expect([code, stderr]).toEqual([1, `ropewalk: ${join("texts", "b.md")}: line 2 is not a text in UTF-8\n`]);
    expect((await run(["index", "words.json", "--words"])).stderr).toContain("words.json: is not a folder");
  });

  it("writes the name of a hub's model into an index, and no name for a folder", async () => {
    mkdirSync(join(folder, "pages"));
    writeFileSync(join(folder, "pages/a.txt"), "the rope");
    const hub = ["--endpoint", server.address, "--cache", "kept"];
    for (const [model, options, name] of [
      ["hub:owner/bert-minilm", hub, "hub:owner/bert-minilm"],
      ["bert-minilm", [], undefined],
    ] as const) {
      await json(["index", "pages", "--model", model, "--out", "pages.index", ...options]);
      using index = ropewalk.index({ saved: readFileSync(join(folder, "pages.index")) });
      expect(index.model).toBe(name);
    }
  });
});

describe("quantize", () => {
  it.each(["bert-minilm", "embeddinggemma", "nomic-v2-moe", "modernbert-long", "roformer"])(
    "%s loads as it is, with the bits of int8",
    async (name) => {
      put(name);
      const out = `${name}-int8`;
      const { bytes, tensors } = await json<{ bytes: number[]; tensors: string[] }>(["quantize", name, out]);
      expect(tensors.length).toBeGreaterThan(4);
      expect(bytes[1]).toBeLessThan(bytes[0]!);
      const inputIds = Int32Array.from({ length: 12 }, (_, i) => i + 3);
      using expected = await ropewalk.encoder(join(folder, name), { precision: "int8" });
      using found = await ropewalk.encoder(join(folder, out));
      const bits = (model: typeof found) => [
        ...model.forward({ inputIds, sequence: 12 }, { logits: false }).lastHiddenState,
      ];
      expect(bits(found)).toEqual(bits(expected));
      expect(found.notes).toEqual(expected.notes);
      const again = await run(["quantize", out, `${out}-2`]);
      expect(again.code).toBe(1);
      expect(again.stderr).toContain("has no weights that are not in 8 bits already");
    },
  );

  it("copies no file that a link names outside of the folder, and reads the layout of hubs' caches", async () => {
    put("bert-minilm");
    mkdirSync(join(folder, "hub/blobs"), { recursive: true });
    mkdirSync(join(folder, "hub/snapshots"));
    cpSync(join(folder, "bert-minilm"), join(folder, "hub/snapshots/commit"), { recursive: true });
    const snapshot = join(folder, "hub/snapshots/commit");
    renameSync(join(snapshot, "config.json"), join(folder, "hub/blobs/1"));
    symlinkSync("../../blobs/1", join(snapshot, "config.json"));
    // A reranker frames its pairs by it.
    writeFileSync(join(snapshot, "chat_template.jinja"), "{{ messages }}");
    expect((await run(["quantize", "hub/snapshots/commit", "from-hub"])).code).toBe(0);
    expect(readFileSync(join(folder, "from-hub/chat_template.jinja"), "utf8")).toBe("{{ messages }}");
    writeFileSync(join(folder, "secret"), "secret");
    symlinkSync(join(folder, "secret"), join(snapshot, "notes.txt"));
    const { code, stderr } = await run(["quantize", "hub/snapshots/commit", "with-link"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/notes.txt: is a link to .*secret, outside of the folder/);
    expect(readdirSync(folder)).not.toContain("with-link");
    for (const name of ["hub", "from-hub", "secret"]) rmSync(join(folder, name), { recursive: true });
  });

  it("leaves nothing behind where it fails", async () => {
    writeFileSync(join(folder, "a file"), "");
    mkdirSync(join(folder, "empty"));
    for (const [args, exit, words] of [
      [["quantize", "bert-minilm"], 2, "OUT is missing"],
      [["quantize", "none", "out"], 1, "none: no such file or folder"],
      [["quantize", "bert-minilm/config.json", "out"], 1, "config.json: is a file; allowed: a folder"],
      [["quantize", "bert-reranker", "bert-minilm"], 1, "bert-minilm: holds files already; allowed: an empty folder"],
      [["quantize", "empty", "out"], 1, "ropewalk: empty: `files` has no config.json"],
      [["quantize", "bert-reranker", "a file"], 1, "a file: is a file; allowed: a folder"],
    ] as const) {
      const ended = await run([...args]);
      expect(ended.code).toBe(exit);
      expect(ended.stderr).toContain(words);
    }
    expect(readdirSync(folder).filter((name) => name.includes("partial") || name === "out")).toEqual([]);
  });

  // Windows says of such a folder that it is not there.
  it.skipIf(process.platform === "win32")("calls no parent's name a file", async () => {
    writeFileSync(join(folder, "a file"), "");
    const { code, stderr } = await run(["quantize", "bert-reranker", "a file/x"]);
    expect([code, stderr]).toEqual([1, "ropewalk: a file/x: is not a folder, or a part of its path is none\n"]);
  });

  it("looks for the parents of a folder up to the root, and no further", async () => {
    let looks = 0;
    const existsSync = () => {
      if (++looks > 100) throw new Error("looks on and on");
      return false;
    };
    vi.doMock("node:fs", async (original) => ({ ...(await original<object>()), existsSync }));
    const { checkFolder } = await import("../../bindings/ts/cli/output.js");
    // Root alone may write there.
    await checkFolder("/none/of/these").catch(({ message }: Error) =>
      expect(message).toBe("/none/of/these: permission denied"),
    );
    expect(looks).toBe(3);
  });
});

describe.skipIf(process.platform === "win32")("a folder that is closed", () => {
  // Root may write everywhere.
  const uid = process.getuid?.() === 0 ? 65534 : undefined;
  const refused = (...args: string[]) =>
    spawnSync(process.execPath, [cli, ...args], { cwd: folder, encoding: "utf8", uid }).stderr;

  it("is refused before the work", () => {
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, "closed"), { mode: 0o555 });
    mkdirSync(join(folder, "hidden"), { mode: 0 });
    const files = ["--train", "none.tsv", "--validation", "none.tsv", "--task", "sst-2"];
    const asked = (out: string) => ["fine-tune", "--model", "none", ...files, "--out", out];
    expect(refused(...asked("closed/a/b"))).toBe("ropewalk: closed/a/b: permission denied\n");
    expect(refused(...asked("hidden"))).toBe("ropewalk: hidden: permission denied\n");
    expect(refused("embed", "none", "x", "--out", "closed/x.npy")).toBe("ropewalk: closed/x.npy: permission denied\n");
  });
});

describe("rank", () => {
  it("orders documents", async () => {
    using model = await ropewalk.encoder(join(folder, "bert-reranker"));
    const documents = ["a ship", "the rope on the sea", "who has it ?"];
    const expected = await model.rank("who ties knots", documents);
    const found = await json<object[]>(["rank", "bert-reranker", "who ties knots", ...documents]);
    expect(found).toEqual(expected.map((each) => ({ ...each, document: documents[each.index] })));
    expect(await json(["rank", "bert-reranker", "who ties knots", "--top-k", "1"], documents.join("\n"))).toEqual(
      found.slice(0, 1),
    );
    using vectors = await ropewalk.encoder(join(folder, "bert-minilm"));
    const [best] = await vectors.rank("who ties knots", documents);
    const byVectors = ["rank", "bert-minilm", "who ties knots", ...documents];
    expect((await json<object[]>(byVectors))[0]).toEqual({ ...best, document: documents[best!.index] });
    const { code, stderr } = await run([...byVectors, "--instruction", "find it"]);
    expect([code, stderr.split("\n")[0]]).toEqual([
      2,
      'ropewalk rank: --instruction is "find it"; allowed: none: the prompt of this model has no instruction',
    ]);
  });
});

describe("verify", () => {
  interface Case {
    shape: number[];
    input_ids: number[];
    logits: number[];
    last_hidden_state: number[];
  }
  const { cases } = JSON.parse(
    readFileSync(new URL("../golden/encoders/xlm-roberta-masked-lm/expected.json", import.meta.url), "utf8"),
  ) as { cases: Case[] };
  const one = cases.map(firstText).at(-1)!;
  /** The first text of a batch, which has no padding. */
  function firstText({ shape: [batch = 1], input_ids, logits, last_hidden_state }: Case) {
    const first = <T>(values: T[]) => values.slice(0, values.length / batch);
    return { input_ids: first(input_ids), logits: first(logits), last_hidden_state: first(last_hidden_state) };
  }
  /** The golden numbers of a part, as published ones are written. */
  const part = (values: number[], row: number, column: number) => {
    const width = values.length / one.input_ids.length;
    return [0, 1, 2].map((r) => [0, 1, 2].map((c) => values[(row + r) * width + column + c]!));
  };
  const listed = (more: object = {}) => [
    {
      checkpoint: "owner/xlm-roberta-masked-lm",
      ids: one.input_ids,
      output: "logits",
      values: [part(one.logits, 0, 0)],
    },
    {
      checkpoint: "owner/xlm-roberta-masked-lm",
      ids: one.input_ids,
      output: "lastHiddenState",
      from: [2, 1],
      values: [part(one.last_hidden_state, 2, 1)],
      ...more,
    },
  ];
  const verify = (cases: unknown, ...more: string[]) => {
    writeFileSync(join(folder, "cases.json"), JSON.stringify(cases));
    return run(["verify", "--cases", "cases.json", "--endpoint", server.address, "--cache", "verified", ...more]);
  };

  it("agrees with golden numbers, and says by how much", async () => {
    const { code, stdout } = await verify(listed(), "--json");
    const found = JSON.parse(stdout) as { agrees: boolean; difference: number }[];
    expect(found.map(({ agrees }) => agrees)).toEqual([true, true]);
    for (const { difference } of found) {
      expect(difference).toBeGreaterThan(0);
      expect(difference).toBeLessThan(1e-4);
    }
    expect(code).toBe(0);
  });

  it("finds a difference, and a checkpoint that cannot be loaded", async () => {
    const { code, stdout } = await verify([...listed({ from: [2, 2] }), { ...listed()[0], checkpoint: "owner/none" }]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^agrees\towner\/xlm-roberta-masked-lm\tlogits/m);
    expect(stdout).toMatch(/^DIFFERS\towner\/xlm-roberta-masked-lm\tlastHiddenState\tlargest difference/m);
    expect(stdout).toMatch(/^FAILED\towner\/none\tlogits\t.*config\.json/m);
  });

  it("compares files that the user has: the tokens of a decoder, and vectors of texts", async () => {
    mkdirSync(join(folder, "decoder"), { recursive: true });
    const golden = new URL("../golden/decoders-2/gpt2/", import.meta.url);
    for (const name of ["config.json", "model.safetensors"])
      writeFileSync(join(folder, "decoder", name), readFileSync(new URL(name, golden)));
    const { greedy } = JSON.parse(readFileSync(new URL("expected.json", golden), "utf8")) as {
      greedy: { prompt: number[]; tokens: number[] };
    };
    const from = (cases: unknown, model: string) => {
      writeFileSync(join(folder, "cases.json"), JSON.stringify(cases));
      return run(["verify", "a/b", "--cases", "cases.json", "--from", model]);
    };
    const written = (tokens: number[]) => [{ checkpoint: "a/b", ids: greedy.prompt, output: "greedy", tokens }];
    const agrees = await from(written(greedy.tokens), "decoder");
    expect(agrees.stdout).toContain(`agrees\ta/b\tgreedy\t${greedy.tokens.join(" ")}`);
    expect(agrees.code).toBe(0);
    expect((await from(written([...greedy.tokens.slice(0, -1), 3]), "decoder")).code).toBe(1);

    using model = await ropewalk.encoder(join(folder, "bert-minilm"));
    const texts = ["the rope", "a ship"];
    const vectors = (await model.embed(texts)).map((vector) => [[...vector.subarray(2, 6)]]);
    const first = { checkpoint: "a/b", texts, output: "vectors", from: [0, 2], values: vectors, tolerance: 1e-6 };
    expect((await from([first], "bert-minilm")).code).toBe(0);
    const other = await from([{ ...first, from: [0, 3] }], "bert-minilm");
    expect(other.stdout).toMatch(/^DIFFERS\ta\/b\tvectors\tlargest difference/m);
    expect(other.code).toBe(1);
  });

  it("refuses other files and names", async () => {
    expect((await run(["verify", "--from", "decoder"])).stderr).toContain("--from is for one CHECKPOINT");
    expect((await verify({})).stderr).toContain("cases.json: holds no array of cases");
    expect((await verify([])).stderr).toContain("cases.json: holds no array of cases");
    const { code, stderr } = await verify(listed(), "owner/other");
    expect(code).toBe(2);
    expect(stderr).toContain("allowed: owner/xlm-roberta-masked-lm");
    const ended = await verify(listed(), "--from", "bert-minilm");
    expect([ended.code, ended.stdout]).toEqual([2, ""]);
    expect(ended.stderr).toContain("ropewalk verify: --endpoint is for hub:owner/name");
    expect((await run(["verify", "a/b"])).stderr).toContain("facebook/esm2_t6_8M_UR50D");
  });
});
