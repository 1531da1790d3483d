import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Page } from "@playwright/test";
import { type Decoder, type KeyCache, load, type RotationPart } from "ropewalk";
import { standInForHub } from "./hub.js";
import { printedBy } from "./programs.js";
import { axeViolations, csvLines, expect, openChooser, openPage, readNumber, test, textOf } from "./site.js";

test.use({ elsewhere: ["https://huggingface.co"] });

const folder = "web/public/decoder";
const prompt = "the captain gave the rope to the sailor . now the";
const two = `the dog chased the cat at the harbour . then anna took the cat home . <|endoftext|> ${prompt}`;
const names = ["config.json", "model.safetensors", "tokenizer.json"];
const files: Readonly<Record<string, Buffer>> = Object.fromEntries(
  names.map((name) => [name, readFileSync(`${folder}/${name}`)]),
);
const chosen = (which = names) =>
  which.map((name) => ({ name, mimeType: "application/octet-stream", buffer: files[name]! }));

// In 8 bits the page computes the bits that Node computes.
async function decoder(): Promise<Decoder> {
  return (await load()).decoder(folder, { precision: "int8", context: 512 });
}

/** Tokens as the page draws them, one by one. */
async function written(model: Decoder, cache: KeyCache, count: number, seed = 1): Promise<string[]> {
  const words: string[] = [];
  for (let i = 0; i < count; i++) {
    const { length } = cache;
    const one = model.generate([], { cache, maxTokens: 1, temperature: 0.8, seed: seed * 2 ** 20 + length });
    const { value } = await one.next();
    await one.next();
    words.push(model.decode([value!.id], { skipSpecialTokens: false }));
    // The cache ends with what was shown, an end of text is not.
    if (cache.length === length) cache.feed([value!.id]);
  }
  return words;
}

function shares(logits: ArrayLike<number>): number[] {
  const all = Array.from(logits);
  const most = Math.max(...all);
  const sum = all.reduce((total, logit) => total + Math.exp(logit - most), 0);
  return all.map((logit) => Math.exp(logit - most) / sum);
}
const divergence = (p: number[], q: number[]) =>
  p.reduce((sum, share, i) => sum + (share > 0 ? share * Math.log(share / q[i]!) : 0), 0);

const chips = (page: Page) => page.locator("#generate-page .chip");
/** Without their positions. */
const words = (page: Page) =>
  chips(page).evaluateAll((all) => all.map((chip) => (chip.firstChild as Text).textContent));
const lane = (page: Page, name: string) =>
  page.locator("#generate-page .lane").filter({ has: page.getByRole("heading", { name, exact: true }) });
const link = (fields: Record<string, string>) => `#generate?${new URLSearchParams(fields)}`;

test("Generate: writes what the library writes, one token or many at a time, and from a link", async ({ page }) => {
  using model = await decoder();
  using cache = model.cache();
  cache.feed(model.encode(prompt));
  const expected = await written(model, cache, 21);
  await openPage(page, "generate");
  const begun = await chips(page).count();
  expect(begun).toBe(model.encode(prompt).length);
  await page.getByRole("button", { name: "Write one", exact: true }).click();
  await expect(chips(page)).toHaveCount(begun + 1);
  await page.getByRole("button", { name: "Write 20 tokens" }).click();
  await expect(chips(page)).toHaveCount(begun + 21);
  expect((await words(page)).slice(begun)).toEqual(expected);
  await expect(page).toHaveURL(/log=w21_0.8_1/);
  const address = page.url();
  await page.goto("about:blank");
  await page.goto(address);
  await expect(chips(page)).toHaveCount(begun + 21);
  expect((await words(page)).slice(begun)).toEqual(expected);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chips(page)).toHaveCount(begun);
});

