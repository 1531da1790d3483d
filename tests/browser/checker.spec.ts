/** The checker of the page Doctor, held to tests/golden/readers. */
import type { Page } from "@playwright/test";
import { goldenPath, readGolden } from "../ts/golden.js";
import { axeViolations, expect, openDoctor, readNumber, sidewaysOverflow, test, textsOf } from "./site.js";

interface Report {
  config: string;
  context: number;
  layerType: string | null;
  readings: Record<string, { rule: string; base: number }>;
  refused: Record<string, string>;
  differences: { a: string; b: string; firstPair: number; turnsAtContext: number }[];
}
interface Table {
  name: string;
  config: object | null;
  reader: string | null;
  inverseFrequencies?: (number | string)[];
  row?: object;
  expected: { code: number; mentions?: string[] };
}

interface Verdict {
  config: string;
  answer: string;
  exit: number | string;
  differ?: { reader: string }[];
  mentions?: string[];
}

interface Given {
  config?: string;
  printed?: string;
  layers?: string;
  tokens?: string;
  /** All unless given. */
  reader?: string;
}

const readers =
  "ropewalk transformers-4 transformers-5 getattr-legacy vllm sglang mlx-lm onnxruntime-genai llama.cpp remote-gte remote-nomic".split(
    " ",
  );
/** Held to tests/golden/readers-2 by tests/ts/readers.test.ts. */
const others = ["ropewalk", "vllm", "sglang", "mlx-lm", "onnxruntime-genai"];

/** Compares one reader alone, or all of them. One box always stays checked. */
async function choose(page: Page, wanted: string | undefined) {
  const boxes = page.getByRole("group", { name: "readers to compare" }).getByRole("checkbox");
  const checked = () => boxes.evaluateAll((all) => all.map((box) => (box as HTMLInputElement).checked));
  for (const [i, on] of (await checked()).entries())
    if (!on && (wanted === undefined || readers[i] === wanted)) await boxes.nth(i).check();
  for (const [i, on] of (await checked()).entries())
    if (on && wanted !== undefined && readers[i] !== wanted) await boxes.nth(i).uncheck();
}

/** Fills the boxes as a person does; what is not given is emptied. */
async function give(page: Page, { config = "", printed = "", layers = "", tokens = "", reader }: Given) {
  await page.locator("#doctor-config").fill(config);
  await page.getByLabel("inv_freq of your program").fill(printed);
  await choose(page, reader);
  for (const [id, value] of [
    ["#doctor-layers", layers],
    ["#doctor-tokens", tokens],
  ] as const) {
    await page.locator(id).fill(value);
    await page.locator(id).blur();
  }
}

const card = (page: Page) => page.locator("#doctor-page");
const openOptions = (page: Page) => page.getByText("Readers, layer type, a printed table").click();
/** The tables behind the verdict; they stay open for the next file. */
async function openReadings(page: Page) {
  const drawer = card(page).locator(".doctor-more details").first();
  await expect(drawer).toBeAttached();
  if ((await drawer.getAttribute("open")) === null) await drawer.locator("summary").first().click();
}
const pick = (page: Page, name: string) => page.getByLabel("or look at one of these").selectOption(name);

test("every reading of every reference configuration is in its table", async ({ page }) => {
  const { configs } = readGolden<{ configs: { name: string; config: object }[] }>("readers/configs.json");
  const { reports } = readGolden<{ reports: Report[] }>("readers/reports.json");
  await openDoctor(page);
  await openOptions(page);
  const rows = card(page).getByRole("region", { name: "Readings" }).locator("tbody tr");
  for (const { config: name, context, layerType, readings, refused } of reports) {
    const config = JSON.stringify(configs.find((each) => each.name === name)!.config);
    await give(page, { config, layers: layerType ?? "", tokens: String(context) });
    await openReadings(page);
    const wanted = Object.entries(readings).map(([reader, { rule, base }]) => [reader, rule, base]);
    const shown = async () => {
      const cells = await rows.evaluateAll((all) =>
        all.map((row) => Array.from(row.children, (cell) => cell.textContent ?? "")),
      );
      return cells
        .filter(([reader]) => !others.includes(reader!))
        .map(([reader, , rule, base]) => [reader, rule, Number(base)]);
    };
    await expect.poll(shown, `${name}, ${layerType}`).toEqual(wanted);
    const told = (await textsOf(card(page).locator("li"))).filter((text) => / refuses: /.test(text));
    const readers = new Set(told.map((text) => text.split(" refuses: ")[0]));
    for (const reader of Object.keys(refused)) expect(readers, `${name}: ${reader}`).toContain(reader);
  }
});

