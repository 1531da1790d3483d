/** dist/cli.js as a process: what it prints, where, and with which exit code. */
import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load, ropeOptionsFromConfig } from "ropewalk";
import { beforeAll, describe, expect, it } from "vitest";
import { cli, testFolder } from "./command-line.js";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const config = (name: string) => path(`../fixtures/configs/${name}.json`);
const folder = testFolder("cli");
const at = (name: string) => join(folder, name);
const write = (name: string, content: string | Uint8Array) => {
  writeFileSync(at(name), content);
  return at(name);
};
const ropewalk = await load({ analysis: true });

const run = (...args: string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [cli, ...args], { encoding: "utf8", cwd: folder });

function succeeds(...args: string[]): string {
  const { status, stdout, stderr } = run(...args);
  expect(stderr).toBe("");
  expect(status).toBe(0);
  return stdout;
}

const json = <T>(...args: string[]): T => JSON.parse(succeeds(...args, "--json")) as T;

/** Nothing on stdout, one message and no stack trace on stderr. */
function fails(code: number, args: string[], ...words: string[]): void {
  const { status, stdout, stderr } = run(...args);
  expect(stdout).toBe("");
  for (const word of words) expect(stderr).toContain(word);
  expect(stderr).toMatch(/^ropewalk/);
  expect(stderr).not.toMatch(/^\s+at |node:internal/m);
  expect(stderr).not.toContain("\u001b");
  expect(status).toBe(code);
}

interface Array4 {
  shape: number[];
  data: Float32Array;
}

/** A .npy file as NumPy writes it. */
function npy({ shape, data }: Array4, change: { descr?: string; fortran?: string; version?: number } = {}): Uint8Array {
  const { descr = "<f4", fortran = "False", version = 1 } = change;
  const header = `{'descr': '${descr}', 'fortran_order': ${fortran}, 'shape': (${shape.join(", ")}${shape.length === 1 ? "," : ""}), }\n`;
  const head = Buffer.alloc(version === 1 ? 10 : 12);
  head.write("\x93NUMPY", "latin1");
  head[6] = version;
  if (version === 1) head.writeUInt16LE(header.length, 8);
  else head.writeUInt32LE(header.length, 8);
  return Buffer.concat([head, Buffer.from(header), new Uint8Array(data.buffer, data.byteOffset, data.byteLength)]);
}

function readNpy(name: string): Array4 {
  const bytes = readFileSync(at(name));
  const end = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString("latin1", 10, end);
  expect(end % 64).toBe(0);
  expect(header).toMatch(/\n$/);
  const shape = header
    .match(/\(([^)]*)\)/)![1]!
    .split(",")
    .filter((size) => size.trim() !== "");
  return { shape: shape.map(Number), data: new Float32Array(new Uint8Array(bytes.subarray(end)).buffer) };
}

const wave = (length: number) => Float32Array.from({ length }, (_, i) => Math.sin(i * i + 1));

type Tensors = Record<string, { dtype: string; shape: number[]; bytes: Uint8Array }>;

function safetensors(
  tensors: Tensors,
  change: (header: Record<string, unknown>) => unknown = () => undefined,
): Uint8Array {
  let offset = 0;
  const header: Record<string, unknown> = { __metadata__: { format: "pt" } };
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes.length] };
    offset += bytes.length;
  }
  change(header);
  const text = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([size, text, ...Object.values(tensors).map(({ bytes }) => bytes)]);
}

