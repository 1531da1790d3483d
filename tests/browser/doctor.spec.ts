/** The page Doctor: what may be put into it, its verdict in three colours, its figure, and what can be taken along. */
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { checkRope, load, ropeOptionsFromConfig } from "ropewalk";
import type { Recorded } from "../../web/pages/doctor/published.js";
import { lineOf, signOf } from "../../web/pages/doctor/sign.js";
import { axeViolations, expect, openDoctor, openFrequencies, sidewaysOverflow, test } from "./site.js";

const read = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const published = read<{ name: string; title: string; config: object }[]>("web/pages/doctor/published.json");
const recorded = read<Recorded[]>("web/pages/doctor/recorded.json");

const box = (page: Page) => page.locator("#doctor-config");
const verdict = (page: Page) => page.locator(".check-verdict");
const inWords = (page: Page) => page.getByText("What Ropewalk reads, in words").click();
const words = (page: Page) => page.locator(".doctor-more .explained li");
const pick = (page: Page, name: string) => page.getByLabel("or look at one of these").selectOption(name);

/** The text that a copy button writes. */
async function copied(page: Page, button: string): Promise<string> {
  await page.evaluate(() => {
    const writeText = async (text: string) => {
      Object.assign(window, { written: text });
    };
    Object.assign(window, { written: undefined });
    Object.defineProperty(navigator, "clipboard", { value: { writeText }, configurable: true });
  });
  await page.getByRole("button", { name: button }).click();
  await expect.poll(() => page.evaluate(() => (window as { written?: string }).written)).toBeTruthy();
  return page.evaluate(() => (window as { written?: string }).written!);
}

test("the recorded verdicts are the library's, and those that seven libraries' own code gave", async () => {
  await load({ analysis: true });
  interface Golden {
    config: string;
    exit: number;
    differ?: { reader: string }[];
  }
  const golden = read<{ verdicts: Golden[] }>("tests/golden/readers-2/verdicts.json").verdicts;
  const files = read<{ configs: { name: string; config: object }[] }>("tests/golden/readers-2/configs.json").configs;
  expect(published).toHaveLength(20);
  expect(published[0]!.name).toBe("olmo-3-7b");
  for (const [i, { name, config }] of published.entries()) {
    expect(config, name).toEqual(files.find((each) => each.name === name)!.config);
    const report = checkRope({ config });
    expect(recorded[i], name).toEqual({ name, ...signOf(report), line: lineOf(report) });
    const { exit, differ = [] } = golden.find((each) => each.config === name)!;
    expect(report.code, name).toBe(exit);
    const readers = new Set(report.outliers.map(({ reader }) => reader));
    expect([...readers].sort(), name).toEqual(differ.map(({ reader }) => reader).sort());
  }
});

test("a published model is chosen from the list, and the verdict takes the focus", async ({ page }) => {
  await openDoctor(page);
  await page.getByRole("button", { name: /^Read alike: .*OLMo 3 7B|OLMo 3 7B/ }).click();
  await expect(verdict(page)).toHaveAttribute("data-light", "green");
  await expect(page.locator(".doctor-result")).toBeFocused();
  await expect(page.locator("#doctor-choice option:checked")).toHaveText("OLMo 3 7B");
  await expect(page.getByRole("status").filter({ hasText: "Read alike" })).toHaveCount(1);
});

test("three colours, each with its words", async ({ page }) => {
  await openDoctor(page);
  for (const [name, light, says] of [
    ["Llama 3.1 8B", "green", "Read alike"],
    ["saved by Transformers 5", "amber", "Libraries differ"],
    ["a misspelt key", "red", "Refused"],
    ["a printed table with the default base", "red", "The table is not what the file says"],
    ["a printed table that was never filled", "red", "The table was never filled"],
  ] as const) {
    await pick(page, name);
    await expect(verdict(page), name).toHaveAttribute("data-light", light);
    await expect(page.getByRole("heading", { name: says })).toBeVisible();
  }
});

