import { expect, openPage, openRoformer, openRotate, test } from "./site.js";

test("a link restores the Rotate page", async ({ page }) => {
  await openRotate(page, "#rotate?d=32&pairing=half&span=256&m=200&n=20.5&shift=3&pair=5&vectors=equal&base=100");
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("200");
  await expect(page.getByRole("spinbutton", { name: "key position n" })).toHaveValue("20.5");
  await expect(page.getByRole("radio", { name: /^Pair \d/ })).toHaveCount(16);
  await expect(page.getByRole("radio", { name: /^Pair 5/ })).toBeChecked();
  await expect(page.getByRole("radio", { name: "equal" })).toBeChecked();
  await expect(page.locator("#notes-slot")).toBeEmpty();
});

test("the address follows, and each tab keeps its page’s state", async ({ page }) => {
  await openRotate(page);
  await page.getByRole("slider", { name: "query position m" }).fill("33");
  await expect(page).toHaveURL(/#rotate\?m=33$/);
  await page.getByRole("link", { name: "RoFormer", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Every head" })).toBeVisible();
  await page.getByRole("link", { name: "Rotate", exact: true }).click();
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("33");
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Every head" })).toBeVisible();
});

test("a link restores the RoFormer page", async ({ page }) => {
  await openRoformer(page, "#roformer?text=the+sailor+gave+the+[MASK]&layer=1&head=1&from=2&to=1");
  await expect(page.getByLabel("Type a sentence and write [MASK] for the missing word", { exact: true })).toHaveValue(
    "the sailor gave the [MASK]",
  );
  await expect(page.getByRole("radio", { name: "Layer 1, head 1" })).toBeChecked();
  await expect(page.locator(".reading")).toContainText("sailor (2) attends to the (1)");
});

test("hostile values fall back with a note, unknown fields are ignored", async ({ page }) => {
  await openRotate(page, "#rotate?d=1e9&pairing=<script>&m=-5&whatever=1&n=7");
  await expect(page.getByRole("status").filter({ hasText: "The link asks for" }).locator("p")).toHaveCount(3);
  await expect(page.getByRole("spinbutton", { name: "head dimension d" })).toHaveValue("16");
  await expect(page.getByRole("spinbutton", { name: "key position n" })).toHaveValue("7");
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect(page.locator("#notes-slot")).toBeEmpty();
});

test("Back undoes a choice and keeps what a slider did before it", async ({ page }) => {
  await openRotate(page);
  await page.getByRole("slider", { name: "query position m" }).fill("33");
  await page.getByRole("radio", { name: "equal" }).check();
  await expect(page).toHaveURL(/vectors=equal/);
  await page.goBack();
  await expect(page).toHaveURL(/#rotate\?m=33$/);
  await expect(page.getByRole("radio", { name: "equal" })).not.toBeChecked();
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("33");
});

test("an unknown page in a link is named, and the skip link stays on its page", async ({ page }) => {
  await openPage(page, "story", "#rotation?m=3");
  await expect(page.getByRole("status").filter({ hasText: "the page “rotation”, which does not exist" })).toBeVisible();
  await openRotate(page, "#rotate?m=3");
  await page.locator("a.skip").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toBeVisible();
  await expect(page).toHaveURL(/#rotate\?m=3$/);
});

test("a page begins at its top, and a box says which numbers it takes", async ({ page }) => {
  await openRoformer(page);
  await page.evaluate(() => scrollTo(0, 900));
  await page.locator("#rotate-tab").click();
  const box = page.getByRole("spinbutton", { name: "query position m" });
  await expect(box).toBeVisible();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await box.fill("1000000000");
  await box.press("Enter");
  await expect(page.locator(".range-hint", { hasText: /^from -?\d+ to \d+$/ })).toBeVisible();
});
