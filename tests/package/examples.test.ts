/** Runs every TypeScript example of the README and the guides from the installed package, after a strict type check. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decoderFiles } from "../ts/decoder-folder.js";
import { filesOf, vocabulary } from "../ts/model-folder.js";
import { makeProject, type Project, root } from "./project.mjs";

/** Checks of what the examples of a file print, in the order in which the examples stand there. */
const expected: Record<string, ((printed: string[]) => void)[]> = {
  "README.md": [
    ([line]) => expect(line).toMatch(/^(A sailor|The bakery|Rain).*\. -?\d/),
    (printed) => expect(printed.at(-1)).toMatch(/(length|eos)$/),
    (printed) => {
      expect(printed.join("\n")).toMatch(/^\d+ \d+\n[\s\S]*\d+ true \d+ tokens of/);
      expect(printed.join("\n")).toMatch(/1 drop[\s\S]*1 chunk/);
    },
    (printed) => expect(printed).toEqual(["true"]),
    (printed) => expect(printed.join("\n")).toMatch(/pair/),
    (printed) => {
      expect(printed).toHaveLength(5);
      for (const line of printed) expect(line).toMatch(/^[a-z]+ 0\.\d+$/);
    },
  ],
  "docs/encoders.md": [
    (printed) => expect(printed[0]).toBe("bert 32 40"),
    ([line]) => expect(line).toMatch(/^[1-9]\d+ parameters, [1-9]\d+ bytes to read, [1-9]\d+ bytes of memory at most$/),
    (printed) => expect([printed.at(-2), printed.at(-1)]).toEqual(["3 of 3", "3 16"]),
    ([line]) => expect(line).toMatch(/^-?\d\S* (Ropes|The bakery)/),
    (printed) => expect(printed).toEqual(["1 32"]),
    (printed) => expect(printed).toEqual(["32"]),
  ],
  "docs/decoders.md": [
    ([line, ...more]) => {
      expect(line).toBe("llama 512");
      expect(more[0]).toMatch(/^3 null .*rotate/);
    },
    (printed) => {
      expect(printed).toHaveLength(2);
      for (const line of printed) expect(line).toMatch(/^[1-9]\d+ [1-9]\d+$/);
    },
    (printed) => {
      expect(printed[0]).toBe("2 true");
      expect(printed.join("\n")).toMatch(/1 drop[\s\S]*1 chunk/);
    },
  ],
  "docs/guide.md": [
    (printed) => expect(printed).toEqual(["true"]),
    (printed) => expect(printed.length).toBeGreaterThan(2),
    (printed) => expect(printed).toEqual(Array(8).fill("true")),
    ([scores, same]) => {
      const falling = scores!.split(" ").map(Number);
      expect(falling).toHaveLength(4);
      expect(falling).toEqual([...falling].sort((a, b) => b - a));
      expect(same).toBe("true");
    },
    (printed) => expect(printed).toEqual(["true"]),
  ],
  "docs/training.md": [
    (printed) => expect(printed).toEqual(["true"]),
    ([symbols, ...results]) => {
      expect(symbols).toMatch(/^\[PAD\] \[MASK\] a b .* p < >$/);
      const rows = results.map((line) => line.split(" "));
      expect(rows.map(([encoding, length]) => `${encoding} ${length}`)).toEqual([
        "rope 24",
        "rope 48",
        "alibi 24",
        "alibi 48",
      ]);
      const [short, long, ...alibi] = rows.map(([, , accuracy]) => Number(accuracy));
      expect([short, long]).toEqual([1, 1]);
      for (const accuracy of alibi) expect(Math.abs(accuracy! - 0.5)).toBeLessThan(0.06);
    },
    (printed) => expect(printed).toEqual(["true"]),
  ],
};

function examplesOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1]!);
}

/** Examples that download a model get a folder instead. */
const offline = (example: string) => example.replace(/hubFiles\("[^"]+", \{ cache: true \}\)/, '"minilm"');

const nameOf = (file: string, number: number) => `${file.replace(/\W/g, "-")}-${number}`;

let project: Project;
beforeAll(() => {
  project = makeProject();
  // Stands for the checkpoint that the README exports with Python.
  const shipped = join(root, "web/public/model");
  const { model } = JSON.parse(readFileSync(join(shipped, "tokenizer.json"), "utf8")) as {
    model: { vocab: Record<string, number> };
  };
  const words = Object.entries(model.vocab).sort(([, a], [, b]) => a - b);
  project.write("roformer/vocab.txt", words.map(([word]) => word).join("\n"));
  for (const name of ["config.json", "model.safetensors"]) {
    copyFileSync(join(shipped, name), join(project.folder, "roformer", name));
  }
  for (const [name, golden] of [
    ["minilm", "bert-minilm"],
    ["reranker", "bert-reranker"],
  ] as const) {
    for (const [file, bytes] of filesOf(golden, { "vocab.txt": vocabulary() })) {
      const path = join(project.folder, name, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes as Uint8Array);
    }
  }
  const said = "Once upon a time there was sailor who tied rope and ship to the sea".split(" ");
  for (const [file, source] of Object.entries(decoderFiles({}, said))) {
    const bytes = source instanceof Uint8Array ? source : Buffer.from(JSON.stringify(source));
    mkdirSync(join(project.folder, "smollm2"), { recursive: true });
    writeFileSync(join(project.folder, "smollm2", file), bytes);
  }
  const sources = Object.keys(expected).flatMap((file) =>
    examplesOf(file).map((example, i) => {
      const source = `${nameOf(file, i + 1)}.ts`;
      project.write(source, offline(example));
      return source;
    }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
  const flags = ["--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,esnext.disposable"];
  project.run(process.execPath, tsc, "--strict", ...flags, ...types, ...sources);
});
afterAll(() => project?.remove());

it("knows every document that has examples", () => {
  const documents = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
  const withExamples = documents.filter((name) => name.endsWith(".md") && examplesOf(name).length > 0);
  expect(withExamples.sort()).toEqual(Object.keys(expected).sort());
});

describe.each(Object.entries(expected))("%s", (file, checks) => {
  it("has as many examples as are checked", () => {
    expect(examplesOf(file)).toHaveLength(checks.length);
  });

  it.each(checks.map((check, i) => [i + 1, check] as const))("runs example %i", (number, check) => {
    check(
      project
        .run(process.execPath, `${nameOf(file, number)}.js`)
        .trim()
        .split("\n"),
    );
  });
});
