// docs/results.md and its figures are what the tool writes from the committed data, and nobody's hand.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { dropeRecord, pageRecord } from "../../tools/experiments/page.mjs";
import { render } from "../../tools/experiments/report.mjs";

const docs = new URL("../../docs/", import.meta.url);
const read = (name) => readFileSync(new URL(name, docs), "utf8");

test("docs/results.md is what the tool renders", () => {
  const throughput = existsSync(new URL("results/throughput.json", docs))
    ? JSON.parse(read("results/throughput.json"))
    : null;
  const { markdown, figures } = render(JSON.parse(read("results/results.json")), throughput);
  assert.equal(read("results.md"), markdown);
  for (const [name, svg] of Object.entries(figures)) assert.equal(read(`results/${name}.svg`), svg, name);
});

test("the page Train shows what was recorded, and its links lead to the sections", () => {
  const page = JSON.parse(readFileSync(new URL("../../web/pages/train/experiments.json", import.meta.url), "utf8"));
  assert.deepEqual(page, JSON.parse(JSON.stringify(pageRecord(JSON.parse(read("results/results.json"))))));
  const headings = [...read("results.md").matchAll(/^## (.+)$/gm)].map(([, text]) =>
    text
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replaceAll(" ", "-"),
  );
  for (const { anchor } of page.views) assert.ok(headings.includes(anchor), anchor);
});

test("the page Long context shows the DroPE that was recorded", () => {
  const page = JSON.parse(readFileSync(new URL("../../web/pages/long-context/drope.json", import.meta.url), "utf8"));
  assert.deepEqual(page, JSON.parse(JSON.stringify(dropeRecord(JSON.parse(read("results/results.json"))))));
});