test("Generate: while the model is on its way the page says so beside the buttons that need it", async ({ page }) => {
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route(/decoder\/model\.safetensors$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto("./#generate");
  const status = page.locator("#generate-page .write [role=status]");
  await expect(status).toHaveText("Reading the model …");
  await expect(page.getByRole("progressbar", { name: "The model that is being read" })).toBeVisible();
  letThrough();
  await expect(page.locator("#generate-page .generate[data-ready]")).toBeAttached();
  await expect(status).toHaveText("");
  await expect(page.getByRole("progressbar", { name: "The model that is being read" })).toHaveCount(0);
});

test("Generate: the copied program writes the text of the page", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openPage(page, "generate", link({ log: "w9_0.8_3" }));
  const begun = await page.locator('#generate-page .chip[data-origin="prompt"]').count();
  await expect(chips(page)).toHaveCount(begun + 9);
  const expected = (await words(page)).slice(begun);
  await page.locator("#generate-page").getByText("Show me the code").click();
  await page.getByRole("button", { name: "Copy code" }).first().click();
  await expect(page.getByText("copied", { exact: true })).toBeVisible();
  const code = await page.evaluate(() => navigator.clipboard.readText());
  const printed = printedBy("generate", code.replace('"a-folder"', JSON.stringify(resolve(folder))));
  // A text that ends is a new line here and a token of its own there.
  const text = printed.slice(0, printed.indexOf(" tokens of ")).replace(/\d+$/, "");
  const flat = (all: string) => all.replace(/<\|endoftext\|>|\s/g, "");
  expect(flat(text)).toBe(flat(expected.join(" ")));
  await page.locator("#generate-page").getByRole("radio", { name: "C++" }).check({ force: true });
  await expect(page.locator("#generate-page .code code")).toContainText("cache.sample(sampler).id");
});

test("Generate: the next tokens are the model’s, and a click appends one", async ({ page }) => {
  using model = await decoder();
  using cache = model.cache();
  const chances = shares(cache.feed(model.encode(prompt)));
  await openPage(page, "generate");
  const rows = page.locator("#generate-page .next-words button");
  await expect(rows).toHaveCount(8);
  const best = Math.max(...chances);
  await expect(rows.first()).toContainText(model.decode([chances.indexOf(best)]));
  expect(readNumber(await textOf(rows.first().locator(".next-share"))) / 100).toBeCloseTo(best, 2);
  const third = await textOf(rows.nth(2).locator(".next-word"));
  const begun = await chips(page).count();
  await rows.nth(2).click();
  await expect(chips(page)).toHaveCount(begun + 1);
  expect((await words(page)).at(-1)).toBe(third);
});

test("Generate: a cut is told beside a fresh pass and beside unrotated keys", async ({ page }) => {
  using model = await decoder();
  const ids = model.encode(two);
  const [from, to] = [1, 17];
  const left = [...ids.slice(0, from), ...ids.slice(to)];
  const cut = (rotate: boolean) => {
    using cache = model.cache();
    cache.feed(ids.slice(0, -1));
    cache.drop(from, to, { rotate });
    return shares(cache.feed(ids.slice(-1)));
  };
  using afresh = model.cache();
  const reference = shares(afresh.feed(left));
  await openPage(page, "generate", link({ prompt: two }));
  const strip = page.getByRole("group", { name: /^The cache: / });
  await strip.focus();
  await page.keyboard.press("ArrowRight");
  for (let i = 0; i < to - from - 1; i++) await page.keyboard.press("Shift+ArrowRight");
  await expect(page.getByText("Chosen: positions 1 to 16, 16 tokens.")).toBeVisible();
  await page.getByRole("button", { name: "Cut and close up" }).click();
  await expect(page.getByRole("heading", { name: "What cutting positions 1 to 16 changed" })).toBeVisible();
  await expect(chips(page)).toHaveCount(left.length);
  const shown = async (name: string) =>
    readNumber((await textOf(lane(page, name).locator("dd").first())).split(" ")[0]!);
  const [kept, unrotated] = [divergence(reference, cut(true)), divergence(reference, cut(false))];
  expect(await shown("cut and closed up")).toBeCloseTo(kept, 2);
  expect((await shown("keys left unrotated")) / unrotated).toBeCloseTo(1, 1);
  expect(unrotated).toBeGreaterThan(10 * kept);
  await expect(page.getByText("Layer 0 has the keys of a fresh pass")).toBeVisible();
  await expect(page.getByText("From layer 1 on they differ")).toBeVisible();
  // Moved keys are marked, and say where they were.
  await strip.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByText("its key was first rotated to position 17")).toBeVisible();
  // The table has the probabilities of all four.
  const row = page.getByRole("region", { name: "Next token, before and after" }).locator("tbody tr").first();
  await expect(row.locator("td")).toHaveCount(4);
  expect(readNumber(await textOf(row.locator("td").last())) / 100).toBeCloseTo(Math.max(...reference), 2);
  expect(await axeViolations(page)).toEqual([]);
  await lane(page, "keys left unrotated").getByRole("button", { name: "Go on from here" }).click();
  await expect(page).toHaveURL(/log=u1_17/);
  await expect(lane(page, "keys left unrotated").getByRole("button", { name: "The text above" })).toBeVisible();
  await page.getByText("What the library says about this cache").click();
  await expect(page.getByText(/1 drop without rotation/)).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/log=d1_17/);
});

