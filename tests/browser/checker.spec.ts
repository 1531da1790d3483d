/** The checker of the Frequencies page, held to tests/golden/readers. */
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, openFrequencies, test } from "./site.js";

const golden = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../golden/readers/${name}.json`, import.meta.url), "utf8")) as T;

interface Report {
  config: string;
  context: number;
  layerType: string | null;
  readings: Record<string, { rule: string; base: number }>;
  refused: Record<string, string>;
}
interface Table {
  name: string;
  config: object | null;
  reader: string | null;
  inverseFrequencies?: (number | string)[];
  row?: object;
  expected: { code: number; mentions?: string[] };
}

interface Given {
  config?: string;
  printed?: string;
  layers?: string;
  tokens?: string;
  reader?: string;
}

/** Fills the boxes as a person does; what is not given is emptied. */
async function give(page: Page, { config = "", printed = "", layers = "", tokens = "", reader = "all" }: Given) {
  await page.locator("#frequencies-config").fill(config);
  await page.getByLabel("inv_freq of your program").fill(printed);
  await page.getByLabel("readers", { exact: true }).selectOption(reader);
  for (const [id, value] of [
    ["#frequencies-layers", layers],
    ["#frequencies-tokens", tokens],
  ] as const) {
    await page.locator(id).fill(value);
    await page.locator(id).blur();
  }
}

const card = (page: Page) => page.getByRole("region", { name: "How libraries read it" });

test("every reading of every reference configuration is in its table", async ({ page }) => {
  const { configs } = golden<{ configs: { name: string; config: object }[] }>("configs");
  const { reports } = golden<{ reports: Report[] }>("reports");
  await openFrequencies(page);
  const rows = card(page).getByRole("region", { name: "Readings" }).locator("tbody tr");
  for (const { config: name, context, layerType, readings, refused } of reports) {
    const config = JSON.stringify(configs.find((each) => each.name === name)!.config);
    await give(page, { config, layers: layerType ?? "", tokens: String(context) });
    const wanted = Object.entries(readings).map(([reader, { rule, base }]) => [reader, rule, base]);
    const shown = async () => {
      const cells = await rows.evaluateAll((all) =>
        all.map((row) => Array.from(row.children, (cell) => cell.textContent ?? "")),
      );
      return cells
        .filter(([reader]) => reader !== "ropewalk")
        .map(([reader, , rule, base]) => [reader, rule, Number(base)]);
    };
    await expect.poll(shown, `${name}, ${layerType}`).toEqual(wanted);
    const told = (await card(page).locator("li").allInnerTexts()).filter((text) => / refuses: /.test(text));
    const readers = new Set(told.map((text) => text.split(" refuses: ")[0]));
    for (const reader of Object.keys(refused)) expect(readers, `${name}: ${reader}`).toContain(reader);
  }
});

test("every reference table gets its verdict", async ({ page }) => {
  const { tables } = golden<{ tables: Table[] }>("tables");
  expect(tables.length).toBeGreaterThan(60);
  await openFrequencies(page);
  const verdict = card(page).locator(".check-verdict");
  for (const { name, config, reader, inverseFrequencies, row, expected } of tables) {
    await give(page, {
      ...(config !== null && { config: JSON.stringify(config) }),
      printed: row === undefined ? `tensor([${inverseFrequencies!.join(", ")}])` : JSON.stringify(row),
      reader: reader ?? "all",
    });
    await expect(verdict, name).toHaveAttribute("data-code", String(expected.code));
    for (const part of expected.mentions ?? []) await expect(verdict, name).toContainText(new RegExp(part, "i"));
  }
});

test("says what it cannot read, and what is wrong with a number of tokens", async ({ page }) => {
  await openFrequencies(page);
  const failure = card(page).locator(".failure");
  await give(page, { printed: "tensor([1., ..., 0.1])" });
  await expect(failure).toContainText("abbreviated");
  await give(page, { printed: "[1, 0.1, 0.01]", tokens: "many" });
  await expect(failure).toContainText("“tokens” is NaN");
  await give(page, { config: "{" });
  await expect(failure).toBeVisible();
});

test("its examples show a verdict each, and the link restores them", async ({ page }) => {
  await openFrequencies(page);
  const verdict = card(page).locator(".check-verdict");
  for (const [name, code] of [
    ["saved by Transformers 5", "3"],
    ["GTE's ntk", "3"],
    ["the default base in memory", "4"],
    ["a table that was never filled", "5"],
  ] as const) {
    await card(page).getByRole("button", { name }).click();
    await expect(verdict, name).toHaveAttribute("data-code", code);
  }
  await card(page).getByRole("button", { name: "saved by Transformers 5" }).click();
  await expect(verdict).toContainText("transformers-4");
  await expect(card(page).getByText("No configuration is read alike by all these readers.")).toBeVisible();
  const said = (await verdict.textContent()) ?? "";
  await expect(page).toHaveURL(/config=/);
  await page.reload();
  await expect(verdict).toHaveText(said);
});

test("a GGUF file is opened, and only its header is read", async ({ page }) => {
  await openFrequencies(page);
  const choose = page.locator(".frequencies-config input[type=file]");
  const file = (name: string) => new URL(`../golden/gguf/${name}`, import.meta.url).pathname;
  await choose.setInputFiles(file("llama-q4_0-rope-freqs.gguf"));
  await expect(page.locator("#frequencies-config")).toHaveValue(/"general.architecture": "llama"/);
  const readers = card(page).getByRole("region", { name: "Readings" }).locator("tbody th");
  await expect(readers).toHaveText(["ropewalk", "llama.cpp"]);
  await expect(card(page).locator(".check-verdict")).toHaveAttribute("data-code", "0");
  await choose.setInputFiles(file("hostile/key-twice.gguf"));
  await expect(page.locator(".frequencies-config").getByRole("alert")).toContainText("is there twice");
});
