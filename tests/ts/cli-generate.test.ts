/** dist/cli.js generate, on a folder and on GGUF files. */
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { load } from "ropewalk";
import { describe, expect, it } from "vitest";
import { cli, runCli, testFolder } from "./command-line.js";
import { decoderFiles } from "./decoder-folder.js";
import { goldenUrl } from "./golden.js";

const folder = testFolder("cli-generate");
for (const [name, source] of Object.entries(decoderFiles())) {
  const bytes = source instanceof Uint8Array ? source : Buffer.from(JSON.stringify(source));
  for (const path of name === "tokenizer.json" ? ["llama", "quantized"] : ["llama"]) {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, name), bytes);
  }
}
const gguf = goldenUrl("gguf/llama-q8_0.gguf");
copyFileSync(gguf, join(folder, "quantized", "model.gguf"));
copyFileSync(gguf, join(folder, "alone.gguf"));
// Another kind of vocabulary, with as many letters.
const strange = readFileSync(gguf);
const kind = "tokenizer.ggml.model";
strange.write("rwkvx", strange.indexOf(kind) + kind.length + 4 + 8);
writeFileSync(join(folder, "strange.gguf"), strange);

const run = (...args: string[]) => runCli(["generate", ...args], { cwd: folder });

interface Written {
  text: string;
  finishReason: string;
  usage: { promptTokens: number; cachedTokens: number; completionTokens: number };
  tokens: { id: number; text: string; logProbability: number }[];
}