test("Generate: the keys of each layer can be saved as numbers", async ({ page }) => {
  await openPage(page, "generate", link({ prompt: two, log: "d1_17" }));
  const figure = page.getByRole("figure", { name: "Keys of each layer, compared with a fresh pass" });
  await expect(figure).toBeVisible();
  const rows = (await csvLines(figure)).map((line) => line.split(",").map(Number));
  expect(rows).toHaveLength(6);
  const [, layer0, layer1] = rows;
  expect(layer0![1]).toBeLessThan(1e-6);
  expect(layer1![1]).toBeGreaterThan(1e-5);
  for (const [, , unrotated] of rows.slice(1)) expect(unrotated).toBeGreaterThan(0.1);
});

test("Generate: chunks are appended, frequencies change, and a fork is a way back", async ({ page }) => {
  await openPage(page, "generate");
  const begun = await chips(page).count();
  await page.getByRole("button", { name: "Fork" }).click();
  await page.getByLabel("a text to append, computed on its own").fill("sailor has the rope .");
  await page.getByRole("button", { name: "Append" }).click();
  await expect(chips(page)).toHaveCount(begun + 5);
  await expect(page.getByRole("heading", { name: "What the appended chunk changed" })).toBeVisible();
  await expect(page.locator("#generate-page .lane")).toHaveCount(2);
  await page.getByLabel("scaling rule").selectOption("yarn");
  await expect(page).toHaveURL(/[?&]rule=yarn$/);
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await expect(page.getByRole("heading", { name: "What the rule “YaRN”, factor 2 changed" })).toBeVisible();
  await page.getByText("What the library says about this cache").click();
  await expect(page.getByText(/the rule yarn with factor 2/)).toBeVisible();
  await page.getByRole("list", { name: "Forks" }).getByRole("button").click();
  await expect(chips(page)).toHaveCount(begun);
  await expect(page.locator("#generate-page .lanes")).toHaveCount(0);
});

test("Generate: a link restores the rule that the cache would be changed to", async ({ page }) => {
  await openPage(page, "generate", "#generate?rule=ntk&factor=4.5");
  await expect(page.getByLabel("scaling rule")).toHaveValue("ntk");
  await expect(page.getByLabel("factor")).toHaveValue("4.5");
  await expect(page.locator("#notes-slot")).toBeEmpty();
});

test("Generate: what cannot be done is said", async ({ page }) => {
  await openPage(page, "generate", link({ prompt, log: "d4_999" }));
  await expect(page.getByRole("alert")).toContainText("The cut ends at token 999; allowed: up to");
  await openPage(page, "generate", "#generate?log=x9");
  await expect(page.locator("#notes-slot")).toContainText("such as w20_0.8_1*d4_12");
  const strip = page.getByRole("group", { name: /^The cache: / });
  await expect(chips(page).first()).toBeVisible();
  await strip.focus();
  await page.keyboard.press("End");
  await expect(page.getByText("The last token stays")).toBeVisible();
  await expect(page.getByRole("button", { name: "Cut and close up" })).toBeDisabled();
  await page.getByLabel("The beginning of a text").fill("a zebra");
  await page.getByRole("button", { name: "Start with this" }).click();
  await expect(page.getByText("This model knows a few hundred words.")).toBeVisible();
});

test("Generate: writing stops, and what was written stays", async ({ page }) => {
  await openPage(page, "generate");
  const begun = await chips(page).count();
  await page.getByRole("button", { name: "Write 20 tokens" }).click();
  await expect.poll(() => chips(page).count()).toBeGreaterThan(begun);
  await page.getByRole("button", { name: "Stop" }).click({ force: true });
  await expect(page.getByRole("button", { name: "Write one", exact: true })).toBeEnabled();
  const stopped = await chips(page).count();
  expect(stopped).toBeLessThanOrEqual(begun + 20);
  await page.getByRole("button", { name: "Write one", exact: true }).click();
  await expect(chips(page)).toHaveCount(stopped + 1);
  await expect(page).toHaveURL(new RegExp(`log=w${stopped + 1 - begun}_`));
});