describe("help and usage", () => {
  it("lists the commands of docs/command-line.md, each with --help and --json", () => {
    const document = readFileSync(path("../../docs/command-line.md"), "utf8");
    const commandsIn = (text: string, line: RegExp) => [...new Set([...text.matchAll(line)].map(([, name]) => name!))];
    const documented = commandsIn(document, /^npx ropewalk (\S+)/gm).sort();
    expect(commandsIn(succeeds("--help"), /^ {2}ropewalk (\S+)/gm).sort()).toEqual(documented);
    for (const command of documented) {
      const own = succeeds(command, "--help");
      expect(own).toContain(`ropewalk ${command}`);
      expect(own).toContain("--json");
    }
    expect(succeeds("help", "explain")).toBe(succeeds("explain", "--help"));
    const { version } = JSON.parse(readFileSync(path("../../package.json"), "utf8")) as { version: string };
    expect(succeeds("--version")).toBe(`${version}\n`);
  });

  it.each<[string, string[], ...string[]]>([
    ["nothing", [], "a command is missing", "ropewalk explain"],
    ["a misspelt command", ["explian"], '"explian" is no command; did you mean `explain`?'],
    ["an unknown command", ["sing"], '"sing" is no command', "explain, decay"],
    ["an option before the command", ["--config", "x"], "a command comes before --config"],
    ["a name that every object has", ["constructor"], '"constructor" is no command'],
    ["an unknown option", ["explain", "x.json", "--lenght", "3"], "--lenght", "`--length`?", "ropewalk explain --help"],
    ["a word that is missing", ["explain"], "config.json is missing"],
    ["a word too much", ["explain", "a", "b"], '"b"'],
    ["a value that is missing", ["explain", "a", "--length"], "--length has no value"],
    ["an option in the place of a value", ["explain", "a", "--length", "--json"], "explain: --length has no value; "],
    ["a value that begins with a dash", ["explain", "a", "--layer-type", "-x"], "is written --layer-type=-..."],
    [
      "an unknown option of any name",
      ["explain", "a", "--ambiguous"],
      "explain: unknown option --ambiguous; allowed: ",
    ],
    ["an option with a space", ["explain", "a", "--type = x"], "unknown option --type ; did you mean `--type`?"],
    ["a value of a flag", ["explain", "a", "--json=yes"], "explain: --json takes no value"],
    ["a short option", ["explain", "a", "-x"], "unknown option -x; words that begin with a dash stand behind --"],
    ["help about no command", ["help", "explian"], '"explian" is no command; did you mean `explain`?'],
    ["a length without a configuration", ["decay", "--head-dim", "8", "--length", "9"], "--length is for a config"],
    ["layers without a configuration", ["decay", "--head-dim", "8", "--layer-type", "x"], "--layer-type is for a"],
    ["a pairing without a configuration", ["decay", "--head-dim", "8", "--pairing", "x"], '--pairing is "x"; allowed'],
    ["no number", ["explain", "a", "--length", "many"], '--length is "many"; allowed: a number'],
    ["no count", ["fill-mask", "a", "b", "--top-k", "0"], '--top-k is "0"', "at least 1"],
    ["a count too large", ["decay", "--head-dim", "99999999999"], "--head-dim is 99999999999", "to 4294967295"],
    ["a choice that is none", ["rotate", "a.npy", "b.npy", "--layout", "hbsd"], "bshd or bhsd"],
    ["neither configuration nor numbers", ["decay"], "--head-dim"],
    ["both", ["decay", config("llama-2-7b"), "--base", "3"], "--base"],
    ["a length below 0", ["explain", config("phi-3-mini-128k"), "--length", "-4"], "ropewalk explain: --length is -4"],
    [
      "layers that are not there",
      ["explain", config("gemma-4-31b"), "--layer-type", "x"],
      '--layer-type is "x"; allowed: ',
    ],
    ["a position too large", ["table", config("llama-2-7b"), "--positions", "0,1e300"], "--positions is 1e+300"],
    ["a base of 0", ["decay", "--head-dim", "8", "--base", "0"], "ropewalk decay: --base is 0; allowed: "],
    [
      "a head of odd size",
      ["decay", "--head-dim", "127"],
      "ropewalk decay: --head-dim is 127; allowed: an even number",
    ],
    [
      "more channels than a head has, naming both options",
      ["decay", "--head-dim", "128", "--rotary-dim", "130"],
      "ropewalk decay: --rotary-dim is 130; allowed: an even number from 2 to --head-dim = 128",
    ],
    ["more rows than a text can hold", ["table", config("llama-2-7b"), "--positions", "0:200000"], "allowed: 156250"],
    ["an empty range", ["decay", "--head-dim", "8", "--distances", "3:3"], "3:3"],
    ["an endless range", ["decay", "--head-dim", "8", "--distances", "0:1e9"], "more than"],
    ["a range that leads away", ["decay", "--head-dim", "8", "--distances", "0:9:-1"], "0:9:-1"],
    ["the same pairing twice", ["convert", "a", "b", "--config", config("llama-2-7b"), "--to", "half"], "both half"],
    ["no configuration to convert by", ["convert", "a", "b"], "--config"],
  ])("refuses %s with code 2", (_, args, ...words) => {
    fails(2, args, ...words);
  });
});

