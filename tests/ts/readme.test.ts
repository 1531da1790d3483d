/** Figures of speed in README, the guide and docs/encoders.md are those that were recorded: the failing test prints what to write. */
import { checkRope, load, type Reader } from "ropewalk";
import { expect, it } from "vitest";
import { digits, time } from "../../tools/markdown.mjs";
import { publishedRatios } from "../bench/report/published.mjs";
import { readJson, readText, readUnwrapped } from "./files.js";

const readme = readText("README.md");

interface Row {
  key: string;
  label: string;
  median: number;
  error?: string;
  code?: number;
}
interface Compared {
  group: string;
  own: Row;
  other: Row;
  ratio?: { median: number };
}
interface Group {
  key: string;
  rows: Row[];
}
const parts = readJson("docs/performance/published.json") as Record<string, { groups: Group[] }>;

/** Demands a line of README, or words in it; `instead` begins the line that stands there. */
function expectLine(line: string, instead: string): void {
  const now = readme.split("\n").find((each) => each.startsWith(instead));
  expect(
    readme.includes(line),
    `README.md: write\n${line}\nin place of\n${now ?? `the line with "${instead}"`}\n`,
  ).toBe(true);
}

const verdict = (times: number) =>
  times >= 1 ? `${digits(times)} times as fast` : `**slower: ${digits(times)} of its speed**`;
const perSecond = (row: Row) => digits(1000 / row.median);

/** Words of README for a row of the record, by "group own rival", and the way it writes its times. */
const WORDS: Record<string, { words: string; said: (row: Row) => string }> = {
  "query ropewalk-int8 transformers-int8": {
    words: "a short query, MiniLM, in a page",
    said: ({ median }) => time(median),
  },
  "first ropewalk-int8 transformers-int8": {
    words: "import to first vector, MiniLM, in a page",
    said: ({ median }) => time(median),
  },
  "write/chromium ropewalk wllama": { words: "tokens per second, Gemma 3 270M, in a page", said: perSecond },
  "write/chromium ropewalk-screen llama": { words: "the same with the option `screen`", said: perSecond },
  "write/node ropewalk llama": { words: "tokens per second, Gemma 3 270M, in Node", said: perSecond },
  "write/node native-screen llama": { words: "the same with ropewalk-native and `screen`", said: perSecond },
};
const nameOf = ({ group, own, other }: Compared) => `${group} ${own.key} ${other.key}`;

/** README shows 8 bits alone. */
const rows = (publishedRatios(parts) as Compared[]).filter((row) => WORDS[nameOf(row)] && row.ratio);

it("every row of README that compares published weights is recorded", () => {
  expect(rows.map(nameOf).sort()).toEqual(Object.keys(WORDS).sort());
});

it.each(rows.map((row) => [nameOf(row), row] as const))("%s is as it was recorded", (_, row) => {
  const { words, said } = WORDS[nameOf(row)]!;
  const rival = `${row.other.label}: ${said(row.other)}`;
  const begin = `| ${words} |`;
  expectLine(`${begin} ${said(row.own)} | ${rival} | ${verdict(row.ratio!.median)} |`, begin);
});

it("the first lines repeat the record", () => {
  const rowOf = (group: string, key: string) =>
    Object.values(parts)
      .flatMap(({ groups }) => groups)
      .find((each) => each.key === group)!
      .rows.find((each) => each.key === key)!;
  const megabytes = (key: string) => digits(rowOf("first", key).code! / 1e6, 2);
  const small = `reads ${megabytes("ropewalk-float32")} MB of code and vocabulary; with transformers.js it reads ${megabytes("transformers-float32")} MB`;
  expect(readUnwrapped("README.md")).toContain(small);
  const query = ["ropewalk-int8", "transformers-int8"].map((key) => digits(rowOf("query", key).median, 2));
  expect(readUnwrapped("README.md")).toContain(`takes ${query[0]} ms, and ${query[1]} ms with transformers.js`);
  const kept = ["Ropewalk, float32", "Ropewalk, int8", "transformers.js, q8"].map((label) =>
    readText("docs/performance.md")
      .split("\n")
      .find((line) => line.startsWith(`| ${label} |`) && line.includes("%"))!
      .split(" | "),
  );
  expect(readUnwrapped("README.md")).toContain(`differs from the original's by more than ${kept[0]![3]}`);
  const { vectors } = readJson("tests/golden/published/all-MiniLM-L6-v2.json") as { vectors: unknown[] };
  const count = vectors.length;
  expect(readUnwrapped("README.md")).toContain(
    `In 8 bits each of ${count} texts keeps on average ${kept[1]![1]} of its ten nearest neighbours, and ${kept[2]![1]} with transformers.js's q8`,
  );
  const perSecond = (1000 / rowOf("write/chromium", "ropewalk").median).toFixed();
  expect(readUnwrapped("README.md")).toContain(`one of 270 million generates ${perSecond} tokens per second in a page`);
});

