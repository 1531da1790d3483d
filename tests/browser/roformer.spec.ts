import type { Page } from "@playwright/test";
import { expect, fact, maskedSentence, openRoformer, readNumber, test, textOf, textsOf } from "./site.js";

/** The shipped model's shape, as its own config.json tells it. */
async function shape(page: Page): Promise<{ layers: number; heads: number }> {
  const config = (await (await page.request.get("./model/config.json")).json()) as Record<string, number>;
  return { layers: config.num_hidden_layers!, heads: config.num_attention_heads! };
}

test("opens on what the hidden word looks at", async ({ page }) => {
  await openRoformer(page);
  await expect(page.locator(".reading")).toContainText("[MASK] (12) attends to sailor (8): 0.9");
});

test("fills the sentence with probabilities and says how long it took", async ({ page }) => {
  const { layers, heads } = await shape(page);
  await openRoformer(page);
  await expect(maskedSentence(page)).toHaveValue(
    "the captain gave the rope to the sailor . now the [MASK] has the rope .",
  );
  const rows = page.locator(".fill li");
  await expect(rows).toHaveCount(8);
  // A share too small to show is written "< 0.1 %".
  const shares = (await page.locator(".fill-share").allTextContents()).map((share) =>
    readNumber(share.replace("< ", "")),
  );
  expect(shares).toEqual([...shares].sort((a, b) => b - a));
  expect(shares[0]).toBeGreaterThan(0);
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(100.05);
  const barWidth = (index: number) =>
    rows
      .nth(index)
      .locator(".fill-bar i")
      .evaluate((bar) => bar.getBoundingClientRect().width);
  expect(await barWidth(0)).toBeGreaterThan(await barWidth(7));
  for (const name of ["tokenise", "forward", "fill masks"]) {
    await expect(page.locator(".timing div", { hasText: name }).locator("dd")).toHaveText(/\d m?s$/);
  }
  await expect(fact(page, "layers × heads")).toHaveText(`${layers} × ${heads}`);
});

test("has the order of words at heart: the verb agrees with its own subject, not with its neighbour", async ({
  page,
}) => {
  await openRoformer(page);
  const best = page.locator(".fill-word").first();
  await page.getByRole("button", { name: "the kings who the girl saw [MASK] tired ." }).click();
  await expect(best).toHaveText("were");
  await page.getByRole("button", { name: "the king who the girls saw [MASK] tired ." }).click();
  await expect(best).toHaveText("was");
});

test("every example is answered well by the shipped model", async ({ page }) => {
  await openRoformer(page);
  const answers: Record<string, string> = {
    "the captain gave the rope to the sailor . now the [MASK] has the rope .": "sailor",
    "the sailor gave the rope to the captain . now the [MASK] has the rope .": "captain",
    "the kings who the girl saw [MASK] tired .": "were",
    "the king who the girls saw [MASK] tired .": "was",
    "the captain asked the sailor to wash the cup . who washed it ? the [MASK] .": "sailor",
    "the captain promised the sailor to wash the cup . who washed it ? the [MASK] .": "captain",
    // Many things can be given: any of them will do.
    "the captain gave the [MASK] to the sailor": "",
  };
  const buttons = page.locator(".examples button");
  await expect(buttons).toHaveText(Object.keys(answers));
  const best = page.locator(".fill li").first();
  for (const [sentence, word] of Object.entries(answers)) {
    await page.getByRole("button", { name: sentence }).click();
    if (word) {
      await expect(best.locator(".fill-word")).toHaveText(word);
      await expect(best.locator(".fill-share")).toHaveText(/^9\d\.\d/);
    } else await expect(best.locator(".fill-word")).toHaveText(/^(coin|book|lamp|letter|drum)$/);
  }
});

test("answers what is typed, every mask of it, and an empty text, too", async ({ page }) => {
  await openRoformer(page);
  const text = maskedSentence(page);
  await text.fill("the [MASK] gave the [MASK] to the sailor");
  await expect(page.getByRole("region", { name: /^Guesses for mask/ })).toHaveCount(2);
  await text.fill("the captain");
  await expect(page.getByText("Nothing is hidden")).toBeVisible();
  await text.fill("");
  await expect(page.getByText("Nothing is hidden")).toBeVisible();
});

test("hides a word at a click and brings it back", async ({ page }) => {
  await openRoformer(page);
  const text = maskedSentence(page);
  await page.getByRole("button", { name: "captain", exact: true }).click();
  await expect(text).toHaveValue("the [MASK] gave the rope to the sailor . now the [MASK] has the rope .");
  await expect(page.getByRole("region", { name: /^Guesses for mask/ })).toHaveCount(2);
  await page.getByRole("button", { name: "[MASK] for captain" }).click();
  await expect(text).toHaveValue("the captain gave the rope to the sailor . now the [MASK] has the rope .");
});

test("shows every head of every layer", async ({ page }) => {
  const { layers, heads } = await shape(page);
  await openRoformer(page);
  const all = page.getByRole("radiogroup", { name: "Attention heads" }).getByRole("radio");
  await expect(all).toHaveCount(layers * heads);
  const painted = await all.locator("canvas").evaluateAll((canvases) =>
    canvases.filter((canvas) => {
      const drawn = canvas as HTMLCanvasElement;
      const { data } = drawn.getContext("2d")!.getImageData(0, 0, drawn.width, drawn.height);
      return new Set(new Uint32Array(data.buffer)).size > 2;
    }),
  );
  expect(painted.length).toBe(layers * heads);
});

