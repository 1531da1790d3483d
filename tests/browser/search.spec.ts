import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { load } from "ropewalk";
import {
  axeViolations,
  csvLines,
  expect,
  openChooser,
  openPage,
  readNumber,
  sidewaysOverflow,
  test,
  textOf,
  textsOf,
} from "./site.js";

test.use({ elsewhere: ["https://huggingface.co"] });

const folder = "web/public/embedder";
const results = (page: Page) => page.locator("#search-page .search-result");
const result = (page: Page, text: string) =>
  results(page).filter({ has: page.locator(".found-text").getByText(text, { exact: true }) });
const cosineOf = async (page: Page, text: string) => readNumber(await textOf(result(page, text).locator(".cosine")));
const rankOf = async (page: Page, text: string) => Number(await textOf(result(page, text).locator(".rank")));
const at = (fields: Readonly<Record<string, string>>) => `#search?${new URLSearchParams(fields)}`;

const query = "the captain got the rope from the sailor";
const same = "the sailor gave the rope to the captain";
const reversed = "the captain gave the rope to the sailor";
const other = "clara painted the boat";

/** The cosines that the library computes of the same files, in Node. */
async function cosines(asked: string, texts: readonly string[], config: object = {}): Promise<number[]> {
  const ropewalk = await load();
  const json = (name: string) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8")) as object;
  using model = await ropewalk.encoder({
    "config.json": { ...json("config.json"), ...config },
    "model.safetensors": readFileSync(`${folder}/model.safetensors`),
    "tokenizer.json": json("tokenizer.json"),
    "modules.json": readFileSync(`${folder}/modules.json`),
    "1_Pooling/config.json": readFileSync(`${folder}/1_Pooling/config.json`),
  });
  const [first, ...others] = await model.embed([asked, ...texts]);
  return others.map((vector) => vector.reduce((sum, x, i) => sum + x * first![i]!, 0));
}

test("Search: a reversed sentence ranks lower with rotation, and ties without", async ({ page }) => {
  await openPage(page, "search", at({ q: query, texts: [other, reversed, same].join("\n") }));
  await expect(results(page)).toHaveCount(3);
  await expect(results(page).first()).toContainText(same);
  expect(await rankOf(page, reversed)).toBe(2);
  const [toSame, toReversed, toOther] = await cosines(query, [same, reversed, other]);
  expect(await cosineOf(page, same)).toBeCloseTo(toSame!, 3);
  expect(await cosineOf(page, reversed)).toBeCloseTo(toReversed!, 3);
  expect(await cosineOf(page, other)).toBeCloseTo(toOther!, 3);
  await expect(page.locator("#search-page .tie")).toHaveCount(0);

  await page.getByRole("radio", { name: "off" }).check({ force: true });
  await expect(page.locator("#search-page .tie")).toHaveCount(2);
  expect(await rankOf(page, same)).toBe(await rankOf(page, reversed));
  expect(await cosineOf(page, same)).toBe(await cosineOf(page, reversed));
  const [bag] = await cosines(query, [same], { position_encoding: "none" });
  expect(await cosineOf(page, same)).toBeCloseTo(bag!, 3);
  await expect(page).toHaveURL(/rotation=off/);

  // The chart has both rankings, and its CSV every text.
  await expect(page.getByRole("img", { name: /^Ranks of 3 texts/ })).toBeVisible();
  const rows = await csvLines(page.getByRole("figure", { name: "Ranks with and without rotation" }));
  expect(rows[0]).toBe("text,rank with rotation,cosine with rotation,rank without rotation,cosine without rotation");
  expect(rows).toHaveLength(4);
  expect(rows[1]!.split(",").slice(0, 2)).toEqual([same, "1"]);
  expect(Number(rows[1]!.split(",")[2])).toBeCloseTo(toSame!, 4);
});

