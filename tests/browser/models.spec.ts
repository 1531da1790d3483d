import type { Page } from "@playwright/test";
import { expect, goTo, maskedSentence, openPage, openRoformer, test } from "./site.js";

const generate = (page: Page) => page.getByLabel("The beginning of a text");
const search = (page: Page) => page.getByRole("textbox", { name: "query" });
const proteins = (page: Page) => page.getByLabel("sequence of amino acids");
const view = (page: Page, name: string) =>
  page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true }).click();

test("a text goes from look to look, and a link keeps it", async ({ page }) => {
  await openRoformer(page);
  await maskedSentence(page).fill("the king gave the ring to the [MASK] .");
  await view(page, "Search");
  await expect(search(page)).toHaveValue("the king gave the ring to the [MASK] .");
  await expect(page.locator("#search-page[class] .search[data-live] .search-result").first()).toBeVisible();
  await search(page).fill("the queen sold the boat to the [MASK] .");
  // Generate goes on where the word is missing, and the text keeps what stands behind it.
  await view(page, "Generate");
  await expect(generate(page)).toHaveValue("the queen sold the boat to the");
  await expect(page.locator("#generate-page .chip")).toHaveCount(8);
  await view(page, "RoFormer");
  await expect(maskedSentence(page)).toHaveValue("the queen sold the boat to the [MASK] .");
  await expect(page.locator(".fill h4")).toContainText("to the");
  await view(page, "Search");
  const link = page.url();
  expect(new URL(link).hash).toContain("the+queen+sold");
  await page.goto("about:blank");
  await page.goto(link);
  await view(page, "RoFormer");
  await expect(maskedSentence(page)).toHaveValue("the queen sold the boat to the [MASK] .");
});

test("without a text of the visitor each look has its own example", async ({ page }) => {
  await openRoformer(page);
  const own = await maskedSentence(page).inputValue();
  await view(page, "Search");
  await expect(search(page)).toHaveValue("the captain got the rope from the sailor");
  await view(page, "Generate");
  await expect(generate(page)).toHaveValue("the captain gave the rope to the sailor . now the");
  await view(page, "RoFormer");
  await expect(maskedSentence(page)).toHaveValue(own);
});

test("another text ends what was written after the one before, and Back brings it back", async ({ page }) => {
  await openPage(page, "generate", `#generate?${new URLSearchParams({ log: "w3_0_1" })}`);
  const chips = page.locator("#generate-page .chip");
  // The mark of the beginning and eleven words.
  const begun = 12;
  await expect(chips).toHaveCount(begun + 3);
  await view(page, "Search");
  await search(page).fill("the king slept");
  await view(page, "Generate");
  await expect(chips).toHaveCount(4);
  expect(page.url()).not.toContain("log=");
  // A beginning that is changed here is the text of the others at once, as long as nothing was done to it.
  await generate(page).fill("the poet laughed");
  await view(page, "Search");
  await expect(search(page)).toHaveValue("the poet laughed");
  await page.goBack();
  await page.goBack();
  await expect(generate(page)).toHaveValue("the king slept");
});

test("a look says which texts it cannot read, and offers one of its own", async ({ page }) => {
  await openPage(page, "search");
  await search(page).fill("the king slept");
  await view(page, "Proteins");
  await expect(proteins(page)).toHaveValue("the king slept");
  await expect(page.getByText("This text is a sentence, not a sequence of amino acids")).toBeVisible();
  await page.locator("#proteins-page").getByRole("button", { name: "Take an example instead" }).click();
  await expect(page.getByText("76 residues, at most 600.")).toBeVisible();
  await proteins(page).fill("TTCCPSIVARSNFNVCRLPGTPEALCATYTGCIIIPGATCPGDYAN");
  await goTo(page, "Models", "Search");
  await expect(page.getByText("This text is a sequence of amino acids, which the look Proteins reads.")).toBeVisible();
  await page.locator("#search-page").getByRole("button", { name: "Take an example instead" }).click();
  await expect(search(page)).toHaveValue("the captain got the rope from the sailor");
});
