/**
 * A figure names the commit that it was measured at, and that commit is in the history. docs/trust.md names the records
 * whose code has changed since.
 */
import { describe, expect, it } from "vitest";
import { git } from "../../tools/run/git.mjs";
import { FUZZ_TARGETS, INSTALL_CHECKS, NEON_SUITES, SANITIZED_SUITES } from "../../tools/trust/document.mjs";
import {
  allRecords,
  COMMENT,
  hasHistory,
  isInHistory,
  oldRecordsSection,
  partsOf,
  RECORDS,
  sectionIn,
  unformatted,
} from "../../tools/trust/records.mjs";
import { filesIn, readJson, readText } from "./files.js";

function commitsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commitsIn);
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === "commit" && typeof inner === "string" ? [inner] : commitsIn(inner),
  );
}

const records = allRecords();
const unique = (names: readonly (string | undefined)[]) =>
  [...new Set(names.filter((name) => name !== undefined))].sort();
const filesOf = (...parts: string[]) =>
  git("ls-files", "--", ...parts)
    .split("\n")
    .filter(Boolean);

it("each file of docs that names commits is a record", () => {
  for (const file of filesIn("docs", /\.json$/)) {
    const known = records
      .filter(({ kind }) => RECORDS[kind as keyof typeof RECORDS].file === file)
      .map(({ commit }) => commit);
    expect(unique(known), file).toEqual(unique(commitsIn(readJson(file))));
  }
});

it("a changed comment makes no record old, and changed code does", () => {
  const isComment = (line: string) => new RegExp(COMMENT).test(line);
  const comments = [
    "/// Threads.",
    "  // Why.",
    "/** A rope.",
    "/** Its pairs. */",
    "/**",
    " * All.",
    " */",
    "# CMake",
  ];
  const ofOneStar = ["/* A box. */", "  /* A card,", "/*", "/* a * b **/"];
  expect([...comments, ...ofOneStar].filter((line) => !isComment(line))).toEqual([]);
  const code = ["int x;", "  x(); // why", "#include <a>", "  *out = 1;", ""];
  const codeAndComment = ["x /* y */", "/* y */ x", "/** y */ x /* z */"];
  expect([...code, ...codeAndComment].filter(isComment)).toEqual([]);
});

it("other line breaks of C++ make no record old, and another text does", () => {
  const call = 'say("a rope",\n    x);\n';
  expect(unformatted('// Why.\nsay(\n  "a "\n  "rope", x);')).toBe(unformatted(call));
  for (const other of ['say("a rope", y);', 'say("arope", x);', 'say("a rope" + x);'])
    expect(unformatted(other)).not.toBe(unformatted(call));
});

describe.runIf(hasHistory())("commits of what was recorded", () => {
  // A commit "with changes" is none: whoever looks it up finds other code than was measured.
  it.each(Object.entries(RECORDS))("%s: the commits are of this history", (kind, { file, command }) => {
    const commits = unique(records.filter((each) => each.kind === kind).map(({ commit }) => commit));
    const lost = commits.filter((commit) => !isInHistory(commit));
    expect(lost, `commit, and measure again what ${file} has of them: ${command}`).toEqual([]);
  });

  it("docs/trust.md names the records of older code", () => {
    expect(sectionIn(readText("docs/trust.md")), "run `npm run records`, which writes docs/trust.md").toBe(
      oldRecordsSection(),
    );
  });

  it("records measure code that is there, and no documents", () => {
    // Those that have not run as well.
    const names = { fuzz: FUZZ_TARGETS, sanitize: SANITIZED_SUITES, neon: NEON_SUITES, install: INSTALL_CHECKS };
    const all = [
      ...records,
      ...Object.entries(names).flatMap(([kind, rows]) => Object.keys(rows).map((name) => ({ kind, name }))),
    ].map(({ kind, name }) => partsOf(kind, name));
    const code = unique(all.flat()).filter((part) => !part.startsWith(":(exclude"));
    expect(code.filter((part) => filesOf(part).length === 0)).toEqual([]);
    const documents = unique(all.flatMap((parts) => filesOf(...parts))).filter((file) => /\.md$|^docs\//.test(file));
    expect(documents).toEqual([]);
  });

  it("commits that documents name are of this history", () => {
    const documents = filesOf("*.md").filter((file) => !file.startsWith("tests/golden/"));
    const named = documents.flatMap((file) => readText(file).match(/(?<=\b[Cc]ommit )[0-9a-f]{7,40}\b/g) ?? []);
    expect(named).not.toEqual([]);
    expect(named.filter((commit) => !isInHistory(commit))).toEqual([]);
  });
});
