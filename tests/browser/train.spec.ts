import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { load, type PositionEncoding } from "ropewalk";
import type { View } from "../../web/pages/train/experiments.js";
import type { Recorded } from "../../web/pages/train/recorded.js";
import { lettersOf } from "../../web/training/letters.js";
import { BATCH, checkEvery, configOf, optimizerOf, VALIDATION } from "../../web/training/recipe.js";
import { readJson } from "../ts/files.js";
import { expect, openPage, readNumber, test, textsOf } from "./site.js";
import { holdWorkers, letWorkersHear } from "./workers.js";

const section = (page: Page) => page.locator("#train-page");
const button = (page: Page, name: string) => section(page).getByRole("button", { name, exact: true });
const finished = (page: Page) => expect(button(page, "Again")).toBeVisible();
const taken = async (page: Page) =>
  readNumber((await section(page).locator(".driving .hint").innerText()).split(" of ")[0]!);

/** The rows of the figure's table, as lists of cells. */
async function numbers(page: Page): Promise<string[][]> {
  const drawer = section(page).getByText("Table and files").first();
  await drawer.click();
  const rows = await textsOf(section(page).getByRole("region", { name: "The race" }).getByRole("row"));
  await drawer.click();
  return rows.slice(1).map((row) => row.split("\t"));
}

test("RoPE wins the race against learned positions on order, and the curves are drawn", async ({ page }) => {
  await openPage(page, "train", "#train?encodings=rope%2Clearned&seeds=1&steps=400");
  await button(page, "Start").click();
  await finished(page);
  const rows = section(page).getByRole("region", { name: "Standings" }).getByRole("row");
  await expect(rows.nth(1)).toContainText("RoPE");
  await expect(rows.nth(1)).toContainText(/step \d+/);
  for (const encoding of ["rope", "learned"]) {
    const drawn = await section(page).locator(`.race-line[data-encoding="${encoding}"] .median`).getAttribute("d");
    expect(drawn!.split("L")).toHaveLength(41);
  }
  // The same race in Node, of which every number has the same bits.
  const ropewalk = await load();
  const settings = { size: "small", sequence: 24, steps: 400, rate: 0.002 } as const;
  using task = await ropewalk.task({ name: "order", seed: 1 });
  const every = checkEvery(settings.steps);
  const race = async (encoding: PositionEncoding) => {
    const config = configOf(encoding, settings, task.symbols.length);
    using trainer = await ropewalk.trainer({ config, seed: 1, optimizer: optimizerOf(settings) });
    const seen: { accuracy: number; loss: number }[] = [];
    for (let check = 0; check <= 4; check++) {
      seen.push(trainer.evaluate(task.batch({ split: "validation", batch: VALIDATION, sequence: 24 })));
      for (let i = 0; i < every; i++) trainer.train(task.batch({ index: trainer.step, batch: BATCH, sequence: 24 }));
    }
    return seen;
  };
  const [rope, learned] = [await race("rope"), await race("learned")];
  const shown = await numbers(page);
  for (let check = 0; check <= 4; check++) {
    const cells = shown[check]!.map(readNumber);
    expect(cells[0]).toBe(check * every);
    // Per encoding: accuracy, least, most, loss, training loss, and two at twice the length.
    expect(cells[1]).toBeCloseTo(rope[check]!.accuracy, 3);
    expect(cells[4]).toBeCloseTo(rope[check]!.loss, 3);
    expect(cells[8]).toBeCloseTo(learned[check]!.accuracy, 3);
    expect(cells[11]).toBeCloseTo(learned[check]!.loss, 3);
  }
});

test("it opens on a recorded race of five seeds, which the library repeats", async ({ page }) => {
  await openPage(page, "train");
  await expect(button(page, "Run it here")).toBeVisible();
  await expect(section(page).getByText(/^A recorded race on “order”, 5 seeds, 800 steps\.$/)).toBeVisible();
  await expect(section(page).locator(".race-line .median[d*=L]")).toHaveCount(3);
  const rows = section(page).getByRole("region", { name: "Standings" }).getByRole("row");
  await expect(rows).toHaveCount(4);
  await expect(rows.nth(1)).toContainText("RoPE");
  // The first checks of one of its runs, computed anew.
  const recorded = readJson<Recorded>("web/pages/train/recorded.json");
  expect(recorded.runs).toHaveLength(15);
  const { settings, every } = recorded;
  const run = recorded.runs.find(({ encoding, seed }) => encoding === "rope" && seed === 2)!;
  const ropewalk = await load();
  using task = await ropewalk.task({ name: "order", seed: 2 });
  const config = configOf("rope", settings, task.symbols.length);
  using trainer = await ropewalk.trainer({ config, seed: 2, optimizer: optimizerOf(settings) });
  const { sequence } = settings;
  for (let check = 0; check <= 2; check++) {
    for (const [length, course] of [
      [sequence, run.once],
      [2 * sequence, run.twice],
    ] as const) {
      const found = trainer.evaluate(task.batch({ split: "validation", batch: VALIDATION, sequence: length }));
      expect(course.accuracy[check]).toBeCloseTo(found.accuracy, 3);
      expect(course.loss[check]).toBeCloseTo(found.loss, 3);
    }
    for (let i = 0; i < every; i++) trainer.train(task.batch({ index: trainer.step, batch: BATCH, sequence }));
  }
});

