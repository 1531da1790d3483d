import { load } from "ropewalk";
import { makeVectors } from "../../web/rope/vectors.js";
import { expect, openDistance, readNumber, test, textOf, textsOf } from "./site.js";

test("the bound is the library’s, and rises on 115 of 256 steps at d = 128", async ({ page }) => {
  await openDistance(page);
  using rope = (await load({ analysis: true })).rope({ headDim: 128 });
  const bound = rope.decay(Float64Array.from({ length: 257 }, (_, n) => n));
  const rising = bound.slice(1).filter((value, i) => value > bound[i]!).length;
  expect(rising).toBe(115);
  await expect(page.locator(".rise-count strong")).toHaveText(String(rising));
  expect((await page.locator(".line.rising").getAttribute("d"))?.match(/M/g)).toHaveLength(rising);
  await page.getByRole("figure", { name: "The decay bound", exact: true }).getByText("Table and files").click();
  const rows = page.getByRole("region", { name: "The decay bound" }).locator("tbody tr");
  await expect(rows).toHaveCount(257);
  await expect(rows.filter({ hasText: "rises" })).toHaveCount(rising);
  const shown = await textsOf(rows.locator("td:nth-child(2)"));
  for (const [n, text] of shown.entries()) expect(readNumber(text)).toBeCloseTo(bound[n]!, 4);
});

test("scores, mean kernel and receptive field are the library’s", async ({ page }) => {
  await openDistance(page, "#distance?d=32&rule=default*base*500&vectors=random&seed=7&at=21.5&threshold=0.3");
  using rope = (await load({ analysis: true })).rope({ headDim: 32, frequencies: { type: "default", base: 500 } });
  const { q, k } = makeVectors("random", 7, 32);
  const ones = makeVectors("ones", 1, 32).q;
  const value = page.locator("#score-at ~ .cursor-values strong");
  expect(readNumber(await textOf(value.nth(1)))).toBeCloseTo(rope.score(q, k, [21.5]).score[0]!, 4);
  expect(readNumber(await textOf(value.nth(2)))).toBeCloseTo(rope.score(ones, ones, [21.5]).score[0]!, 4);
  const reach = rope.effectiveReceptiveField({ threshold: 0.3 });
  await expect(page.locator(".distance output")).toHaveText(`${reach.toFixed(2)} positions`);
});

test("d, rule, span, draw and threshold change what is seen; the link restores it", async ({ page }) => {
  await openDistance(page);
  const lines = () => page.locator(".distance .line").evaluateAll((all) => all.map((line) => line.getAttribute("d")));
  let before = await lines();
  const changed = async () => {
    await expect.poll(async () => (await lines()).join() === before.join()).toBe(false);
    before = await lines();
  };
  await page.getByRole("slider", { name: "head dimension d" }).fill("64");
  await changed();
  await page.getByRole("combobox", { name: "Rule, which rule" }).selectOption("linear");
  await changed();
  await page.getByRole("radio", { name: "1 024" }).check({ force: true });
  await changed();
  await page.getByRole("button", { name: "Another draw" }).click();
  await changed();
  const reach = await textOf(page.locator(".distance output"));
  await page.getByRole("slider", { name: "threshold of the receptive field" }).fill("0.2");
  await expect(page.locator(".distance output")).not.toHaveText(reach);
  await expect(page).toHaveURL(/d=64.*span=1024.*seed=584.*threshold=0\.2/);
  before = await lines();
  await page.reload();
  await expect.poll(lines).toEqual(before);
});

test("one’s own query and key: begun with those seen, refused in the library’s words", async ({ page }) => {
  await openDistance(page, "#distance?d=4");
  await page.getByRole("radio", { name: "own" }).check({ force: true });
  const [q, k] = [
    page.getByLabel("query q, d numbers", { exact: true }),
    page.getByLabel("key k, d numbers", { exact: true }),
  ];
  expect((await q.inputValue()).split(",")).toHaveLength(4);
  await q.fill("1, 0, 0, 0");
  await k.fill("1, 0, 0, 0");
  await k.blur();
  await page.locator("#score-at").fill("3");
  await expect(page.locator("#score-at ~ .cursor-values strong").nth(1)).toHaveText(
    Math.cos(3).toFixed(4).replace("-", "−"),
  );
  await k.fill("1, 0");
  await k.blur();
  await expect(page.getByRole("alert")).toHaveText("key k has 2 numbers; it needs 4, as many as d.");
});

test("both curves are read by keyboard", async ({ page }) => {
  await openDistance(page);
  const bound = page.getByRole("slider", { name: "distance of the bound" });
  await bound.focus();
  await page.keyboard.press("ArrowRight");
  await expect(bound).toHaveAttribute("aria-valuetext", /^distance 17: bound /);
  const score = page.getByRole("slider", { name: "distance of the score" });
  await score.focus();
  await page.keyboard.press("ArrowRight");
  await expect(score).toHaveAttribute("aria-valuetext", /^distance 17.5: score .*, mean kernel /);
});

test("after many quick steps of d each answer is that of the last one", async ({ page }) => {
  const labels = () =>
    page.locator("#distance-page svg.plot").evaluateAll((all) => all.map((svg) => svg.getAttribute("aria-label")));
  await openDistance(page, "#distance?d=256&span=4096");
  await expect.poll(async () => (await labels()).every((label) => !label?.includes(": 0 at 0"))).toBe(true);
  const wanted = await labels();
  await page.goto("about:blank");
  await openDistance(page, "#distance?d=236&span=4096");
  const slider = page.getByRole("slider", { name: "head dimension d" });
  await slider.focus();
  while ((await slider.inputValue()) !== "256") await page.keyboard.press("ArrowRight");
  await expect.poll(labels).toEqual(wanted);
});
