/** The command line tool among links, pipes, modes and files that lie. Nothing outside a folder of its own is touched. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  createReadStream,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { cli, testFolder } from "./command-line.js";

const root = testFolder("hostile");
let folder = root;
const at = (name: string) => join(folder, name);
/** Temporary files of the tool go here as well, so that what it leaves is seen. */
const environment = () => ({ ...process.env, TMPDIR: at("tmp") });
let count = 0;
beforeEach(() => {
  folder = join(root, String(count++));
  mkdirSync(at("tmp"), { recursive: true });
  writeFileSync(at("in.npy"), npy(48));
});

/** [2, 3, 8] float32 numbers. */
function npy(size: number): Uint8Array {
  const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 8), }".padEnd(117);
  const head = Buffer.from(`\x93NUMPY\x01\x00\x76\x00${header}\n`, "latin1");
  return Buffer.concat([head, Buffer.from(Float32Array.from({ length: size }, (_, i) => i).buffer)]);
}

function run(args: string[], imported?: string) {
  const flags = imported === undefined ? [] : ["--import", `data:text/javascript,${encodeURIComponent(imported)}`];
  const options = { cwd: folder, encoding: "utf8", env: environment() } as const;
  return spawnSync(process.execPath, [...flags, cli, ...args], options);
}

/** The file that the tool writes if nothing is in the way. */
function rotated(): Buffer {
  expect(run(["rotate", "in.npy", "plain.npy"]).status).toBe(0);
  return readFileSync(at("plain.npy"));
}

const expectNothingLeft = () => {
  expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  expect(readdirSync(at("tmp"))).toEqual([]);
};