test("opens on fine-tuning beside learned positions; a link restores another experiment and its point", async ({
  page,
}) => {
  await openPage(page, "train");
  const card = section(page).getByRole("region", { name: "The paper’s experiments, recorded" });
  await expect(card.locator("option:checked")).toHaveText("Fine-tuning: pre-training");
  await card.getByLabel("experiment").selectOption("6");
  await card.getByRole("slider").focus();
  await page.keyboard.press("Home");
  await expect(page).toHaveURL(/experiment=6&point=0$/);
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await expect(card.locator("option:checked")).toHaveText("Long documents: pre-training in stages");
  await expect(card.getByRole("slider")).toHaveValue("0");
});

test("the recorded experiments are those of docs/results.md, one at a time, by keyboard too", async ({ page }) => {
  const { views } = readJson<{ views: View[] }>("web/pages/train/experiments.json");
  await openPage(page, "train");
  const card = section(page).getByRole("region", { name: "The paper’s experiments, recorded" });
  for (const { name, anchor, lines } of views) {
    await card.getByLabel("experiment").selectOption(name);
    const figure = card.getByRole("figure", { name });
    await expect(figure.locator(".median[d*=L]")).toHaveCount(lines.length);
    for (const { label, median } of lines)
      await expect(
        figure.locator(".race-reading li").filter({ hasText: `${label} ${median.at(-1)!.toFixed(3)}` }),
      ).toHaveCount(1);
    await expect(card.getByRole("link")).toHaveAttribute("href", `./docs/results.html#${anchor}`);
  }
  const { lines } = views.at(-1)!;
  await card.getByRole("slider").focus();
  await page.keyboard.press("Home");
  await expect(card.locator(".race-reading strong").first()).toHaveText(lines[0]!.median[0]!.toFixed(3));
});

test("the causal Performer runs here beside what was recorded, and is stopped", async ({ page }) => {
  const { live, lines } = readJson<{ views: View[] }>("web/pages/train/experiments.json").views[0]!;
  await openPage(page, "train");
  const card = section(page).getByRole("region", { name: "The paper’s experiments, recorded" });
  await card.getByLabel("experiment").selectOption("0");
  await card.getByRole("button", { name: "Run one seed here" }).click();
  await expect(card.locator(".here").first()).toBeVisible();
  // Models learn side by side, and another may be checked before the first.
  await card.getByRole("slider").focus();
  await page.keyboard.press("Home");
  const reading = card.locator(".race-reading li").first();
  await expect(reading).toContainText(/, here \d/);
  await card.getByRole("button", { name: "Stop" }).click();
  await expect(card.getByRole("button", { name: "Run one seed here" })).toBeVisible();
  // The first check of the first model, in Node.
  const { runs, rows, sequence } = live!;
  const ropewalk = await load();
  const letters = await lettersOf(ropewalk, 1);
  const config = { vocab_size: letters.vocabSize, ...runs[0]!.config };
  using trainer = await ropewalk.trainer({ config, seed: 1, objective: "causal-language-model" });
  const { loss } = trainer.evaluate(letters.batch({ split: "validation", batch: rows, sequence }));
  await expect(reading).toContainText(`${lines[0]!.label} `);
  const here = readNumber((await reading.innerText()).split(", here ")[1]!);
  expect(here).toBeCloseTo(loss, 2);
});

