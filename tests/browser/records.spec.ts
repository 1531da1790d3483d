import type { Page } from "@playwright/test";
import { load } from "ropewalk";
import { vocabularyOf } from "../../web/model/guesses.js";
import { runOf } from "../../web/model/run.js";
import { modelOf } from "../../web/pages/encodings/models.js";
import type { Recorded as RecordedEncodings } from "../../web/pages/encodings/recorded.js";
import { answerOf } from "../../web/pages/encodings/views.js";
import type { Opening } from "../../web/pages/generate/opening.js";
import type { Recorded as RecordedRun } from "../../web/pages/roformer/recorded.js";
import type { Opening as SearchOpening } from "../../web/pages/search/opening.js";
import { record as recordSearch } from "../../web/pages/search/record.js";
import { floatsOfText } from "../../web/text/float-text.js";
import { readJson } from "../ts/files.js";
import { interactiveIn, type PageName } from "./pages.js";
import { expect, test, textOf } from "./site.js";
import { holdWorkers, letWorkersHear } from "./workers.js";

const recordOf = <T>(page: PageName) => readJson<T>(`web/pages/${page}/recorded.json`);
const close = (found: ArrayLike<number>, expected: ArrayLike<number>) => {
  expect(found.length).toBe(expected.length);
  let furthest = 0;
  for (let i = 0; i < expected.length; i++) furthest = Math.max(furthest, Math.abs(found[i]! - expected[i]!));
  expect(furthest).toBeLessThan(1e-4);
};
const ropewalk = await load();

test("RoFormer: the recorded answer is what the library answers", async () => {
  const recorded = recordOf<RecordedRun>("roformer");
  using model = await ropewalk.encoder("web/public/model");
  const words = vocabularyOf(readJson<object>("web/public/model/tokenizer.json"));
  const found = await runOf(model, words, recorded.text, 8);
  expect(recorded.tokens).toEqual(found.tokens);
  expect(recorded.masks).toEqual(found.masks);
  expect(recorded.fills[0]![0]!.token).toBe(found.fills[0]![0]!.token);
  close([recorded.fills[0]![0]!.probability], [found.fills[0]![0]!.probability]);
  for (const [layer, text] of recorded.attentions.entries()) close(floatsOfText(text), found.attentions[layer]!);
  for (const [layer, text] of recorded.scores.entries()) close(floatsOfText(text), found.scores[layer]!);
});

test("Encodings: the recorded maps are those of the library", async () => {
  const { question, answers } = recordOf<RecordedEncodings>("encodings");
  const { words, seed, head, shift, pair } = question;
  expect(answers.map(({ encoding }) => encoding)).toEqual(question.encodings);
  for (const recorded of answers) {
    const model = await modelOf(ropewalk, recorded.encoding, seed);
    const found = answerOf(model, recorded.encoding, words, head, shift, pair);
    model.dispose();
    expect(Object.keys(recorded.views)).toEqual(Object.keys(found.views));
    for (const [view, { scores, attention }] of Object.entries(recorded.views)) {
      close(floatsOfText(scores), found.views[view as keyof typeof found.views]!.scores);
      close(floatsOfText(attention), found.views[view as keyof typeof found.views]!.attention);
    }
    close(floatsOfText(recorded.curve), found.curve);
  }
});

test("Generate: the recorded text and its next tokens are the library’s", async () => {
  const { prompt, model: facts, session } = recordOf<Opening>("generate");
  using model = await ropewalk.decoder("web/public/decoder", { precision: "int8", context: 512 });
  expect(facts.parameters).toBe(model.parameterCount);
  const ids = model.encode(prompt);
  expect(session.tokens.map(({ id }) => id)).toEqual(ids);
  using cache = model.cache();
  const logits = Array.from(cache.feed(ids));
  const sum = logits.reduce((total, logit) => total + Math.exp(logit), 0);
  close(
    session.next.map(({ probability }) => probability),
    session.next.map(({ id }) => Math.exp(logits[id]!) / sum),
  );
  expect(session.next[0]!.id).toBe(logits.indexOf(Math.max(...logits)));
});