test("Generate: opens files of one’s own, and names what is missing", async ({ page }) => {
  await openPage(page, "generate");
  const input = await openChooser(page, "generate");
  await input.setInputFiles(chosen(["config.json", "tokenizer.json"]));
  const needed = page
    .getByRole("list", { name: "Parts of the model" })
    .getByRole("listitem")
    .filter({ hasText: "still needed" });
  await expect(needed).toHaveText(["model.safetensorsstill needed"]);
  await input.setInputFiles(chosen(["model.safetensors"]));
  await expect(page.getByText("your model: llama, 958")).toBeVisible();
  await expect(chips(page).first()).toBeVisible();
  await input.setInputFiles("tests/golden/gguf/llama-q8_0.gguf");
  await expect(page.getByText("llama-q8_0.gguf: llama")).toBeVisible();
  await page.getByRole("button", { name: "Back to the shipped model" }).click();
  await expect(page.getByText("The shipped decoder: llama")).toBeVisible();
});

test("Generate: a model comes from the hub at a click, and nothing is asked before", async ({ page }) => {
  const { asked } = await standInForHub(page, files);
  await openPage(page, "generate");
  await openChooser(page, "generate");
  expect(asked).toEqual([]);
  await page.getByRole("button", { name: "Fetch 271.0 MB from huggingface.co" }).click();
  await expect(page.getByText("HuggingFaceTB/SmolLM2-135M: llama")).toBeVisible();
  expect(asked).toContainEqual(expect.stringContaining("/HuggingFaceTB/SmolLM2-135M/resolve/main/model.safetensors"));
});

test("Generate: a folder can be dropped", async ({ page }) => {
  await openPage(page, "generate");
  const data = await page.evaluateHandle(
    (contents) => {
      const transfer = new DataTransfer();
      for (const [name, bytes] of contents)
        transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name));
      return transfer;
    },
    names.map((name) => [name, files[name]!.toString("base64")] as const),
  );
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await expect(page.getByText("Drop the folder of a model")).toBeVisible();
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
  await expect(page.getByText("Drop the folder of a model")).toBeHidden();
  await expect(page.locator("#generate-page .model-choice summary")).toContainText("your model");
});

test("the strip is as high as its tokens need, and the cards beside the text leave no gap under it", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 1000 });
  await openPage(page, "generate");
  const box = async (selector: string) => (await page.locator(`#generate-page ${selector}`).first().boundingBox())!;
  const [strip, chip] = [await box(".strip"), await box(".chip")];
  expect(strip.height).toBeLessThan(4 * chip.height);
  const [text, next] = [await box(".generate-text"), await box(".generate-explain")];
  expect(next.y - (text.y + text.height)).toBeLessThan(40);
});

test("Generate: the microscope switches off parts of the rotation, with loss and next tokens", async ({ page }) => {
  using model = await decoder();
  const ids = model.encode(prompt);
  const look = (withoutRotation: readonly RotationPart[]) => {
    using cache = model.cache({ withoutRotation });
    const logits = cache.feed(ids, { all: true });
    const size = logits.length / ids.length;
    const rows = ids.map((_, t) => shares(logits.subarray(t * size, (t + 1) * size)));
    const loss = ids.slice(1).reduce((sum, id, t) => sum - Math.log(rows[t]![id]!), 0) / (ids.length - 1);
    return { loss, best: model.decode([rows.at(-1)!.indexOf(Math.max(...rows.at(-1)!))]) };
  };
  const [whole, none, one] = [look([]), look([{}]), look([{ layer: 0, pair: 0 }])];
  await openPage(page, "generate");
  await page.getByRole("radio", { name: "microscope" }).check({ force: true });
  const reading = page.locator("#generate-page .reading");
  await expect(reading).toContainText(`loss ${whole.loss.toFixed(3)} → ${none.loss.toFixed(3)}`);
  await expect(page.getByRole("button", { name: "Switch off each in turn" })).toBeDisabled();
  const map = page.getByRole("group", { name: /^Change of the loss without each layer and pair/ });
  await map.focus();
  for (const key of ["ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
  await expect(reading).toContainText("Without pair 0 of layer 0");
  await expect(reading).toContainText(`→ ${one.loss.toFixed(3)}`);
  await expect(page).toHaveURL(/view=microscope&layer=0&part=0/);
  const words = page.locator("#generate-page .microscope tbody tr").first();
  await expect(words).toContainText(whole.best);
  await expect(words.locator("td").last()).toContainText(one.best);
  await page.getByRole("radio", { name: "key heads" }).check({ force: true });
  await expect(reading).toContainText("Without key head 0 of layer 0");
  await expect(page.getByRole("button", { name: "Switch off each in turn" })).toBeDisabled();
  expect(await axeViolations(page)).toEqual([]);
});
