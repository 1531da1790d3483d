// The native library, in the program of native.cpp.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lastWords, run } from "../../tools/setup/commands.mjs";

/** native.cpp says so of a model that it cannot load. */
const REFUSED = 3;

/** Numbers of OUT; `program` is the built one. */
async function answer(program, kind, model, precision, texts) {
  const folder = join(program, "../published-work");
  mkdirSync(folder, { recursive: true });
  const [ids, out] = ["ids.txt", "out.bin"].map((name) => join(folder, name));
  try {
    writeFileSync(ids, texts.map((each) => `${each.join(" ")}\n`).join(""));
    const { code, output } = await run(program, [kind, model, precision, ids, out]);
    if (code === REFUSED) throw new Error(lastWords(output, 1));
    if (code !== 0) throw new Error(`the native program ended with exit code ${code}: ${lastWords(output)}`);
    const bytes = readFileSync(out);
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const rows = (values, count) => {
  const size = values.length / count;
  return Array.from({ length: count }, (_, i) => values.subarray(i * size, (i + 1) * size));
};

export function openNative(program) {
  return {
    name: "native",
    async encode(folder, golden, precision) {
      const values = await answer(program, "encoder", folder, precision, golden.ids);
      return { vectors: rows(values, golden.ids.length) };
    },
    async decode(file, { cases }, precision) {
      const texts = cases.map(({ ids }) => ids);
      const values = await answer(program, "decoder", file, precision, texts);
      return rows(values, cases.length).map((each, i) => {
        const { greedy, positions } = cases[i];
        const logits = rows(each.subarray(1 + greedy.length), positions.length);
        return { likelihood: each[0], greedy: [...each.subarray(1, 1 + greedy.length)], logits };
      });
    },
  };
}