describe("explain", () => {
  it("prints what the library says", () => {
    using rope = ropewalk.rope(ropeOptionsFromConfig(JSON.parse(readFileSync(config("llama-3.1-8b"), "utf8"))));
    expect(succeeds("explain", config("llama-3.1-8b"))).toBe(rope.explain().text);
    const told = json<{ options: object; pairs: object[]; magnitude: number }>("explain", config("llama-3.1-8b"));
    expect(told.pairs.length).toBe(64);
    expect(told.magnitude).toBe(1);
    expect(told.options).toMatchObject({ headDim: 128, frequencies: { type: "llama3" } });
    expect(succeeds("explain", config("llama-2-7b"), "--context", "4096")).toContain("4096");
    const limits = succeeds("explain", config("llama-2-7b"), "--context", "4096", "--type", "bfloat16");
    expect(limits).toContain("In bfloat16, positions are exact up to 256");
    fails(2, ["explain", config("llama-2-7b"), "--type", "bfloat16"], "--type needs --context");
  });

  it("takes a folder, standard input, a length and a type of layers", () => {
    mkdirSync(at("model"));
    copyFileSync(config("llama-2-7b"), at("model/config.json"));
    const text = succeeds("explain", at("model"));
    const { stdout } = spawnSync(process.execPath, [cli, "explain", "-"], {
      encoding: "utf8",
      input: readFileSync(config("llama-2-7b"), "utf8"),
    });
    expect(stdout).toBe(text);
    expect(succeeds("explain", config("phi-3-mini-128k"), "--length", "4097")).toContain("long_factor");
    expect(succeeds("explain", config("gemma-4-31b"), "--layer-type", "full_attention")).toContain("proportional");
    expect(succeeds("explain", config("gguf-llama-2-7b"))).toContain("pairs (2j, 2j + 1)");
  });

  it("reads standard input once", () => {
    const input = readFileSync(config("llama-2-7b"), "utf8");
    const read = (...args: string[]) =>
      spawnSync(process.execPath, [cli, "check", ...args], { encoding: "utf8", input });
    const { status, stderr } = read("-", "--inv-freq", "-");
    expect([status, stderr.split("\n")[0]]).toEqual([2, "ropewalk check: standard input (-) can be given once"]);
    const { stderr: marked } = spawnSync(process.execPath, [cli, "explain", "-"], {
      encoding: "utf8",
      input: `\ufeff${input}`,
    });
    expect(marked).toContain("standard input: begins with a byte order mark");
  });

  it("says in words of the command line what a configuration lacks", () => {
    fails(1, ["explain", config("phi-3-mini-128k")], "phi-3-mini-128k.json", "--length is missing");
    fails(1, ["explain", config("gemma-4-31b")], "--layer-type is missing", "full_attention");
  });

  it("tells keys of a configuration from options of the same name", () => {
    const sizes = { head_dim: 64, rope_theta: 1e4, max_position_embeddings: 64 };
    const file = (name: string, config: object) => write(name, JSON.stringify({ ...sizes, ...config }));
    const limits = ["--type", "float16", "--context", "8"];
    const unknown = file("unknown.json", { model_type: "llama", rope_scaling: { type: "foo", factor: 2 } });
    fails(1, ["explain", unknown, ...limits], 'unknown.json: `rope_scaling.type` is "foo"; allowed: ');
    const gemma = { model_type: "gemma3_text", rope_local_base_freq: 1e4, rope_scaling: { type: "linear", factor: 8 } };
    const old = file("old.json", gemma);
    fails(1, ["explain", old, "--layer-type", "full_attention"], "since the class does not read `type`");
  });

  it("survives hostile files", () => {
    const rope = { head_dim: 8, rope_scaling: { rope_type: "linear", factor: 2, "\u001b[31mred": 1 } };
    fails(1, ["explain", write("escape.json", JSON.stringify(rope))], "[31mred", "unknown key");
    fails(1, ["explain", at("nowhere.json")], "nowhere.json: no such file");
    fails(1, ["explain", write("half.json", '{"head_dim": ')], "half.json: not JSON");
    fails(1, ["explain", write("list.json", "[1, 2]")], "list.json: holds no JSON object");
    fails(1, ["explain", write("deep.json", `{"x": ${"[".repeat(50_000)}${"]".repeat(50_000)}, "head_dim": 8}`)]);
    fails(1, ["explain", write("proto.json", '{"__proto__": {"head_dim": 8}}')], "`head_dim`");
    fails(1, ["explain", write("binary.json", Uint8Array.of(0, 255, 1, 254))], "binary.json: is not a text in UTF-8");
    fails(1, ["explain", write("short.gguf", "")], `ropewalk: ${at("short.gguf")}: the file has 0 bytes`);
    fails(1, ["explain", ""], 'ropewalk: "": no such file or folder');
    fails(1, ["explain", "a\nb"], String.raw`ropewalk: "a\nb": no such file or folder`);
    fails(1, ["explain", write("huge.json", '{"head_dim": 1e300}')], "`head_dim`");
  });
});

