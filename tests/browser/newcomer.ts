import type { Page } from "@playwright/test";
import { expect } from "./site.js";

/** The moments of a newcomer's visit, as docs/tour.md shows them. */
type Moment = "home" | "swapped" | "not-rotated" | "lines" | "config";

const CONFIG =
  '{"hidden_size":4096,"num_attention_heads":32,"rope_scaling":{"rope_type":"yarn","factor":4,"original_max_position":2048}}';

/**
 * Visits the playground without knowing it: finds that rotation carries word order, lines that run, and what is wrong with
 * a config.json. Returns the number of clicks.
 */
export async function visit(page: Page, at: (moment: Moment) => Promise<void> = async () => {}): Promise<number> {
  let clicks = 0;
  const click = async (name: string) => {
    clicks++;
    await page.locator("#story-page, #doctor-page").getByRole("button", { name, exact: true }).click();
  };
  const shares = (bars: number) => page.locator(`#story-bars-${bars} small`).allInnerTexts();
  await page.goto("./");
  await expect(page.getByText("Answered in this page by the shipped model")).toBeVisible();
  await at("home");

  await expect(page.locator("#story-answer")).toHaveText("sailor");
  await click("the captain");
  await expect(page.locator("#story-answer")).toHaveText("captain");
  await at("swapped");

  clicks++;
  await page.getByRole("link", { name: "Next: without the rotation" }).click();
  clicks++;
  await page.locator(".scene[data-scene='2']").getByRole("button", { name: "no", exact: true }).click();
  await expect(page.locator(".scene[data-scene='2'] .reveal")).toBeVisible();
  expect(await shares(2)).toEqual(await shares(3));
  await at("not-rotated");

  await click("Run");
  await expect(page.locator("#story-printed")).toHaveText(/\d/);
  await page.locator("#story-printed").scrollIntoViewIfNeeded();
  await at("lines");

  await page.getByLabel("Paste its config.json", { exact: false }).fill(CONFIG);
  await click("Check this config.json");
  await expect(page.locator(".check-verdict")).toContainText("original_max_position_embeddings");
  await expect(page.getByRole("heading", { name: "Refused" })).toBeInViewport();
  await at("config");
  return clicks;
}