describe("generate", () => {
  it("writes what the package writes", async () => {
    using model = await (await load()).decoder(join(folder, "llama"));
    const generation = model.generate("w5 w6", { maxTokens: 7, temperature: 1.2, topK: 20, seed: 5 });
    const expected = await generation.text();
    const options = ["--max-tokens", "7", "--temperature", "1.2", "--top-k", "20", "--seed", "5"];
    expect(await run("llama", "w5 w6", ...options)).toEqual({ code: 0, stdout: `${expected}\n`, stderr: "" });
    const { stdout } = await run("llama", "w5 w6", ...options, "--json");
    const { text, finishReason, usage, tokens } = JSON.parse(stdout) as Written;
    expect(text).toBe(expected);
    const promptTokens = model.encode("w5 w6").length;
    expect(usage).toEqual({ promptTokens, cachedTokens: 0, completionTokens: tokens.length });
    expect(finishReason).toBe(generation.finishReason);
    expect(tokens.map((token) => token.text).join("")).toBe(expected);
    for (const { logProbability } of tokens) expect(logProbability).toBeLessThan(0);
  });

  it("reads the prompt from standard input", async () => {
    const expected = await run("llama", "w5 w6", "--max-tokens", "4");
    expect(await runCli(["generate", "llama", "--max-tokens", "4"], { cwd: folder, input: "w5 w6\n" })).toEqual(
      expected,
    );
  });

  it("writes tokens as they come", async () => {
    const { tokens } = JSON.parse((await run("llama", "w5", "--max-tokens", "7", "--json")).stdout) as Written;
    // Counted where they are written: the reader of a pipe may find several at once.
    const count =
      "const { write } = process.stdout; process.stdout.write = (...all) => (process.stderr.write('.'), write.apply(process.stdout, all))";
    const counting = ["--import", `data:text/javascript,${encodeURIComponent(count)}`];
    const child = spawn(process.execPath, [...counting, cli, "generate", "llama", "w5", "--max-tokens", "7"], {
      cwd: folder,
    });
    let stderr = "";
    child.stderr.on("data", (data) => (stderr += String(data)));
    child.stdout.resume();
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
    // And the line break behind them.
    expect(stderr).toBe(".".repeat(tokens.length + 1));
  });

  it("has the ranges of the package", async () => {
    using model = await (await load()).decoder(join(folder, "llama"));
    const ranges = [
      ["temperature", "temperature", [0, 1e6], [-1, 1e6 + 1]],
      ["top-p", "topP", [1], [0, 1.1]],
      ["min-p", "minP", [0, 1], [-0.1, 1.1]],
      ["repetition-penalty", "repetitionPenalty", [1e6], [0, 1e6 + 1]],
    ] as const;
    for (const [name, option, allowed, refused] of ranges) {
      for (const value of allowed) {
        await model.generate([1], { [option]: value, maxTokens: 1 }).text();
        expect((await run("llama", "w5", `--${name}`, `${value}`, "--max-tokens", "1")).code).toBe(0);
      }
      for (const value of refused) {
        await expect(model.generate([1], { [option]: value }).text()).rejects.toThrow(option);
        // Before the model, which is not there.
        const { code, stderr } = await run("none", "w5", `--${name}`, `${value}`);
        expect([code, stderr]).toEqual([2, expect.stringContaining(`--${name} is ${value}; allowed: a number `)]);
      }
    }
  });

  it("writes the same with a screen, or says that it has no effect", async () => {
    expect((await run("llama", "w5", "--screen", "--max-tokens", "1")).stderr).toMatch(/^ropewalk: `screen` has no/);

    const options = ["--precision", "int8", "--max-tokens", "7", "--json"];
    const without = JSON.parse((await run("llama", "w5 w6", ...options)).stdout) as Written;
    const { tokens, ...others } = JSON.parse((await run("llama", "w5 w6", ...options, "--screen")).stdout) as Written;
    expect(others.text).toBe(without.text);
    expect(tokens.map(({ id }) => id)).toEqual(without.tokens.map(({ id }) => id));
    // JSON has no NaN.
    expect(tokens.map(({ logProbability }) => logProbability).slice(1)).toEqual(Array(6).fill(null));
  });

  it("ends where it is told to", async () => {
    const whole = JSON.parse((await run("llama", "w5 w6 w7", "--max-tokens", "8", "--json")).stdout) as Written;
    const stop = whole.text.slice(-6, -1);
    const cut = JSON.parse((await run("llama", "w5 w6 w7", "--max-tokens", "8", "--stop", stop, "--json")).stdout);
    expect(cut).toMatchObject({ text: whole.text.slice(0, whole.text.indexOf(stop)), finishReason: "stop" });
    const stops = ["--stop", stop, "--stop", "nowhere in it"];
    expect((await run("llama", "w5 w6 w7", "--max-tokens", "8", ...stops)).stdout).toBe(`${cut.text}\n`);
    const { stdout } = await run("llama", "w5 w6 w7", "--context", "6", "--json");
    // The prompt takes four of six positions, so two tokens fit; the third comes from the last position.
    expect((JSON.parse(stdout) as Written).tokens).toHaveLength(3);
  });

  it("writes what a schema or an expression allows", async () => {
    const files = ["model/config.json", "model/model.safetensors", "chatml/tokenizer.json"];
    mkdirSync(join(folder, "bytes"));
    for (const file of files) copyFileSync(goldenUrl(`chat/${file}`), join(folder, "bytes", basename(file)));
    writeFileSync(join(folder, "bytes/generation_config.json"), '{"eos_token_id": 409}');
    writeFileSync(
      join(folder, "schema.json"),
      '{"type": "array", "items": {"enum": [1, 2]}, "minItems": 2, "maxItems": 3}',
    );
    const list = await run("bytes", "a", "--schema", "schema.json");
    expect(list.stdout).toMatch(/^\[[12](, [12]){1,2}\]\n$/);
    expect(await run("bytes", "a", "--regex", "[0-9]{4}")).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d{4}\n$/),
      stderr: "",
    });
    const { code, stderr } = await run("bytes", "a", "--regex", "[0-9]{4}", "--max-tokens", "2");
    expect([code, stderr]).toEqual([0, expect.stringContaining("(length)")]);
  });

  it("takes a GGUF file with tokenizer.json beside it", async () => {
    using model = await (await load()).decoder(join(folder, "quantized", "model.gguf"));
    const expected = await model.generate("w5 w6", { maxTokens: 5 }).text();
    const { code, stdout, stderr } = await run("quantized/model.gguf", "w5 w6", "--max-tokens", "5");
    expect([code, stdout, stderr]).toEqual([0, `${expected}\n`, ""]);
  });

  it("takes the one GGUF file of a folder without config.json, as explain does", async () => {
    const asked = ["w5 w6", "--max-tokens", "5"];
    expect(await run("quantized", ...asked)).toEqual(await run("quantized/model.gguf", ...asked));
    const explained = async (path: string) => await runCli(["explain", path], { cwd: folder });
    expect(await explained("quantized")).toEqual(await explained("quantized/model.gguf"));
    const two = join(folder, "two");
    mkdirSync(two);
    for (const name of ["a.gguf", "b.gguf"]) copyFileSync(gguf, join(two, name));
    expect((await run("two", ...asked)).stderr).toMatch(
      /no config.json or params.json; found: .*two, which holds a\.gguf, b\.gguf/,
    );
    expect((await explained("two")).stderr).toContain("config.json: no such file or folder");
  });

  it("takes the vocabulary of a GGUF file that stands alone", async () => {
    using model = await (await load()).decoder(join(folder, "alone.gguf"));
    expect(model.decode([1, 3, 4])).toBe("w3 w4");
    const expected = await model.generate("w5", { maxTokens: 5 }).text();
    expect(await run("alone.gguf", "w5", "--max-tokens", "5")).toEqual({
      code: 0,
      stdout: `${expected}\n`,
      stderr: "",
    });
  });

  it.each([
    [["strange.gguf", "w5"], 1, 'with a vocabulary of the kind "rwkvx", split as "default"; pass ids, or load it with'],
    [["none", "w5"], 1, "none: no such file or folder"],
    [["llama/config.json", "w5"], 1, "llama/config.json: is a file; give the folder of a model"],
    [["llama", "w5", "--context", "1"], 1, "generate: the prompt is 2 tokens; allowed: at most --context = 1 in all"],
    [["llama", "w5", "--regex", "a"], 1, "generate: --regex needs a tokenizer of bytes"],
    [["llama"], 2, "PROMPT is missing"],
    [["llama", "w5", "--temperature", "hot"], 2, "--temperature"],
    [["llama", "w5", "--regex", "a", "--schema", "llama/config.json"], 2, "--schema and --regex"],
    [["llama", "w5", "--seed", "0.5"], 2, "--seed"],
    [["llama", "w5", "--max-tokens", "-1"], 2, "--max-tokens"],
    [["llama", "w5", "--workers", "2"], 2, "--workers"],
  ] as const)("refuses %j", async (args, exit, words) => {
    const ended = await run(...args);
    expect([ended.code, ended.stdout]).toEqual([exit, ""]);
    expect(ended.stderr).toContain(words);
  });
});