test("letters follow one another as the texts have them", async () => {
  const ropewalk = await load();
  const letters = await lettersOf(ropewalk, 3);
  using english = await ropewalk.task({ name: "english", seed: 3 });
  const words = new Set(english.symbols);
  for (const sequence of [16, 64, 128]) {
    const batch = letters.batch({ split: "train", index: 5, batch: 8, sequence });
    expect(batch).toEqual(letters.batch({ split: "train", index: 5, batch: 8, sequence }));
    for (let row = 0; row < 8; row++) {
      const textOf = (ids: Int32Array) =>
        Array.from(ids.subarray(row * sequence, (row + 1) * sequence), (id) => letters.symbols[id]).join("");
      const [read, asked] = [textOf(batch.inputIds), textOf(batch.labels)];
      expect(read[0]).toBe("\n");
      expect(asked.slice(0, -1)).toBe(read.slice(1));
      const whole = asked.split(/[ \n]/).slice(0, -1);
      for (const word of whole) expect(words.has(word) || word === "").toBe(true);
    }
  }
});

test("where the settings are others, it says which race is shown", async ({ page }) => {
  await openPage(page, "train", "#train?task=copy");
  await expect(section(page).getByText("Your settings differ; Start runs them here.")).toBeVisible();
  await expect(button(page, "Start")).toBeVisible();
  await expect(section(page).locator(".race-line .median[d*=L]")).toHaveCount(3);
});

test("a race is stepped, paused, gone on with, begun anew and cancelled, by keyboard too", async ({ page }) => {
  // One worker alone needs nine for the first step of two runs; a whole race takes eighty more.
  await holdWorkers(page, 16);
  await openPage(page, "train", "#train?encodings=rope%2Crope-receptive-field&seeds=1&steps=1600&length=16");
  await button(page, "Step").focus();
  await page.keyboard.press("Enter");
  await expect(button(page, "Resume")).toBeVisible();
  expect(await taken(page)).toBe(2 * checkEvery(1600));
  await expect(section(page).getByRole("figure", { name: "α and ρ of every head" })).toBeVisible();
  await button(page, "Resume").click();
  await expect.poll(() => taken(page)).toBeGreaterThan(2 * checkEvery(1600));
  await button(page, "Pause").click();
  await letWorkersHear(page, 16);
  await expect(button(page, "Resume")).toBeVisible();
  const paused = await taken(page);
  expect(paused).toBeGreaterThan(2 * checkEvery(1600));
  expect(paused).toBeLessThan(3200);
  await page.waitForTimeout(400);
  expect(await taken(page)).toBe(paused);
  await button(page, "Restart").click();
  await button(page, "Pause").click();
  await letWorkersHear(page);
  await expect(button(page, "Resume")).toBeVisible();
  await button(page, "Cancel").click();
  await expect(button(page, "Start")).toBeVisible();
  await expect(section(page).getByText("Your settings differ; Start runs them here.")).toBeVisible();
  await expect(page).toHaveURL(/#train\?encodings=rope%2Crope-receptive-field&seeds=1&length=16&steps=1600$/);
});

test("a trained model is saved, and opens in the RoFormer page", async ({ page }) => {
  await openPage(page, "train", "#train?task=copy&distance=2&encodings=rope&seeds=1&steps=100&length=16");
  await button(page, "Start").click();
  await finished(page);
  const downloads: string[] = [];
  const waiting = new Promise<void>((resolve) => {
    page.on("download", async (download) => {
      const path = await download.path();
      if (download.suggestedFilename() === "model.safetensors") {
        const file = readFileSync(path);
        expect(file.readBigUInt64LE()).toBeLessThan(100_000n);
        expect(file.toString("utf8", 8, 4000)).toContain("roformer.encoder.layer.0.attention.self.query.weight");
      }
      downloads.push(download.suggestedFilename());
      if (downloads.length === 3) resolve();
    });
  });
  await button(page, "Save weights").click();
  await waiting;
  expect(downloads.sort()).toEqual(["config.json", "model.safetensors", "tokenizer.json"]);
  await button(page, "Open on the RoFormer page").click();
  const model = page.locator("#roformer-page");
  await expect(model.getByText("the copy model, RoPE, seed 1").first()).toBeVisible();
  // Sixteen tokens, without [CLS] and [SEP]: the task has none.
  await expect(model.locator(".map-rows").first().locator("span")).toHaveCount(16);
});

test("the word chance stands beside the lines that stay there, not under them", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 1000 });
  await openPage(page, "train");
  const figure = page.getByRole("figure", { name: "The race" });
  const name = await figure.locator(".limit-name").boundingBox();
  const frame = await figure.locator(".frame").boundingBox();
  expect(name!.x).toBeGreaterThanOrEqual(frame!.x + frame!.width);
  await expect(figure.getByText("lie on each other here, at chance.")).toBeVisible();
});
