import type { Page } from "@playwright/test";
import { load } from "ropewalk";
import { printedBy, programFolder } from "./programs.js";
import {
  expect,
  openDistance,
  openEncodings,
  openFrequencies,
  openReceptiveField,
  openRotate,
  readNumber,
  test,
  textOf,
  textsOf,
} from "./site.js";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** The output of the copied program. */
async function run(page: Page, name: string): Promise<string> {
  await page.getByRole("button", { name: "Copy code" }).first().click();
  await expect(page.getByText("copied", { exact: true })).toBeVisible();
  return printedBy(name, await clipboard(page));
}

test("Rotate: the copied program computes the score that is seen", async ({ page }) => {
  await openRotate(page, "#rotate?d=12&pairing=half&base=1000&m=31.25&n=4&shift=2");
  await page.getByText("Show me the code").click();
  const printed = await run(page, "rotate");
  expect(Number(printed)).toBeCloseTo(readNumber(await textOf(page.locator(".score output"))), 4);
});

test("Frequencies: the copied program prints what the page says", async ({ page }) => {
  await openFrequencies(page);
  await page.locator(".frequencies-spectrum").getByText("Show me the code").click();
  const printed = await run(page, "frequencies");
  const lines = await textsOf(page.getByRole("region", { name: "Rule B explained" }).getByRole("listitem"));
  for (const line of lines) expect(printed).toContain(line);
});

test("Distance: the copied program prints the bound", async ({ page }) => {
  await openDistance(page, "#distance?d=32&span=64");
  await page.getByText("Show me the code").click();
  using rope = (await load({ analysis: true })).rope({ headDim: 32 });
  expect(await run(page, "distance")).toContain(String(rope.effectiveReceptiveField({ threshold: 0.5, limit: 32768 })));
});

test("Receptive field: the copied program prints φ and the check", async ({ page }) => {
  await openReceptiveField(page, "#receptive-field?d=8&span=64&rho=0.5");
  await page.getByText("Show me the code").click();
  const printed = await run(page, "receptive-field");
  expect(printed).toMatch(/^0\.003 Float64Array/);
  expect(printed).toMatch(/\ntrue\n0\.\d+ \d\.\d+ 0\.\d+\n$/);
});

test("Receptive field, in a picture: the copied program prints the scores that are seen", async ({ page }) => {
  await openReceptiveField(page, "#receptive-field?view=picture&way=interleaved&head=alike&row=0&column=0");
  await page.getByText("Show me the code").click();
  const rows = (await run(page, "picture")).trim().split("\n");
  expect(rows).toHaveLength(64);
  await page.getByRole("group", { name: /^8 × 8/ }).hover({ position: { x: 2, y: 2 } });
  await expect(page.locator("#picture-value")).toHaveText("1.0000");
  const [row, column, score] = rows[0]!.split(" ").map(Number);
  expect([row, column, score]).toEqual([0, 0, 1]);
});

test("Encodings: the copied program computes the scores that are seen, from the weights that are saved", async ({
  page,
}) => {
  await openEncodings(page, "#encodings?words=a+b+c+a&head=2&from=1&to=2&view=as-is&show=scores");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the weights" }).click();
  const file = await download;
  await file.saveAs(`${programFolder}/${file.suggestedFilename()}`);
  await page.getByText("Show me the code").click();
  const rows = (await run(page, "encodings")).trim().split("\n");
  expect(Number(rows[1]!.split(" ")[2])).toBeCloseTo(readNumber(await textOf(page.locator("#encodings-value"))), 4);
});

test("C++ is a choice that every page remembers", async ({ page }) => {
  await openRotate(page, "#rotate?pairing=half");
  await page.getByText("Show me the code").click();
  await page.locator("#rotate-page").getByRole("radio", { name: "C++" }).check({ force: true });
  await expect(page.locator(".code code")).toContainText(".pairing = ropewalk::Pairing::half");
  await page.getByRole("link", { name: "Frequencies", exact: true }).click();
  await page.locator(".frequencies-spectrum").getByText("Show me the code").click();
  await expect(page.locator(".frequencies-spectrum code")).toContainText(
    "ropewalk::frequencies::Llama3{.base = 500000, .factor = 8, .low_frequency_factor = 1,",
  );
});

test("Copy link copies the address of the page as it is", async ({ page }) => {
  await openRotate(page);
  await page.getByRole("slider", { name: "query position m" }).fill("33");
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect(page.getByText("copied", { exact: true })).toBeVisible();
  const link = await clipboard(page);
  expect(link).toMatch(/#rotate\?m=33$/);
  await page.goto("about:blank");
  await page.goto(link);
  await expect(page.getByRole("spinbutton", { name: "query position m" })).toHaveValue("33");
});