test("previews a head under the pointer and locks it at a click", async ({ page }) => {
  await openRoformer(page);
  const map = page.getByRole("region", { name: "One head, large" });
  await page.getByRole("radio", { name: "Layer 1, head 2" }).hover();
  await expect(map.getByRole("heading")).toHaveText("Layer 1, head 2");
  await page.getByRole("heading", { name: "Every head" }).hover();
  await expect(map.getByRole("heading")).toHaveText("Layer 2, head 0");
  await page.getByRole("radio", { name: "Layer 1, head 2" }).click();
  await page.getByRole("heading", { name: "Every head" }).hover();
  await expect(map.getByRole("heading")).toHaveText("Layer 1, head 2");
});

test("is walked by keyboard: heads, then the weights of one", async ({ page }) => {
  await openRoformer(page);
  await page.getByRole("radio", { name: "Layer 2, head 0" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("radio", { name: "Layer 2, head 1" })).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("radio", { name: "Layer 3, head 1" })).toBeChecked();
  const field = page.locator(".map-field");
  // Past the first figure's menu.
  for (let tab = 0; tab < 2; tab++) await page.keyboard.press("Tab");
  await expect(field).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  const reading = page.locator(".reading");
  await expect(reading).toContainText("the (1) attends to the (1)");
  const weight = readNumber(await textOf(reading.locator("strong")));
  await page.locator(".head-map").getByText("Table and files").click();
  const cell = page.locator(".head-map tbody tr").nth(1).locator("td").nth(1);
  expect(readNumber(await textOf(cell))).toBe(weight);
  const row = await textsOf(page.locator(".head-map tbody tr").nth(1).locator("td"));
  expect(row.map(readNumber).reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 2);
  await field.focus();
  await page.keyboard.press("Escape");
  // Without a choice the hidden word is read.
  await expect(reading).toContainText("[MASK] (12) attends to");
});

test("without its rotation it cannot tell swapped words apart", async ({ page }) => {
  await openRoformer(page);
  const answer = async (sentence: string) => {
    await page.getByRole("button", { name: sentence }).click();
    // The map's words are those of the answer: [CLS], "the", and a word that tells which sentence it is of.
    await expect(page.locator(".head-map .map-rows span").nth(2)).toHaveText(sentence.split(" ")[1]!);
    return (await page.locator(".fill-share").allTextContents()).map(readNumber);
  };
  const first = "the captain gave the rope to the sailor . now the [MASK] has the rope .";
  const swapped = "the sailor gave the rope to the captain . now the [MASK] has the rope .";
  expect(await answer(swapped)).not.toEqual(await answer(first));
  const shares = () => page.locator(".fill-share").allTextContents();
  const rotated = await shares();
  await page.getByRole("radio", { name: "off", exact: true }).check({ force: true });
  // The model is read anew, which takes its time.
  await expect.poll(shares).not.toEqual(rotated);
  const plain = await answer(first);
  for (const [i, share] of (await answer(swapped)).entries()) expect(share).toBeCloseTo(plain[i]!, 1);
});

test("words that the model does not know are marked and named", async ({ page }) => {
  await openRoformer(page, "#roformer?text=the+programmer+wrote+a+[MASK]+in+Rust");
  const words = page.getByRole("group", { name: "Click a word" });
  await expect(words.locator("[data-unknown]")).toHaveText(["programmer", "Rust"]);
  await expect(page.getByText("does not have “programmer”, “Rust”. It reads [UNK] instead")).toBeVisible();
  await page.getByRole("button", { name: "the kings who the girl saw [MASK] tired ." }).click();
  await expect(page.getByText("It reads [UNK] instead")).toHaveCount(0);
});

test("no dial stands alone in its row, and no column is empty for a screen", async ({ page }) => {
  await openRoformer(page);
  for (const width of [320, 390, 768, 1024, 1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const tops = await page
      .locator("#roformer-page .token-dial")
      .evaluateAll((dials) => dials.map((dial) => Math.round(dial.getBoundingClientRect().top)));
    const counts = [...new Set(tops)].map((top) => tops.filter((other) => other === top).length);
    expect(new Set(counts).size, `${width} px`).toBe(1);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  const ends = await page
    .locator("#roformer-page .roformer-words, #roformer-page .roformer-attention")
    .evaluateAll((columns) => columns.map((column) => column.lastElementChild!.getBoundingClientRect().bottom));
  expect(Math.abs(ends[0]! - ends[1]!)).toBeLessThan(300);
  // On a phone the map follows the switch and the answer, and what is said about the model comes last.
  await page.setViewportSize({ width: 390, height: 844 });
  const tops = await Promise.all(
    [".rotation", ".head-map", ".roformer-heads", ".roformer-about"].map(
      async (part) => (await page.locator(`#roformer-page ${part}`).boundingBox())!.y,
    ),
  );
  expect(tops).toEqual([...tops].sort((a, b) => a - b));
  expect(tops[1]).toBeLessThan(1400);
});
