/** Words that no text for people uses: one thing has one name, the field's, in every page, document and message. */
import { expect, test } from "vitest";
import { filesIn, readText } from "./files.js";

/** A pattern, and what to write instead. */
const avoided: readonly (readonly [RegExp, string])[] = [
  [/\brooms?\b/i, "page"],
  [/\bdearest\b|\bdearer\b/i, "most expensive"],
  [/\bwhoever\b/i, "a clause with a subject"],
  [/\bdrowned\b/i, "neither swamps the other"],
  [/\bnine tenths\b/i, "90 %"],
  [/\btwo slopes\b|\blearned rows\b|\blearned field\b/i, "the label of web/training/encoding-labels.mjs"],
  [/\bis too much\b/i, "unexpected argument"],
  [/\beverything held\b/i, "all tests passed"],
  [/\bno such place\b/i, "out of range"],
  [/\ball alike\b/i, "all, or the same for all"],
  [/\bclick locks\b/i, "click to keep"],
  [/\bmasked places?\b|\bplaces (?:away|back|either)\b/i, "positions"],
  [/\b(?:made|begun) anew\b/i, "written by, or started again"],
  [/\bgoes on where\b/i, "resumes where"],
  [/\brope doctor\b/i, "checker"],
  [/\ba lesser (?:one|model)\b/i, "a weaker one"],
  [/\bis asked in a wrong way\b/i, "a usage error"],
];

/** Phrases in which "room" is space, not a part of the playground. */
const space = /(?:little|has|the|no|more|keeps?|keep the) room(?:\.| for| of)|room for|room of|room between/gi;

/** Everything that a reader of the documents, a visitor of the playground or a reader of a message may see. */
const seen = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "conformance/README.md",
  ...filesIn("docs", /\.md$/),
  ...filesIn("tools/experiments/report", /\.mjs$/),
  "web/index.html",
  ...filesIn("web/pages", /\.(html|tsx?|json)$/),
  ...filesIn("web/components", /\.tsx?$/),
  ...filesIn("web/rope", /\.tsx?$/),
  ...filesIn("web/training", /\.(tsx?|mjs)$/),
  ...filesIn("bindings/ts", /\.ts$/),
];

test.each(seen)("%s uses the words of the project", (file) => {
  const text = readText(file).replaceAll(space, "");
  const found = avoided.flatMap(([pattern, better]) => {
    const match = pattern.exec(text);
    return match ? [`"${match[0]}": write ${better}`] : [];
  });
  expect(found).toEqual([]);
});

const documents = seen.filter((file) => file.endsWith(".md"));

/** In documents alone: shorthand that reads as translated. */
const translated = /\bas \w+ has (?:it|them)\b|\banew\b/i;

test.each(documents)("%s does not read as translated", (file) => {
  expect(translated.exec(readText(file))?.[0]).toBeUndefined();
});

test.each(documents)("sentences of %s begin with the thing, not with a clause that stands for it", (file) => {
  const prose = readText(file)
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .replaceAll(/^[|#].*$/gm, "")
    .replaceAll(/\s+/g, " ");
  const sentences = prose.match(/(?<=^|[.!:] |\*\* )(?:What|Which|Whether|Whose) [^.?!]+[.?!]/g) ?? [];
  expect(sentences.filter((sentence) => !sentence.endsWith("?"))).toEqual([]);
});

/** Code of the project, by folder. Reference files, and packages that commands install beside it, are none. */
const folders = ["cpp", "bindings", "tools", "tests", "web", "conformance"];
const codeIn = (folder: string) =>
  filesIn(folder, /\.(h|hpp|cpp|ts|tsx|mts|mjs|css|py)$/).filter(
    (file) => !/[\\/](golden|node_modules)[\\/]/.test(file),
  );

/** A first line of a comment that begins with a clause in the place of the thing. A question may begin so. */
const RIDDLE = /^ *(?:\/\/\/?|\/?\*\*?|#) ?(?:What|Which|Whose|Whether|Of) .*(?<!\?(?: \*\/)?)$/gm;

test.each(folders)("comments in %s begin with the thing that they describe", (folder) => {
  const code = codeIn(folder);
  expect(code).not.toEqual([]);
  const riddles = code.flatMap((file) =>
    (readText(file).match(RIDDLE) ?? []).map((comment) => `${file}: ${comment.trim()}`),
  );
  expect(riddles).toEqual([]);
});