describe("decay and table", () => {
  it("prints rows", () => {
    const text = succeeds("decay", "--head-dim", "128", "--distances", "-1:2");
    const rows = text.trimEnd().split("\n");
    expect(rows.map((row) => row.split("\t")[0])).toEqual(["distance", "-1", "0", "1"]);
    expect(rows[2]).toBe("0\t32.5");
    const { distances, decay } = json<{ distances: number[]; decay: number[] }>("decay", config("llama-2-7b"));
    expect(distances).toEqual(Array.from({ length: 17 }, (_, i) => i * 16));
    using rope = ropewalk.rope({ headDim: 128 });
    expect(decay).toEqual(Array.from(rope.decay(distances)));
    const listed = json<{ distances: number[] }>("decay", "--head-dim", "8", "--distances", "5,0:1:0.25,1e3");
    expect(listed.distances).toEqual([5, 0, 0.25, 0.5, 0.75, 1000]);
  });

  it("prints cos and sin", () => {
    const rows = succeeds("table", config("roformer-chinese-base"), "--positions", "0,1.5,-3").trimEnd().split("\n");
    expect(rows.length).toBe(1 + 3 * 32);
    expect(rows[0]).toBe("position\tpair\tcos\tsin");
    const [position, pair, cos, sin] = rows[33]!.split("\t").map(Number);
    expect([position, pair]).toEqual([1.5, 0]);
    expect(cos).toBeCloseTo(Math.cos(1.5), 7);
    expect(sin).toBeCloseTo(Math.sin(1.5), 7);
    const told = json<{ cos: number[][] }>("table", config("roformer-chinese-base"), "--positions", "0:2");
    expect(told.cos[0]).toEqual(new Array(32).fill(1));
  });

  it.runIf(existsSync("/dev/full"))("says why standard output cannot be written", () => {
    const full = openSync("/dev/full", "w");
    const stdio = ["pipe", full, "pipe"] as const;
    const { status, stderr } = spawnSync(process.execPath, [cli, "--help"], { encoding: "utf8", stdio: [...stdio] });
    closeSync(full);
    expect([status, stderr]).toEqual([1, "ropewalk: standard output: no space left\n"]);
  });

  it("says nothing when the reader has gone", async () => {
    const child = spawn(process.execPath, [cli, "table", config("llama-2-7b"), "--positions", "0:4000"]);
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => {
      child.on("close", resolve);
    });
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });
});