it("the quoted verdict is what the checker says of the example in docs/checker.md", async () => {
  await load({ analysis: true });
  const quoted = readme
    .match(/^> .*$/gm)!
    .join(" ")
    .replaceAll("> ", "");
  const example = readText("docs/checker.md").split("## An example")[1]!;
  const [, config] = /```json\n([\s\S]*?)```/.exec(example)!;
  const readers = /--readers (\S+)/.exec(example)![1]!.split(",") as Reader[];
  expect(checkRope({ config: JSON.parse(config!) as object }, { readers }).verdict.startsWith(quoted)).toBe(true);
});

/** Medians of one thread in Node, by group and row: models of both precisions and all lengths. */
function besideNative() {
  const { groups } = readJson("docs/performance/results.json") as { groups: (Group & { host: string })[] };
  const models = groups.filter(
    ({ host, key }) => host === "node" && /^(minilm|modernbert)\/(float32|int8)\//.test(key),
  );
  return models.map(({ key, rows }) => {
    const of = (name: string) => rows.find((row) => row.key === name)!.median;
    return { key, wasm: of("ropewalk"), native: of("ropewalk-native"), rival: of("native") };
  });
}

it("the rows of native code are as recorded", () => {
  const all = besideNative();
  const one = all.find(({ key }) => key === "minilm/int8/128")!;
  const line = (words: string, own: number) =>
    expectLine(
      `| ${words} | ${time(own)} | onnxruntime-node, q8: ${time(one.rival)} | ${verdict(one.rival / own)} |`,
      `| ${words} |`,
    );
  line("128 tokens, MiniLM's shape, in Node", one.wasm);
  line("the same with ropewalk-native", one.native);
  const range = (ratios: number[]) =>
    `${digits(Math.min(...ratios), 2)} to ${digits(Math.max(...ratios), 2)} times as fast`;
  const text = readUnwrapped("docs/encoders.md");
  const [slower, faster] = [all.map((row) => row.wasm / row.rival), all.map((row) => row.rival / row.native)];
  expect(text).toContain(`onnxruntime-node is ${range(slower)} as Ropewalk in Node`);
  expect(readUnwrapped("README.md")).toContain(`onnxruntime-node, which is ${range(slower)} as our WebAssembly`);
  expect(text).toContain(`ropewalk-native is ${range(faster)} as onnxruntime-node`);
});

it("the rows of arrays are as recorded", () => {
  const { contracts } = readJson("docs/performance/results.json") as { contracts: { key: string; value: number }[] };
  const of = (key: string) => digits(contracts.find((row) => row.key === key)!.value);
  const [array, tensor] = [of("rotation-js-copies/node/half/A"), of("rotation-js/node/half/A")];
  expect(readUnwrapped("docs/guide.md")).toContain(
    `in an array are rotated ${array} times as fast as by the best of three JavaScript loops, and on a tensor ${tensor} times`,
  );
});

it("the times of threads in docs/encoders.md are as recorded", () => {
  const { groups } = readJson("docs/performance/results.json") as { groups: Group[] };
  const of = (group: string, key: string) =>
    groups.find((each) => each.key === group)!.rows.find((row) => row.key === key)!.median;
  const [batch, prompt, token] = ["batch", "decoder/prefill", "decoder/decode"].map((group) =>
    ["threads-2", "here"].map((key) => of(group, key)),
  ) as [number, number][];
  const text = readUnwrapped("docs/encoders.md");
  for (const said of [
    `takes ${digits(batch![0])} ms instead of ${digits(batch![1])} for a batch of 8 texts of 128 tokens`,
    `reads a prompt of 256 tokens in ${prompt![0].toFixed()} ms instead of ${prompt![1].toFixed()}`,
    `generates a token in ${token![0].toFixed(1)} ms instead of ${token![1].toFixed(1)}`,
  ])
    expect(text).toContain(said);
});

it("README and the guides count the rules of frequencies and the position encodings that there are", () => {
  const table = readJson("tools/options/table.json") as { frequencies: object[]; position_encodings: string[] };
  const inWords: Record<number, string> = { 12: "twelve", 17: "seventeen" };
  const rules = inWords[table.frequencies.length]!;
  const encodings = `${inWords[table.position_encodings.length]} position encodings`;
  expect(readUnwrapped("README.md")).toContain(`RoPE itself, with ${rules} [rules]`);
  expect(readUnwrapped("docs/guide.md").toLowerCase()).toContain(`${rules} rules`);
  for (const file of ["README.md", "docs/training.md"]) expect(readUnwrapped(file)).toContain(encodings);
});

it("docs/applications.md states the number of families that can be loaded", async () => {
  const types = new Set((await load()).families().map(({ modelType }) => modelType));
  const [, stated] = /\*\*(\d+) values of `model_type`/.exec(readText("docs/applications.md"))!;
  expect(Number(stated)).toBe(types.size);
});
