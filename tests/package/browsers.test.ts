/**
 * The oldest browsers that README names follow from what the package's code uses. Versions are those of MDN's tables of
 * compatibility (https://developer.mozilla.org, read 2026-11-23).
 */
import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { fromRoot, readText, readUnwrapped } from "../ts/files.js";

type Versions = readonly [chrome: number, firefox: number, safari: number];

/** Features that engines have had from different versions on, as the built files spell them. */
const FEATURES: Record<string, readonly [spelling: RegExp, since: Versions]> = {
  "compressed streams": [/\bDecompressionStream\b/, [80, 113, 16.4]],
  "signal.throwIfAborted": [/\.throwIfAborted\(/, [100, 97, 15.4]],
  "Object.hasOwn": [/\bObject\.hasOwn\(/, [93, 92, 15.4]],
  "array.at": [/\.at\(/, [92, 90, 15.4]],
  "#x in object": [/#\w+ in /, [91, 90, 15]],
  "lookbehind in patterns": [/\(\?<[=!]/, [62, 78, 16.4]],
  replaceAll: [/\.replaceAll\(/, [85, 77, 13.1]],
  "logical assignment": [/\?\?=/, [85, 79, 14]],
  "static blocks": [/\bstatic\{/, [94, 93, 16.4]],
  structuredClone: [/\bstructuredClone\(/, [98, 94, 15.4]],
  "AbortSignal.timeout": [/\bAbortSignal\.timeout\(/, [103, 100, 16]],
  "AbortSignal.any": [/\bAbortSignal\.any\(/, [116, 124, 17.4]],
  findLast: [/\.findLast(?:Index)?\(/, [97, 104, 15.4]],
  "copying array methods": [/\.to(?:Sorted|Reversed|Spliced)\(/, [110, 115, 16]],
  "Array.fromAsync": [/\bArray\.fromAsync\(/, [121, 115, 16.4]],
  "Promise.withResolvers": [/\bPromise\.withResolvers\(/, [119, 121, 17.4]],
  "Object.groupBy": [/\b(?:Object|Map)\.groupBy\(/, [117, 119, 17.4]],
  "set methods": [/\.(?:isSubsetOf|symmetricDifference)\(/, [122, 127, 17]],
  "module workers": [/type:"module"/, [80, 114, 15]],
};
/** Every module needs it. */
const SIMD: Versions = [91, 89, 16.4];

/** Files for Node, and the one that only `{ workers }` loads. */
const others = /node|cli|workerd|parallel/;
const files = readdirSync(fromRoot("dist")).filter((name) => name.endsWith(".js") && !others.test(name));
const textOf = (name: string) => readText(`dist/${name}`);

function oldest(names: string[]): Versions {
  const code = names.map(textOf).join("\n");
  const used = Object.values(FEATURES).flatMap(([spelling, since]) => (spelling.test(code) ? [since] : []));
  const most = (i: 0 | 1 | 2) => Math.max(...[SIMD, ...used].map((since) => since[i]));
  return [most(0), most(1), most(2)];
}

const readme = readUnwrapped("README.md");

it("README names the oldest browsers that have what the code uses", () => {
  expect(files).toContain("web.js");
  const [chrome, firefox, safari] = oldest(files);
  expect(readme).toContain(`from Chrome and Edge ${chrome}, Firefox ${firefox} and Safari ${safari} on`);
});

it("README names the version of Firefox that `workers` need", () => {
  const [, firefox] = oldest([...files, "parallel.js"]);
  expect(readme).toContain(`Firefox ${firefox} for \`workers\``);
});