describe("rotate", () => {
  const x: Array4 = { shape: [2, 3, 4, 8], data: wave(2 * 3 * 4 * 8) };

  it("rotates as the library does, and back", () => {
    write("x.npy", npy(x));
    const out = succeeds(
      "rotate",
      "x.npy",
      "y.npy",
      "--pairing",
      "half",
      "--start",
      "-5",
      "--base",
      "500",
      "--rotary-dim",
      "6",
    );
    expect(out).toContain("positions -5 to -3");
    const frequencies = { type: "default", base: 500 } as const;
    using rope = ropewalk.rope({ headDim: 8, rotaryDim: 6, pairing: "half", frequencies });
    const y = readNpy("y.npy");
    expect(y.shape).toEqual(x.shape);
    expect(y.data).toEqual(rope.rotate(x.data, { batch: 2, sequence: 3, heads: 4, positions: -5 }));
    succeeds(
      "rotate",
      "y.npy",
      "y.npy",
      "--pairing",
      "half",
      "--start=-5",
      "--base=500",
      "--rotary-dim=6",
      "--inverse",
    );
    readNpy("y.npy").data.forEach((value, i) => {
      expect(value).toBeCloseTo(x.data[i]!, 6);
    });
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("takes a configuration, version 2, three sizes and the other layout", () => {
    const small: Array4 = { shape: [2, 5, 64], data: wave(2 * 5 * 64) };
    write("small.npy", npy(small, { version: 2 }));
    const told = json<{ shape: number[]; options: object }>(
      ...["rotate", "small.npy", "out.npy", "--layout", "bhsd", "--config", config("roformer-chinese-base")],
    );
    expect(told.shape).toEqual([2, 5, 64]);
    using rope = ropewalk.rope({ headDim: 64 });
    expect(readNpy("out.npy").data).toEqual(rope.rotate(small.data, { sequence: 5, heads: 2, layout: "bhsd" }));
  });

  it.each<[string, () => Uint8Array | string, ...string[]]>([
    ["float64", () => npy(x, { descr: "<f8" }), "'<f8'", "astype('float32')"],
    ["big-endian", () => npy(x, { descr: ">f4" }), "'>f4'"],
    ["objects", () => npy(x, { descr: "|O" }), "'|O'"],
    ["Fortran order", () => npy(x, { fortran: "True" }), "Fortran"],
    ["an unknown version", () => npy(x, { version: 9 }), "version 9"],
    ["too few data", () => npy(x).subarray(0, -4), "bytes of data", "allowed: 768"],
    ["too many data", () => Buffer.concat([npy(x), Buffer.alloc(4)]), "bytes of data"],
    ["a header that ends too early", () => npy(x).subarray(0, 40), "ends inside its header"],
    ["no header at all", () => Buffer.concat([npy(x).subarray(0, 8), Buffer.from([2, 0, 32, 32])]), "its header"],
    ["a file of another kind", () => "PK\u0003\u0004 and more of it", "not a .npy file"],
    ["an empty file", () => "", "not a .npy file"],
    ["two sizes", () => npy({ shape: [4, 8], data: wave(32) }), "[4, 8]", "[B, S, H, D]"],
    ["sizes beyond all numbers", () => npy({ ...x, shape: [9e15, 9e15, 9e15, 8] }), "bytes of data"],
  ])("refuses %s", (_, bytes, ...words) => {
    write("bad.npy", bytes());
    fails(1, ["rotate", "bad.npy", "never.npy"], "bad.npy", ...words);
    expect(readdirSync(folder)).not.toContain("never.npy");
  });

  it("refuses heads that the rope is not for, and a place that is not there", () => {
    write("x.npy", npy(x));
    fails(2, ["rotate", "x.npy", "y.npy", "--config", config("llama-2-7b")], "8 channels", "128");
    fails(1, ["rotate", "x.npy", "no/where/y.npy"], "no/where/y.npy: no such file");
    fails(2, ["rotate", "x.npy", "y.npy", "--start", "1e300"], "ropewalk rotate: --start is 1e+300; allowed: a finite");
    write("none.npy", npy({ shape: [0, 3, 4, 8], data: wave(0) }));
    fails(1, ["rotate", "none.npy", "y.npy"], "none.npy: its shape is [0, 3, 4, 8]; allowed: sizes of at least 1");
    write("odd.npy", npy({ shape: [1, 1, 7], data: wave(7) }));
    fails(1, ["rotate", "odd.npy", "y.npy"], "odd.npy: `headDim` is 7; allowed: an even number");
    fails(1, ["rotate", "x.npy", "-"], "-: is not standard output here; write ./- for a file of this name");
    expect(readdirSync(folder)).not.toContain("-");
    fails(2, ["rotate", "x.npy", "y.npy", "--rotary-dim", "5"], "--rotary-dim is 5; allowed: an even number");
  });
});

describe("convert", () => {
  const [headDim, heads, kvHeads, hidden] = [8, 4, 2, 6];
  const settings = {
    model_type: "stablelm",
    head_dim: headDim,
    num_attention_heads: heads,
    num_key_value_heads: kvHeads,
    partial_rotary_factor: 0.75,
  };
  const bytesOf = (values: Float32Array | Uint16Array) =>
    new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const float32 = (...shape: number[]) => ({
    dtype: "F32",
    shape,
    bytes: bytesOf(wave(shape.reduce((a, b) => a * b, 1))),
  });
  const bfloat16 = (...shape: number[]) => ({
    dtype: "BF16",
    shape,
    bytes: bytesOf(Uint16Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => 17 * i)),
  });
  const model: Tensors = {
    "model.embed_tokens.weight": float32(5, hidden),
    "model.layers.0.self_attn.q_proj.weight": float32(heads * headDim, hidden),
    "model.layers.0.self_attn.q_proj.bias": float32(heads * headDim),
    "model.layers.0.self_attn.k_proj.weight": bfloat16(kvHeads * headDim, hidden),
    "model.layers.0.self_attn.v_proj.weight": bfloat16(kvHeads * headDim, hidden),
    "model.layers.0.self_attn.k_norm.weight": bfloat16(headDim),
  };
  beforeAll(() => {
    write("convert.json", JSON.stringify(settings));
    write("model.safetensors", safetensors(model));
  });

  it("moves queries and keys, and nothing else", () => {
    const text = succeeds("convert", "model.safetensors", "out.safetensors", "--config", "convert.json");
    expect(text).toContain("4 tensors from half to interleaved");
    expect(text).toContain("q_proj.bias [32]: 4 x 8");
    expect(text).toContain("k_norm.weight [8]: 1 x 8");
    expect(text).not.toContain("v_proj");
    const [before, after] = [readFileSync(at("model.safetensors")), readFileSync(at("out.safetensors"))];
    expect(after.length).toBe(before.length);
    const data = 8 + Number(before.readBigUInt64LE());
    expect(after.subarray(0, data)).toEqual(before.subarray(0, data));
    let offset = data;
    for (const [name, { shape, bytes }] of Object.entries(model)) {
      const now = after.subarray(offset, offset + bytes.length);
      offset += bytes.length;
      if (!/q_proj|k_proj|k_norm/.test(name)) {
        expect(Buffer.compare(now, bytes)).toBe(0);
        continue;
      }
      const row = bytes.length / shape[0]!;
      for (let head = 0; head < shape[0]! / headDim; head++) {
        // Six of eight channels rotate: 2j from j, 2j + 1 from j + 3.
        [0, 3, 1, 4, 2, 5, 6, 7].forEach((from, to) => {
          const rowAt = (i: number) => (head * headDim + i) * row;
          const [a, b] = [now.subarray(rowAt(to), rowAt(to) + row), bytes.subarray(rowAt(from), rowAt(from) + row)];
          expect(Buffer.compare(a, b)).toBe(0);
        });
      }
    }
  });

  it("goes back in place, and says so as JSON", () => {
    copyFileSync(at("model.safetensors"), at("there.safetensors"));
    succeeds("convert", "there.safetensors", "there.safetensors", "--config", "convert.json");
    expect(readFileSync(at("there.safetensors"))).not.toEqual(readFileSync(at("model.safetensors")));
    const told = json<{ moved: { name: string }[]; from: string }>(
      ...["convert", "there.safetensors", "there.safetensors", "--config", "convert.json", "--from", "interleaved"],
    );
    expect(told.from).toBe("interleaved");
    expect(told.moved.length).toBe(4);
    expect(readFileSync(at("there.safetensors"))).toEqual(readFileSync(at("model.safetensors")));
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });

  const q = "model.layers.0.self_attn.q_proj.weight";
  const place = (header: Record<string, unknown>, name: string) => header[name] as { data_offsets: number[] };
  it.each<[string, () => Uint8Array | string, ...string[]]>([
    ["nothing that rotates", () => safetensors({ "a.weight": float32(2) }), "none of its 1 tensors"],
    ["fused projections", () => safetensors({ "h.0.attn.c_attn.weight": float32(2, 2) }), "c_attn.weight", "joins"],
    ["other heads", () => safetensors({ [q]: float32(40, 2) }), "has 40 rows", "4 heads of 8"],
    ["another type", () => safetensors({ [q]: { dtype: "I8", shape: [32, 2], bytes: new Uint8Array(64) } }), "is I8"],
    ["a shape that lies", () => safetensors({ [q]: { ...float32(32, 2), shape: [32, 3] } }), "[32, 3]"],
    ["no file at all", () => "", "not a .safetensors file"],
    ["a header longer than the file", () => Buffer.alloc(9, 255), "not a .safetensors file"],
    [
      "a header that is not JSON",
      () => Buffer.concat([Uint8Array.of(4, 0, 0, 0, 0, 0, 0, 0), Buffer.from("{{{{")]),
      "not JSON",
    ],
    [
      "a tensor that is null",
      () => safetensors({ [q]: float32(32, 2) }, (header) => Object.assign(header, { x: null })),
      '"x"',
    ],
    [
      "a place outside the file",
      () => safetensors(model, (header) => place(header, q).data_offsets.splice(1, 1, 1e9)),
      q,
      "inside the file",
    ],
    [
      "tensors in each other's place",
      () => safetensors(model, (header) => place(header, q).data_offsets.splice(0, 1, 0)),
      "overlap",
    ],
    ["a name that a terminal obeys", () => safetensors({ "\u001b[2J.q_proj.weight": float32(40, 2) }), "q_proj.weight"],
  ])("refuses %s", (_, bytes, ...words) => {
    write("bad.safetensors", bytes());
    fails(1, ["convert", "bad.safetensors", "never.safetensors", "--config", "convert.json"], ...words);
    expect(readdirSync(folder).filter((name) => /never|partial/.test(name))).toEqual([]);
  });
});

describe("fill-mask", () => {
  const golden = path("../golden/roformer/base/");
  beforeAll(() => {
    mkdirSync(at("roformer"));
    for (const name of ["config.json", "model.safetensors"]) copyFileSync(join(golden, name), at(`roformer/${name}`));
  });

  it("prints the likeliest words", () => {
    fails(1, ["fill-mask", "roformer", "the [MASK]"], "fillMask: this model was loaded without a tokenizer");
    const words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "captain"];
    write("roformer/vocab.txt", `${words.join("\n")}\n`);
    const rows = succeeds("fill-mask", "roformer", "the [MASK] the [MASK]", "--top-k", "3").trimEnd().split("\n");
    expect(rows.length).toBe(1 + 2 * 3);
    expect(rows[0]).toBe("mask\tscore\tword\ttext");
    expect(rows[4]).toMatch(/^2\t0\.\d{4}\t/);
    const masks = json<{ score: number; tokenStr: string }[][]>("fill-mask", "roformer", "the [MASK]");
    expect(masks[0]!.length).toBe(5);
    expect(masks[0]![0]!.score).toBeGreaterThanOrEqual(masks[0]![1]!.score);
    fails(1, ["fill-mask", "roformer", "no mask"], "[MASK]");
  });

  it("says which file is missing or broken", () => {
    fails(1, ["fill-mask", "nowhere", "x"], "nowhere: no such file or folder");
    mkdirSync(at("empty.gguf"));
    fails(1, ["fill-mask", "empty.gguf", "x"], "empty.gguf: is a folder");
    mkdirSync(at("empty"));
    copyFileSync(join(golden, "config.json"), at("empty/config.json"));
    write("empty/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n");
    fails(1, ["fill-mask", "empty", "[MASK]"], "`files` has no model.safetensors");
    write("empty/model.safetensors", "nothing of the kind");
    fails(1, ["fill-mask", "empty", "[MASK]"]);
  });
});