test("an old address of the checker in Frequencies leads here, and no other does", async ({ page }) => {
  const config = JSON.stringify({ model_type: "llama", hidden_size: 128, num_attention_heads: 4, rope_theta: 10000 });
  await page.goto("about:blank");
  await page.goto(`./#frequencies?${new URLSearchParams({ config, tokens: "4096", context: "9000" })}`);
  await expect(box(page)).toHaveValue(config);
  await expect(page).toHaveURL(/\/doctor\/#doctor\?/);
  await expect(page.getByText("Compared at 4\u202f096 tokens")).toBeVisible();
  await expect(page.locator("#notes-slot")).toBeEmpty();
  await openFrequencies(page, "#frequencies?context=9000");
  await expect(page).toHaveURL(/\/frequencies\//);
  await page.getByRole("link", { name: "Doctor" }).last().click();
  await expect(box(page)).toBeVisible();
});

test("one length for everything on the page: the file's, or the one that is asked for", async ({ page }) => {
  await openDoctor(page);
  const yarn = { type: "yarn", factor: 4, original_max_position_embeddings: 32768 };
  const config = { model_type: "qwen2", hidden_size: 3584, num_attention_heads: 28, rope_theta: 1e6 };
  await box(page).fill(JSON.stringify({ ...config, rope_scaling: yarn }));
  await expect(page.getByText("Compared at 131\u202f072 tokens")).toBeVisible();
  const figure = page.getByRole("figure", { name: "Pairs by wavelength" });
  await expect(figure.getByRole("img")).toHaveAttribute("aria-label", /longer than 131072 tokens/);
  await page.locator("#doctor-tokens").fill("65536");
  await page.locator("#doctor-tokens").blur();
  await expect(page.getByText("Compared at 65\u202f536 tokens")).toBeVisible();
  await expect(figure.getByRole("img")).toHaveAttribute("aria-label", /longer than 65536 tokens/);
  await inWords(page);
  await expect(words(page).filter({ hasText: "in a context of 65536 positions" })).toHaveCount(1);
});

test("the figure counts the library's bands, and its cursor goes by keyboard", async ({ page }) => {
  await openDoctor(page);
  await pick(page, "Llama 3.1 8B");
  const figure = page.getByRole("figure", { name: "Pairs by wavelength" });
  const llama = published.find(({ name }) => name === "llama-3.1-8b")!.config;
  using rope = (await load({ analysis: true })).rope(ropeOptionsFromConfig(llama));
  const { pairs } = rope.explain();
  const count = (band: string) => pairs.filter((pair) => pair.band === band).length;
  const said = `${count("kept")} kept, ${count("blended")} blended, ${count("divided by factor")} stretched`;
  await expect(figure.getByRole("img")).toHaveAttribute("aria-label", new RegExp(said));
  await figure.getByRole("slider").focus();
  await page.keyboard.press("Home");
  await expect(figure.locator(".cursor-values")).toContainText("kept");
});

test("the verdict is copied as Markdown, with the change and the command", async ({ page }) => {
  await openDoctor(page);
  await pick(page, "saved by Transformers 5");
  await expect(verdict(page)).toHaveAttribute("data-code", "3");
  const markdown = await copied(page, "Copy as Markdown");
  expect(markdown).toContain("Libraries differ");
  expect(markdown).toContain("| transformers-4, mlx-lm | all | default | 10000 |");
  expect(markdown).toContain("```diff");
  expect(markdown).toContain('+   "rope_theta": 500000');
  expect(markdown).toContain("```sh\nnpx ropewalk check config.json\n```");
  await page.locator("#doctor-tokens").fill("4096");
  await page.locator("#doctor-tokens").blur();
  expect(await copied(page, "Copy the command")).toBe("npx ropewalk check config.json --context 4096");
});

test("says in the library's words what it reads, for each type of layers, and draws it in Frequencies", async ({
  page,
}) => {
  await openDoctor(page);
  const neox = { hidden_size: 6144, num_attention_heads: 64, rotary_pct: 0.25, rotary_emb_base: 10000 };
  const config = { ...neox, model_type: "gpt_neox", max_position_embeddings: 2048 };
  using rope = (await load({ analysis: true })).rope(ropeOptionsFromConfig(config));
  await box(page).fill(JSON.stringify(config));
  await inWords(page);
  const { text, limits } = rope.explain({ context: 2048, type: "bfloat16" });
  await expect(words(page)).toHaveText((text + limits!.text).split("\n").filter(Boolean));
  await page.getByRole("button", { name: "Draw it in Frequencies" }).click();
  await expect(page.locator(".marks.b > *")).toHaveCount(12);
  await expect(page.getByRole("combobox", { name: "Rule B, which rule" })).toHaveValue("default");
  await page.goBack();
  await box(page).fill('{"hidden_size": 12,');
  await expect(page.locator("#doctor-page .failure")).toContainText("not JSON");
  await pick(page, "Gemma 3 1B");
  await expect(page.locator(".doctor-more h4")).toHaveText(["full_attention", "sliding_attention"]);
  await page.getByLabel("layers", { exact: true }).selectOption("sliding_attention");
  await expect(page.getByRole("figure", { name: "Pairs by wavelength, sliding_attention" })).toBeVisible();
});

test("refusals name keys between quotation marks, not as code, and first what is to be done", async ({ page }) => {
  await openDoctor(page);
  await box(page).fill('{"hidden_size": 4096, "num_attention_heads": 32, "rope_theta": "500000"}');
  await expect(verdict(page)).toHaveText(/^Refused: rope_theta: "500000" is no number\. Write "rope_theta": 500000\./);
  await page.getByText("Every reader’s reading, and how far apart they are").click();
  const refusals = page.locator(".doctor-more li").filter({ hasText: " refuses: " });
  await expect(refusals.filter({ hasText: "ropewalk refuses" })).toContainText("“rope_theta” is");
  await box(page).fill("[1, 2]");
  await expect(page.locator("#doctor-page .failure")).toContainText("The config.json is an array");
  // On a page without code, backticks are dirt.
  expect(await page.locator("#doctor-page").innerText()).not.toContain("`");
});

test("a config.json can be chosen as a file", async ({ page }) => {
  await openDoctor(page);
  await page.locator(".doctor-given input[type=file]").setInputFiles({
    name: "config.json",
    mimeType: "application/json",
    buffer: readFileSync("web/public/model/config.json"),
  });
  await inWords(page);
  await expect(words(page).first()).toContainText("Heads of 32 channels");
});

for (const theme of ["light", "dark"] as const) {
  test(`a verdict, ${theme}: accessible by axe, and it fits a phone`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 390, height: 844 });
    await openDoctor(page);
    await pick(page, "saved by Transformers 5");
    for (const summary of await page.locator("#doctor-page summary").all()) await summary.click();
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
  });
}