describe("rotate writes", () => {
  it("through links, which stay", () => {
    mkdirSync(at("elsewhere"));
    writeFileSync(at("elsewhere/target.npy"), "old");
    symlinkSync("elsewhere/target.npy", at("link.npy"));
    symlinkSync("link.npy", at("link-to-link.npy"));
    expect(run(["rotate", "in.npy", "link-to-link.npy"]).status).toBe(0);
    expect(readlinkSync(at("link.npy"))).toBe("elsewhere/target.npy");
    expect(readFileSync(at("elsewhere/target.npy"))).toEqual(rotated());
    expect(readdirSync(at("elsewhere"))).toEqual(["target.npy"]);
    expectNothingLeft();
  });

  it("into no link to nothing, and into no folder", () => {
    symlinkSync("nowhere.npy", at("dangling.npy"));
    const { status, stderr } = run(["rotate", "in.npy", "dangling.npy"]);
    expect([status, stderr]).toEqual([1, "ropewalk: dangling.npy: is a link to nothing\n"]);
    expect(run(["rotate", "in.npy", "tmp"]).stderr).toBe("ropewalk: tmp: is a folder\n");
    expectNothingLeft();
  });

  it("with the mode that the file had", () => {
    writeFileSync(at("mine.npy"), "old");
    chmodSync(at("mine.npy"), 0o640);
    expect(run(["rotate", "in.npy", "mine.npy"]).status).toBe(0);
    expect(statSync(at("mine.npy")).mode & 0o7777).toBe(0o640);
    rotated();
    expect(statSync(at("plain.npy")).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it("under every name of a file", () => {
    writeFileSync(at("one.npy"), "old and longer than what comes".repeat(100));
    linkSync(at("one.npy"), at("two.npy"));
    expect(run(["rotate", "in.npy", "one.npy"]).status).toBe(0);
    expect(readFileSync(at("two.npy"))).toEqual(rotated());
    expect(statSync(at("two.npy")).nlink).toBe(2);
    expectNothingLeft();
  });

  it("into a pipe, which stays one", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    const child = spawn(process.execPath, [cli, "rotate", "in.npy", "pipe"], { cwd: folder, env: environment() });
    const [bytes, [code]] = await Promise.all([buffer(createReadStream(at("pipe"))), once(child, "exit")]);
    expect(code).toBe(0);
    expect(bytes).toEqual(rotated());
    expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
    expectNothingLeft();
  });

  it("over nothing that was planted where its unfinished file goes", () => {
    // Not even when the name has been guessed.
    const guessed = `import crypto from "node:crypto"; import { syncBuiltinESMExports } from "node:module";
      crypto.randomBytes = (size) => Buffer.alloc(size); syncBuiltinESMExports();`;
    writeFileSync(at("victim.txt"), "victim");
    writeFileSync(at("out.npy"), "old");
    symlinkSync("victim.txt", at("out.npy.partial-0000000000000000"));
    const { status, stderr } = run(["rotate", "in.npy", "out.npy"], guessed);
    expect([status, stderr]).toEqual([1, "ropewalk: out.npy: is there already\n"]);
    expect(readFileSync(at("victim.txt"), "utf8")).toBe("victim");
    expect(readFileSync(at("out.npy"), "utf8")).toBe("old");
    expect(lstatSync(at("out.npy")).isSymbolicLink()).toBe(false);
  });
});

describe.each(["SIGINT", "SIGTERM"] as const)("%s removes what is not finished", (signal) => {
  /** Stops the tool as soon as `there` holds, which it does for good. */
  async function stopped(flags: string[], args: string[], there: () => boolean): Promise<void> {
    const child = spawn(process.execPath, [...flags, cli, ...args], { cwd: folder, env: environment() });
    while (!there()) await wait(10);
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([null, signal]);
    expectNothingLeft();
  }

  it("beside a file", async () => {
    // The last step never comes.
    const stall = `import fs from "node:fs/promises"; import { syncBuiltinESMExports } from "node:module";
      fs.rename = () => new Promise(() => setInterval(() => {}, 1e6)); syncBuiltinESMExports();`;
    const flags = ["--import", `data:text/javascript,${encodeURIComponent(stall)}`];
    writeFileSync(at("out.npy"), "old");
    const isWritten = () => readdirSync(folder).some((name) => /^out\.npy\.partial-[0-9a-f]{16}$/.test(name));
    await stopped(flags, ["rotate", "in.npy", "out.npy"], isWritten);
    expect(readFileSync(at("out.npy"), "utf8")).toBe("old");
  });

  it("for a pipe that nobody reads", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    await stopped([], ["rotate", "in.npy", "pipe"], () => readdirSync(at("tmp")).length > 0);
    expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
  });
});

describe("convert refuses what the reader of the models refuses:", () => {
  const q = "model.layers.0.self_attn.q_proj.weight";
  const tensor = (begin: number, rest: object = {}) => ({
    dtype: "F32",
    shape: [8, 1],
    data_offsets: [begin, begin + 32],
    ...rest,
  });
  const file = (header: string | Buffer, data: number) => {
    const text = Buffer.from(header);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    return Buffer.concat([length, text, Buffer.alloc(data, 1)]);
  };
  const json = (header: object) => JSON.stringify(header);
  const twice = `{"${q}":${json(tensor(0))},"${q.replace("q_", "\\u0071_")}":${json(tensor(32))}}`;
  const within = `{"${q}":{"dtype":"F32","shape":[9,9],"shape":[8,1],"data_offsets":[0,32]}}`;
  it.each<[string, Buffer, string]>([
    ["bytes after the last tensor", file(json({ [q]: tensor(0) }), 36), "4 bytes follow its last tensor"],
    ["a hole", file(json({ [q]: tensor(0), x: tensor(36) }), 68), '4 bytes of no tensor before its tensor "x"'],
    ["a hole at the beginning", file(json({ [q]: tensor(8) }), 40), "8 bytes of no tensor before"],
    ["a tensor twice, once with an escape", file(twice, 64), `its header has the key "${q}" twice`],
    ["a key of a tensor twice", file(within, 32), 'its header has the key "shape" twice'],
    [
      "a shape of another size, of a tensor that does not move",
      file(json({ [q]: tensor(0), x: tensor(32, { shape: [9] }) }), 64),
      "[9]",
    ],
    ["an unknown type", file(json({ [q]: tensor(0), x: tensor(32, { dtype: "F33" }) }), 64), '"F33"'],
    ["numbers with a point", file(json({ [q]: tensor(0) }).replace("[8,1]", "[8.0,1]"), 32), "not whole"],
    ["metadata that are no texts", file(json({ __metadata__: { a: 1 }, [q]: tensor(0) }), 32), "`__metadata__`"],
    [
      "bytes that are not UTF-8",
      file(Buffer.from(json({ [q]: tensor(0) }).replace("F32", "F3\xff"), "latin1"), 32),
      "UTF-8",
    ],
  ])("%s", (_, bytes, words) => {
    writeFileSync(at("config.json"), json({ model_type: "llama", head_dim: 8, num_attention_heads: 1 }));
    writeFileSync(at("model.safetensors"), bytes);
    const { status, stderr } = run(["convert", "model.safetensors", "never.safetensors", "--config", "config.json"]);
    expect(stderr).toContain(`ropewalk: model.safetensors: `);
    expect(stderr).toContain(words);
    expect(status).toBe(1);
    expect(readdirSync(folder)).not.toContain("never.safetensors");
    expectNothingLeft();
  });

  it("and takes what it takes, also from a file that is only to be read", () => {
    writeFileSync(at("config.json"), json({ model_type: "llama", head_dim: 8, num_attention_heads: 1 }));
    const header = json({ __metadata__: { 'a"b': "{1.5" }, [q]: tensor(0), "b.weight": tensor(32) });
    writeFileSync(at("model.safetensors"), file(header, 64), { mode: 0o444 });
    const { status, stderr } = run(["convert", "model.safetensors", "out.safetensors", "--config", "config.json"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(statSync(at("out.safetensors")).mode & 0o777).toBe(0o666 & ~process.umask());
  });
});
