// The native program as a source of candidates: it is asked for samples line by line.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { idsOf, MODELS } from "../models/shapes.mjs";

/** { architecture, candidate(words) -> candidate, close() } */
export async function openNative(program) {
  const child = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  let ended;
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(line));
  const fail = (why) => {
    ended = why;
    for (const each of waiting.splice(0)) each.reject(new Error(why));
  };
  child.on("error", (error) => fail(error.message));
  child.on("exit", (code, signal) => fail(`the native program ended (${signal ?? code})`));
  const ask = (line) =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(new Error(ended));
      waiting.push({ resolve, reject });
      child.stdin.write(`${line}\n`);
    });
  const answer = async (line) => {
    const said = await ask(line);
    if (said.startsWith("error ")) throw new Error(said.slice("error ".length));
    return said;
  };
  let count = 0;
  return {
    architecture: await answer("architecture"),
    async candidate(words) {
      const key = `c${count++}`;
      await answer(`make ${key} ${words.join(" ")}`);
      return {
        sample: async (iterations) => Number(await answer(`sample ${key} ${iterations}`)),
        dispose: () => answer(`drop ${key}`),
      };
    },
    close: () => child.stdin.end(),
  };
}

/** An engine as models/engines.mjs has them: the C++ library. `folder` is for texts and results. */
export async function openLibrary({ program, models, folder }, name, precision) {
  const native = await openNative(program);
  const files = ["config.json", "model.safetensors"].map((file) => join(models, name, file));
  return {
    async at(length) {
      const [ids, result] = ["ids", "result"].map((what) => join(folder, `${what}-${name}-${length}`));
      writeFileSync(ids, idsOf(MODELS[name], length));
      const candidate = await native.candidate(["encoder", ...files, ids, precision, result]);
      const run = async () => {
        const bytes = readFileSync(result);
        return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      };
      return { run, candidate };
    },
    dispose: () => native.close(),
  };
}