test("Search: the recorded cosines are the library’s, with and without rotation", async () => {
  const recorded = recordOf<SearchOpening>("search");
  const { query, model, cosines } = await recordSearch(ropewalk);
  expect({ query: recorded.query, model: recorded.model }).toEqual({ query, model });
  close(recorded.cosines.on, cosines.on);
  close(recorded.cosines.off, cosines.off);
});

/** The answer that a page shows: a recorded one at first, then the model's. */
const shown: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  roformer: (page) => page.locator("#roformer-page .fill li").allInnerTexts(),
  encodings: (page) => page.locator("#encodings-page .encodings-senses tbody tr").allInnerTexts(),
  generate: (page) => page.locator("#generate-page .next-words li").allInnerTexts(),
  // Cosines are rounded to four digits, the last of which may be another on another machine.
  search: (page) => page.locator("#search-page .search-result :is(.rank, .found-text)").allInnerTexts(),
};

for (const name of Object.keys(shown) as PageName[]) {
  test(`${name}: the answer is there before any worker has said a word, and stays when one has`, async ({ page }) => {
    await holdWorkers(page, 0);
    await page.goto(`./#${name}`);
    await expect(page.locator(interactiveIn(name)).first()).toBeVisible();
    const before = await shown[name]!(page);
    expect(before).not.toEqual([]);
    await letWorkersHear(page);
    await expect(page.locator(`#${name}-page [data-live], #${name}-page [data-ready]`)).toBeAttached();
    expect(await shown[name]!(page)).toEqual(before);
  });
}

test("RoFormer says that its first answer is recorded, and what is asked meanwhile is answered later", async ({
  page,
}) => {
  await holdWorkers(page, 0);
  await page.goto("./#roformer");
  const section = page.locator("#roformer-page");
  await expect(section.getByText("recorded; reading the model")).toBeVisible();
  await section.getByRole("button", { name: "the sailor gave the rope to the captain", exact: false }).click();
  await letWorkersHear(page);
  await expect(section.locator(".fill li").first()).toContainText("captain");
  await expect(section.getByText("recorded; reading the model")).toBeHidden();
});

test("Generate does what is asked before its model has been read", async ({ page }) => {
  await holdWorkers(page, 0);
  await page.goto("./#generate");
  const chips = page.locator("#generate-page .chip");
  await expect(chips.first()).toBeVisible();
  const begun = await chips.count();
  await page.getByRole("button", { name: "Write one", exact: true }).click();
  await letWorkersHear(page);
  await expect(chips).toHaveCount(begun + 1);
  expect(await textOf(chips.last())).not.toBe("");
});

test("Search says that its first answer is recorded, and answers what is asked meanwhile later", async ({ page }) => {
  await holdWorkers(page, 0);
  await page.goto("./#search");
  const section = page.locator("#search-page");
  await expect(section.getByText("recorded; reading the model")).toBeVisible();
  await section.getByRole("textbox", { name: "query" }).fill("clara painted the boat");
  await letWorkersHear(page);
  await expect(section.locator(".search-result").first()).toContainText("clara painted the boat");
  await expect(section.getByText("recorded; reading the model")).toBeHidden();
});

test("Encodings says that what it shows is recorded if the library cannot be had", async ({ page }) => {
  const nothing = { contentType: "text/javascript", body: "export default undefined;" };
  await page.route("**/lib/train-inlined.js", (route) => route.fulfill(nothing));
  await page.goto("./#encodings");
  await expect(page.locator("#encodings-page").getByRole("alert")).toContainText("are recorded ones");
});

test("a model that cannot be read takes the recorded answer away", async ({ page }) => {
  await page.route("**/model.safetensors", (route) => route.fulfill({ body: "no weights" }));
  await page.goto("./#generate");
  await expect(page.getByText("No model, no answer.").first()).toBeVisible();
  await expect(page.locator("#generate-page .chip")).toHaveCount(0);
  await page.goto("./#roformer");
  await expect(page.locator("#roformer-page .fills-empty")).toHaveText("No model, no answer.");
  await page.goto("./#search");
  await expect(page.locator("#search-page .search-results")).toHaveText("No model, no answer.");
});
