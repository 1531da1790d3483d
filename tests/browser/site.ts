import { readFileSync } from "node:fs";
import { test as base, expect, type Locator, type Page } from "@playwright/test";
import type { AxeResults } from "axe-core";
import { drawnIn, type PageName } from "./pages.js";

/** Every test ends with this: nothing was written to the console as an error, and no request left the site. */
export const test = base.extend<{ manners: undefined; elsewhere: readonly string[] }>({
  /** Origins that a test lets the page ask, which it must answer itself. */
  elsewhere: [[], { option: true }],
  manners: [
    async ({ page, baseURL, elsewhere }, use) => {
      const complaints: string[] = [];
      const foreign: string[] = [];
      page.on("console", (message) => {
        // Reading pixels back, and keeping the service worker out, is what the tests do, not the page.
        const ours = /^Canvas2D: Multiple readback|^Service Worker registration blocked by Playwright/.test(
          message.text(),
        );
        if ((message.type() === "error" || message.type() === "warning") && !ours) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (
          /^https?:|^wss?:/.test(url.protocol) &&
          url.origin !== new URL(baseURL ?? "").origin &&
          !elsewhere.includes(url.origin)
        )
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

/** Opens a page and waits until its figures are drawn. */
export async function openPage(page: Page, name: PageName, address = `#${name}`): Promise<void> {
  await page.goto(`./${address}`);
  await expect(page.locator(drawnIn(name)).first()).toBeAttached();
}

const opening = (name: PageName) => (page: Page, address?: string) => openPage(page, name, address);
/** The first sentence answered. */
export const openRoformer = opening("roformer");
export const openRotate = opening("rotate");
export const openFrequencies = opening("frequencies");
export const openDoctor = opening("doctor");
export const openDistance = opening("distance");
export const openReceptiveField = opening("receptive-field");
/** All of them answered. */
export const openEncodings = opening("encodings");

/** Goes to a page of another tab, as a visitor does: the tab, and then the page in its row. */
export async function goTo(page: Page, tab: "Lab" | "Models", name: string): Promise<void> {
  const pages = page.getByRole("navigation", { name: "Pages" });
  await pages.getByRole("link", { name: tab, exact: true }).click();
  await pages.getByRole("link", { name, exact: true }).click();
}

/** The field of the page RoFormer for a sentence. */
export const maskedSentence = (page: Page): Locator =>
  page.getByLabel("Type a sentence and write [MASK] for the missing word", { exact: true });

/** Opens the choice of a model on a page of the tab Models, and gives the input of its files. */
export async function openChooser(page: Page, name: PageName): Promise<Locator> {
  await page.locator(`#${name}-page .model-choice > .drawer > summary`).click();
  return page.locator(`#${name}-page .chooser input[type=file]`).first();
}

/** A fact about its model that the page RoFormer shows under a name. */
export const fact = (page: Page, name: string): Locator => page.locator(".facts div", { hasText: name }).locator("dd");

/** A number as the page writes it. */
export function readNumber(written: string): number {
  const power = written.match(/10([\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+)$/)?.[1] ?? "";
  const exponent = Array.from(power, (sign) =>
    "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079".indexOf(sign),
  );
  const digits = exponent.map((place) => (place === 0 ? "-" : String(place - 1))).join("");
  const mantissa = written.replace(/\u00a0×.*$/, "").replace("\u2212", "-");
  if (mantissa === "\u221e") return Number.POSITIVE_INFINITY;
  return Number(`${mantissa.replace(/[\u202f\s°%]/g, "")}${power && `e${digits}`}`);
}

/** Faults that axe finds in the page as it is now. */
export async function axeViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Through the debugger, where the page's own policy would forbid a foreign script.
  await page.evaluate(readFileSync("node_modules/axe-core/axe.min.js", "utf8"));
  const { violations } = await page.evaluate(
    // Passes are not named one by one, which takes longer than the checks.
    (runOnly) =>
      (window as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run({
        runOnly,
        resultTypes: ["violations"],
      }),
    rules,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join("; ")}`);
}

/** Rules of axe whose outcome depends on the theme; all else is the same in both. */
export const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** How far the page is wider than its window. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Saves a figure by its menu. */
export async function saved(figure: Locator, format: "PNG" | "SVG" | "CSV"): Promise<Buffer> {
  const menu = figure.locator(".figure-foot details");
  if ((await menu.getAttribute("open")) === null) await menu.locator("summary").click();
  const download = figure.page().waitForEvent("download");
  await figure.getByRole("button", { name: `as ${format}` }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(new RegExp(`^ropewalk-[a-z0-9-]+\\.${format.toLowerCase()}$`));
  return readFileSync(await file.path());
}

/** The lines of a figure's numbers, the names of the columns first. */
export async function csvLines(figure: Locator): Promise<string[]> {
  return (await saved(figure, "CSV")).toString().trim().split("\r\n");
}

export async function textOf(locator: Locator): Promise<string> {
  return (await locator.textContent()) ?? "";
}

/** The texts of a list, once it has an entry: Playwright's own functions read what is there at the moment, if only nothing. */
export async function textsOf(list: Locator): Promise<string[]> {
  await expect(list.first()).toBeAttached();
  return await list.allInnerTexts();
}

/** The texts of a table's cells by row, once it has a row. */
export async function cellsOf(rows: Locator): Promise<string[][]> {
  await expect(rows.first()).toBeAttached();
  return await rows.evaluateAll((all) =>
    all.map((row) => Array.from((row as HTMLTableRowElement).cells, (cell) => cell.textContent ?? "")),
  );
}

interface Dropped {
  readonly name: string;
  readonly text: string;
}

/** Drops a file on the window; false if the page left it to the browser, which would open it. */
export function drop(page: Page, file: Dropped): Promise<boolean> {
  return page.evaluate(({ name, text }) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    const event = (type: string) => new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
    const over = !document.body.dispatchEvent(event("dragover"));
    return !document.body.dispatchEvent(event("drop")) && over;
  }, file);
}