test("Search: the shares of a text's tokens add up to its cosine", async ({ page }) => {
  await openPage(page, "search", at({ q: query, texts: [same, reversed, other].join("\n") }));
  for (const text of [reversed, other]) {
    await result(page, text).click();
    await expect(result(page, text)).toHaveAttribute("aria-pressed", "true");
    // [CLS], the words and [SEP].
    const words = text.split(" ").length + 2;
    const shares = page.getByRole("list", { name: "What each token adds" }).locator("li");
    await expect(shares).toHaveCount(words);
    await expect(shares.nth(2)).toContainText(text.split(" ")[1]!);
    const [sum, cosine] = (await textsOf(page.locator(".shares-sum strong"))).map(readNumber);
    expect(sum).toBeCloseTo(cosine!, 3);
    expect(cosine).toBeCloseTo(await cosineOf(page, text), 3);
    const each = (await textsOf(shares.locator("strong"))).map(readNumber);
    // Each is rounded to four digits.
    expect(Math.abs(each.reduce((all, share) => all + share, 0) - cosine!)).toBeLessThan(1e-4 * words);
  }
  const field = page.locator("#search-page .map-field");
  await field.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator("#search-page .reading")).toContainText("the and painted:");
  await page.getByRole("figure", { name: "Similarity of tokens", exact: true }).getByText("Table and files").click();
  const matches = page.getByRole("region", { name: "Best matches" }).locator("tbody tr");
  await expect(matches).toHaveCount(query.split(" ").length + 2);
});

test("Search: a link restores query, texts, rotation and the open result", async ({ page }) => {
  await openPage(page, "search", at({ texts: `${same}\n${reversed}`, q: query }));
  await page.getByRole("radio", { name: "off" }).check({ force: true });
  await result(page, reversed).click();
  await expect(page.locator("#search-page .shares li").first()).toBeVisible();
  await expect(page).toHaveURL(/rotation=off.*open=1/);
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await expect(page.locator("#search-page .tie")).toHaveCount(2);
  await expect(page.getByRole("textbox", { name: "query" })).toHaveValue(query);
  await expect(page.getByRole("radio", { name: "off" })).toBeChecked();
  await expect(result(page, reversed)).toHaveAttribute("aria-pressed", "true");
  await expect(page.locator(".shares-sum")).toBeVisible();
});

test("Search: texts come from files; embedding them can be cancelled and resumed", async ({ page }) => {
  await openPage(page, "search");
  const people = ["captain", "sailor", "king", "queen", "poet", "cook", "boy", "girl", "uncle", "aunt"];
  const things = [
    "rope",
    "net",
    "oar",
    "lamp",
    "candle",
    "box",
    "key",
    "coin",
    "ring",
    "cup",
    "book",
    "map",
    "bell",
    "drum",
    "flute",
    "hat",
    "coat",
    "shirt",
    "apple",
    "egg",
  ];
  const lines = people.flatMap((a) =>
    people.flatMap((b) => things.map((thing) => `the ${a} gave the ${thing} to the ${b}`)),
  );
  const files = page.locator("#search-page .search-texts input[type=file]");
  await files.setInputFiles({ name: "many.txt", mimeType: "text/plain", buffer: Buffer.from(lines.join("\n")) });
  await expect(page.getByText(/^2.000 texts\. They are too long to be part of the link\.$/)).toBeVisible();
  await page.locator("#search-page").getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("Embedding was cancelled.")).toBeVisible();
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByRole("button", { name: /^Show all 2.000$/ })).toBeVisible({ timeout: 120_000 });
  await expect(page.getByText("Embedding was cancelled.")).toHaveCount(0);
  await expect(results(page)).toHaveCount(12);
  expect(page.url()).not.toContain("texts=");

  const csv = 'text,note\r\n"the king, who slept",1\r\nthe poet laughed,"a ""b"""\r\n';
  await files.setInputFiles({ name: "few.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await expect(page.getByRole("textbox", { name: /one per line/ })).toHaveValue(
    "the king, who slept\nthe poet laughed",
  );
  await expect(results(page)).toHaveCount(2);
});

