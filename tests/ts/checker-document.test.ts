/** docs/checker.md is what its command writes. */
import { checkRope, load } from "ropewalk";
import { expect, it } from "vitest";
import { checkerDocument } from "../../tools/checker/document.mjs";
import { readText } from "./files.js";

await load({ analysis: true });

it("docs/checker.md holds the verdicts of today: node tools/checker/document.mjs writes it", () => {
  expect(checkerDocument(checkRope)).toBe(readText("docs/checker.md"));
});
