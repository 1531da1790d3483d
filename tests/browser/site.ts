import { test as base, expect, type Locator, type Page } from "@playwright/test";

/** Every test ends with this: nothing was written to the console as an error, and no request left the site. */
export const test = base.extend<{ manners: undefined }>({
  manners: [
    async ({ page, baseURL }, use) => {
      const complaints: string[] = [];
      const foreign: string[] = [];
      page.on("console", (message) => {
        // Reading pixels back is what the tests do, not the page.
        const ours = message.text().startsWith("Canvas2D: Multiple readback");
        if ((message.type() === "error" || message.type() === "warning") && !ours) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (/^https?:|^wss?:/.test(url.protocol) && url.origin !== new URL(baseURL ?? "").origin)
          foreign.push(url.href);
      });
      await use(undefined);
      expect(complaints).toEqual([]);
      expect(foreign).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** The RoFormer room with its model loaded and the first sentence answered. */
export async function openRoformer(page: Page, address = "#roformer"): Promise<void> {
  await page.goto(`./${address}`);
  await expect(page.getByRole("radiogroup", { name: "Attention heads" }).getByRole("radio").first()).toBeVisible();
  await expect(page.locator(".fill li, .fills-empty").first()).toBeVisible();
  await expect(page.locator(".timing dd").first()).toHaveText(/ms|s$/);
}

/** The Rotate room, drawn. */
export async function openRotate(page: Page, address = "#rotate"): Promise<void> {
  await page.goto(`./${address}`);
  await expect(page.getByRole("radiogroup", { name: "Pairs of channels" }).getByRole("radio").first()).toBeVisible();
}

/** A number as the page writes it. */
export function readNumber(written: string): number {
  return Number(written.replace("\u2212", "-").replace(/[\u202f\s°%]/g, ""));
}

/** How far the page is wider than its window. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

export async function textOf(locator: Locator): Promise<string> {
  return (await locator.textContent()) ?? "";
}
