import type { Page } from "@playwright/test";
import { isolatingHeaders, serveFolder } from "../../tools/run/serve.mjs";
import { axeViolations, COLOUR_RULES, expect, sidewaysOverflow, test } from "./site.js";

/** The page, once it has measured. */
async function measured(page: Page): Promise<void> {
  await page.goto("./threads/");
  await expect(page.getByRole("status")).toHaveText("The measurement is complete.");
}

const used = (page: Page, option: string) =>
  page.getByRole("row").filter({ hasText: option }).getByRole("cell").first();

async function expectResults(page: Page, threads: number): Promise<void> {
  await expect(used(page, "threads: 1")).toHaveText("1");
  await expect(used(page, "threads: 2")).toHaveText(String(threads));
  await expect(page.locator("#time-2")).toHaveText(/^\d+\.\d ms$/);
  await expect(page.locator("#ratio")).toHaveText(/^\d+\.\d\d$/);
  await expect(page.locator("#same")).toHaveText("yes");
}

/** The site from a server that sends the two headers. */
const isolated = test.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from here.
  baseURL: async ({}, use) => {
    const { server, address } = await serveFolder("dist-site", 0, isolatingHeaders);
    await use(address);
    server.close();
    server.closeAllConnections();
  },
});

isolated("two threads do the work of one call, with the same bits", async ({ page }) => {
  await measured(page);
  await expect(page.locator("#memory")).toContainText("crossOriginIsolated is true: two threads do the work");
  await expect(page.getByText("Cross-Origin-Opener-Policy")).toBeHidden();
  await expectResults(page, 2);
  await page.getByRole("button", { name: "Measure again" }).click();
  await expect(page.getByRole("button", { name: "Measure again" })).toBeEnabled();
  await expectResults(page, 2);
});

test("without the headers one thread does the work, and the page names them", async ({ page }) => {
  await measured(page);
  await expect(page.locator("#memory")).toContainText("crossOriginIsolated is false: one thread does the work");
  for (const header of ["Cross-Origin-Opener-Policy: same-origin", "Cross-Origin-Embedder-Policy: require-corp"])
    await expect(page.getByText(header)).toBeVisible();
  await expectResults(page, 1);
});

test("accessible by axe in both themes, and it fits a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await measured(page);
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
    expect(await axeViolations(page, theme === "light" ? undefined : COLOUR_RULES)).toEqual([]);
  }
});