test("Search: a CSV file gives its longest column without the heading, and another at a choice", async ({ page }) => {
  await openPage(page, "search");
  const files = page.locator("#search-page .search-texts input[type=file]");
  const csv = 'id,text,note\n1,"the king, who slept",a\n2,the poet laughed,b\n';
  await files.setInputFiles({ name: "few.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  const texts = page.locator("#search-texts");
  await expect(texts).toHaveValue("the king, who slept\nthe poet laughed");
  await page.getByLabel("column of the file").selectOption("note");
  await expect(texts).toHaveValue("a\nb");
  // Without a heading the first record is a text like the others.
  await files.setInputFiles({
    name: "bare.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("the king slept\nthe poet laughed"),
  });
  await expect(texts).toHaveValue("the king slept\nthe poet laughed");
});

test("Search: results go with their query and their texts, and what is left out is said", async ({ page }) => {
  await openPage(page, "search");
  await expect(page.locator("#search-page .search-result").first()).toBeVisible();
  await page.getByRole("textbox", { name: "query" }).fill("");
  await expect(page.locator("#search-page .search-result")).toHaveCount(0);
  await expect(page.getByText("Type a query to rank the texts.")).toBeVisible();
  await page.getByRole("textbox", { name: "query" }).fill("the king");
  await expect(page.locator("#search-page .search-result").first()).toBeVisible();
  await page.locator("#search-texts").fill("");
  await expect(page.locator("#search-page .search-result")).toHaveCount(0);
  await expect(page.getByText("There are no texts.")).toBeVisible();
  await page.locator("#search-texts").fill(new Array(2500).fill("1").join("\n"));
  await expect(page.getByText("500 more are left out.")).toBeVisible();
  await page.locator("#search-texts").fill("41\n42");
  await expect(page.getByText("2 of them hold words that the model reads as [UNK]")).toBeVisible();
  await page.getByRole("textbox", { name: "query" }).fill("a".repeat(4000));
  await expect(page.getByText(/^Only the first 4.000 characters fit/)).toBeVisible();
});

test("Search: words that the model does not know are named", async ({ page }) => {
  await openPage(page, "search", at({ q: "the astronaut gave the rope to the captain" }));
  await expect(page.getByText("The model does not know “astronaut” and reads it as [UNK].")).toBeVisible();
});

test("Search: a model of one's own, and one that is none", async ({ page }) => {
  await openPage(page, "search", at({ texts: "w1 w2\nw2 w1" }));
  const chosen = await openChooser(page, "search");
  await chosen.setInputFiles([`${folder}/config.json`, `${folder}/tokenizer.json`]);
  await expect(page.locator("#search-page .parts")).toContainText("model.safetensorsstill needed");
  await chosen.setInputFiles(`${folder}/model.safetensors`);
  await expect(page.getByText("your model: roformer,")).toBeVisible();
  await page.getByRole("button", { name: "Back to the shipped model" }).click();
  await expect(page.getByText("The shipped encoder: roformer,")).toBeVisible();
});

test("Search: what the page says of the model is what its training measured", async ({ page }) => {
  const report = JSON.parse(readFileSync(`${folder}/report.json`, "utf8"));
  await openPage(page, "search");
  const rows = page.getByRole("region", { name: "How often the right sentence is found" }).locator("tbody tr");
  await expect(rows).toHaveCount(4);
  const { methods } = report.heldOutPhrasings;
  for (const [i, name] of ["model", "withoutRotation", "bm25", "meanOfItsWordVectors"].entries()) {
    const shown = (await textsOf(rows.nth(i).locator("td"))).map(readNumber);
    expect(shown[0]! / 100).toBeCloseTo(methods[name].recallAt1, 2);
    expect(shown[1]! / 100).toBeCloseTo(methods[name].recallAt10, 2);
  }
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`Search: an open result has no fault that axe finds, and fits a phone (${colorScheme})`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await openPage(page, "search", "#search?open=1");
      await expect(page.locator("#search-page .shares li").first()).toBeVisible();
      await page.locator("#search-page .search-slopes summary").click();
      expect(await axeViolations(page)).toEqual([]);
      expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
    }
  });
}
