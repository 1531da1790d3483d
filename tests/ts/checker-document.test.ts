/** docs/checker.md is what its command writes. */
import { readFileSync } from "node:fs";
import { checkRope, load } from "ropewalk";
import { expect, it } from "vitest";
import { checkerDocument } from "../../tools/checker/document.mjs";

await load({ analysis: true });

it("docs/checker.md holds the verdicts of today: node tools/checker/document.mjs writes it", () => {
  const written = readFileSync(new URL("../../docs/checker.md", import.meta.url), "utf8");
  expect(checkerDocument(checkRope)).toBe(written);
});