test("every reference table gets its verdict", async ({ page }) => {
  const { tables } = readGolden<{ tables: Table[] }>("readers/tables.json");
  expect(tables.length).toBeGreaterThan(60);
  await openDoctor(page);
  await openOptions(page);
  const verdict = card(page).locator(".check-verdict");
  // The boxes of the readers change least in this order.
  const inOrder = [...tables].sort((a, b) => (a.reader ?? "").localeCompare(b.reader ?? ""));
  for (const { name, config, reader, inverseFrequencies, row, expected } of inOrder) {
    await give(page, {
      ...(config !== null && { config: JSON.stringify(config) }),
      printed: row === undefined ? `tensor([${inverseFrequencies!.join(", ")}])` : JSON.stringify(row),
      ...(reader !== null && { reader }),
    });
    await expect(verdict, name).toHaveAttribute("data-code", String(expected.code));
    for (const part of expected.mentions ?? []) await expect(verdict, name).toContainText(new RegExp(part, "i"));
  }
});

test("gives the verdicts of every published and broken configuration", async ({ page }) => {
  const { configs } = readGolden<{ configs: { name: string; config: object }[] }>("readers-2/configs.json");
  const { verdicts } = readGolden<{ verdicts: Verdict[] }>("readers-2/verdicts.json");
  await openDoctor(page);
  await openOptions(page);
  const verdict = card(page).locator(".check-verdict");
  for (const { config: name, answer, exit, differ = [], mentions = [] } of verdicts) {
    // The codes with every reader asked are those of the file where nobody else differs.
    const broken = answer === "refused";
    if (!broken && exit !== 3) continue;
    await give(page, { config: JSON.stringify(configs.find((each) => each.name === name)!.config) });
    await expect(verdict, name).toHaveAttribute("data-code", broken ? "6" : "3");
    for (const { reader } of differ) await expect(verdict, name).toContainText(reader);
    for (const word of mentions) await expect(verdict, name).toContainText(word);
  }
});

test("says what it cannot read, and what is wrong with a number of tokens", async ({ page }) => {
  await openDoctor(page);
  await openOptions(page);
  const failure = card(page).locator(".failure");
  await give(page, { printed: "tensor([1., ..., 0.1])" });
  await expect(failure).toContainText("abbreviated");
  await give(page, { printed: "[1, 0.1, 0.01]", tokens: "many" });
  await expect(failure).toContainText("“length” is NaN");
  await give(page, { config: "{" });
  await expect(failure).toBeVisible();
});

test("its examples show a verdict each, and the link restores them", async ({ page }) => {
  await openDoctor(page);
  await openOptions(page);
  const verdict = card(page).locator(".check-verdict");
  for (const [name, code] of [
    ["saved by Transformers 5", "3"],
    ["a misspelt key", "6"],
    ["the NTK rule of GTE’s own code", "0"],
    ["a printed table with the default base", "4"],
    ["a printed table that was never filled", "5"],
  ] as const) {
    await pick(page, name);
    await expect(verdict, name).toHaveAttribute("data-code", code);
  }
  await pick(page, "saved by Transformers 5");
  await expect(verdict).toContainText("transformers-4");
  await expect(card(page).getByRole("region", { name: "Changes to the config.json" })).toBeVisible();
  const said = (await verdict.textContent()) ?? "";
  // The address follows a moment later.
  await expect(page).toHaveURL(/config=[^&]*llama3/);
  await page.reload();
  await expect(verdict).toHaveText(said);
});

test("a chart shows how far apart the readers are, pair by pair", async ({ page }) => {
  const { configs } = readGolden<{ configs: { name: string; config: object }[] }>("readers/configs.json");
  const { reports } = readGolden<{ reports: Report[] }>("readers/reports.json");
  const { context, differences } = reports.find(({ config }) => config === "llama3-v5")!;
  const wanted = differences.find(({ a, b }) => a === "transformers-4" && b === "transformers-5")!.turnsAtContext;
  await openDoctor(page);
  await openOptions(page);
  const config = JSON.stringify(configs.find(({ name }) => name === "llama3-v5")!.config);
  await give(page, { config, tokens: String(context) });
  await openReadings(page);
  const chart = card(page).getByRole("figure", { name: "Turns apart at the end of the context" });
  await expect(chart.getByRole("img")).toHaveAttribute(
    "aria-label",
    /compared with ropewalk, transformers-5, vllm, sglang, onnxruntime-genai, llama.cpp/,
  );
  await chart.getByText("Table and files").click();
  await expect(chart.locator("thead th")).toHaveText(["pair", "transformers-4, getattr-legacy, mlx-lm, turns"]);
  const cells = (await textsOf(chart.locator("tbody td"))).map(readNumber);
  expect(cells.length).toBe(64);
  expect(Math.max(...cells) / wanted).toBeCloseTo(1, 3);

  const slider = chart.getByRole("slider");
  const widest = cells.indexOf(Math.max(...cells));
  await expect(slider).toHaveValue(String(widest));
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await expect(slider).toHaveAttribute(
    "aria-valuetext",
    new RegExp(`^pair ${widest + 1}; transformers-4, getattr-legacy, mlx-lm: [\\d\\s\u202f.]+ turns$`),
  );

  // Readers that agree need no chart.
  const boxes = card(page).getByRole("group", { name: "readers to compare" });
  await boxes.getByRole("checkbox", { name: "transformers-4" }).uncheck();
  await boxes.getByRole("checkbox", { name: "getattr-legacy" }).uncheck();
  await boxes.getByRole("checkbox", { name: "mlx-lm" }).uncheck();
  await expect(chart).toHaveCount(0);
  await expect(card(page).locator(".check-verdict")).toHaveAttribute("data-code", "0");
  await expect(page).toHaveURL(/readers=ropewalk%2Ctransformers-5|readers=ropewalk,transformers-5/);
});

test("the fix stands as a difference, and all readers take it", async ({ page }) => {
  await openDoctor(page);
  await openOptions(page);
  await pick(page, "saved by Transformers 5");
  await choose(page, "ropewalk");
  for (const name of ["transformers-4", "transformers-5", "llama.cpp"]) {
    await card(page).getByRole("checkbox", { name, exact: true }).check();
  }
  const changes = card(page).getByRole("region", { name: "Changes to the config.json" });
  const lines = await changes
    .locator("pre > span")
    .evaluateAll((all) =>
      all.map((line) => [line.className, (line.lastChild?.previousSibling?.textContent ?? "").trimEnd()] as const),
    );
  const without = (kind: string) => lines.filter(([name]) => name !== kind).map(([, text]) => text);
  const given = JSON.parse(await page.locator("#doctor-config").inputValue()) as object;
  expect(
    JSON.parse(
      without("added")
        .join("\n")
        .replace(/,(\s*)\}$/, "$1}"),
    ),
  ).toEqual(given);
  const fixed = JSON.parse(without("removed").join("\n")) as object;
  expect(fixed).toMatchObject({ rope_theta: 500000, rope_scaling: { rope_type: "llama3" } });
  await page.locator("#doctor-config").fill(JSON.stringify(fixed));
  await expect(card(page).locator(".check-verdict")).toHaveAttribute("data-code", "0");
  await expect(changes).toHaveCount(0);
});

for (const theme of ["light", "dark"] as const) {
  test(`a report, ${theme}: accessible by axe, by keyboard, and it fits a phone`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 320, height: 800 });
    await openDoctor(page);
    await openOptions(page);
    await pick(page, "saved by Transformers 5");
    const boxes = card(page).getByRole("group", { name: "readers to compare" });
    for (const name of ["mlx-lm", "remote-gte", "remote-nomic"]) {
      await boxes.getByRole("checkbox", { name }).focus();
      await page.keyboard.press("Space");
      await expect(boxes.getByRole("checkbox", { name })).not.toBeChecked();
    }
    const changes = card(page).getByRole("region", { name: "Changes to the config.json" });
    await changes.focus();
    await expect(changes).toBeFocused();
    expect(await axeViolations(page)).toEqual([]);
    expect(await sidewaysOverflow(page)).toBeLessThanOrEqual(0);
  });
}

test("a GGUF file is opened, and only its header is read", async ({ page }) => {
  await openDoctor(page);
  await openOptions(page);
  const choose = page.locator(".doctor-given input[type=file]");
  const file = (name: string) => goldenPath(`gguf/${name}`);
  await choose.setInputFiles(file("llama-q4_0-rope-freqs.gguf"));
  await expect(page.locator("#doctor-config")).toHaveValue(/"general.architecture": "llama"/);
  await openReadings(page);
  const readers = card(page).getByRole("region", { name: "Readings" }).locator("tbody th");
  await expect(readers).toHaveText(["ropewalk", "llama.cpp"]);
  await expect(card(page).locator(".check-verdict")).toHaveAttribute("data-code", "0");
  await choose.setInputFiles(file("hostile/key-twice.gguf"));
  await expect(page.locator(".doctor-given").getByRole("alert")).toContainText("is there twice");
});
